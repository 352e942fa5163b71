#!/bin/bash
# The nodes of the job, one on each line, for programs that need a list of hosts.
#   sbatch host-list.sh
# On a private cluster these are the addresses of the nodes, because no host has their names.
# Prints: 127.0.0.11 127.0.0.12
#SBATCH --job-name=hosts
#SBATCH --nodes=2
#SBATCH --time=5

scontrol show hostnames "$SLURM_JOB_NODELIST" > hosts-"$SLURM_JOB_ID".txt
paste -sd' ' hosts-"$SLURM_JOB_ID".txt

#!/bin/bash
# The nodes of the job, one on each line, for programs that need a list of hosts.
#   sbatch host-list.sh
# Prints: n1 n2
#SBATCH --job-name=hosts
#SBATCH --nodes=2
#SBATCH --time=5

scontrol show hostnames "$SLURM_JOB_NODELIST" > hosts-"$SLURM_JOB_ID".txt
paste -sd' ' hosts-"$SLURM_JOB_ID".txt

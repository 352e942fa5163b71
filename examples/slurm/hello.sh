#!/bin/bash
# The smallest batch script: one line from the node it runs on.
#   sbatch hello.sh
# Prints: hello from n
#SBATCH --job-name=hello
#SBATCH --time=5

echo "hello from $SLURMD_NODENAME, as job $SLURM_JOB_ID ($SLURM_JOB_NAME)"

#!/bin/bash
# Several partitions: the job starts in the first with room, here the one for short jobs or main.
#   sbatch partitions.sh
# Prints: in partition
#SBATCH --job-name=anywhere
#SBATCH --partition=short,main
#SBATCH --time=5

echo "in partition $SLURM_JOB_PARTITION"

#!/bin/bash
# Memory for each CPU: two tasks of two CPUs with 50 MB each make 200 MB.
#   sbatch mem-per-cpu.sh
# Prints: 50 MB for each CPU
#SBATCH --job-name=memory
#SBATCH --ntasks=2
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=50M
#SBATCH --time=5

echo "$SLURM_MEM_PER_CPU MB for each CPU"

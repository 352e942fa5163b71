#!/bin/bash
# Steps in an allocation, here as a script. By hand:
#   salloc -N1 -n2 -t 30        a shell, with two CPUs of a node
#   srun hostname               in it: a step on them
#   srun --pty bash             a shell on the node itself; in one line: srun -n2 -t 30 --pty bash
#   exit                        gives them back
# Prints: 2 tasks
#SBATCH --job-name=interactive
#SBATCH --nodes=1
#SBATCH --ntasks=2
#SBATCH --time=30

srun bash -c 'echo task $SLURM_PROCID' | sort | awk 'END {print NR " tasks"}'

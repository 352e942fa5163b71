#!/bin/bash
# OpenMP: one task with several CPUs, and as many threads.
#   sbatch openmp.sh
# Prints: 3 threads
#SBATCH --job-name=openmp
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=3
#SBATCH --time=5

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/threads.c" << 'END'
#include <omp.h>
#include <stdio.h>
int main(void) {
#pragma omp parallel
#pragma omp single
  printf("%d threads\n", omp_get_num_threads());
}
END
gcc -fopenmp -o "$work/threads" "$work/threads.c" && "$work/threads"

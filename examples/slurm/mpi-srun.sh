#!/bin/bash
# MPI with srun if it supports PMIx, otherwise with mpirun.
#   sbatch mpi-srun.sh
# Prints: 4 ranks, the sum of all is 6
#SBATCH --job-name=ring-srun
#SBATCH --ntasks=4
#SBATCH --time=5

mpicc -o ring-"$SLURM_JOB_ID" "$SLURM_SUBMIT_DIR/ring.c" || exit
if srun --mpi=list 2>&1 | grep -q pmix; then
  srun --mpi=pmix ./ring-"$SLURM_JOB_ID"
else
  mpirun ./ring-"$SLURM_JOB_ID"
fi
rm ring-"$SLURM_JOB_ID"

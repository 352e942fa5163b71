#!/bin/bash
# MPI on two nodes: mpirun reads the nodes from the job's environment, and starts ranks with srun.
#   sbatch mpi-mpirun.sh
# Prints: 4 ranks, the sum of all is 6
#SBATCH --job-name=ring
#SBATCH --nodes=2
#SBATCH --ntasks=4
#SBATCH --time=5

mpicc -o ring-"$SLURM_JOB_ID" "$SLURM_SUBMIT_DIR/ring.c" || exit
mpirun ./ring-"$SLURM_JOB_ID"
rm ring-"$SLURM_JOB_ID"

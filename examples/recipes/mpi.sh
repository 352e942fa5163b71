#!/bin/bash
# MPI with srun, on two nodes with two ranks each. The ranks save on request and resume.
#   sbatch mpi.sh              in this folder; it compiles mpi_loop.c
#   cox preempt JOB            all ranks save the same step, are queued again and resume
# On a private cluster (cox up) both nodes are one host. There Open MPI's shared memory of the two
# nodes would have the same names, so let it use TCP:
#   OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo sbatch mpi.sh
# --mpi=pmix is for Open MPI, --mpi=pmi2 for MPICH. srun is the last command, so that its exit code
# (75 after a save) becomes the exit code of the script.
#SBATCH --job-name=mpi
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --time=10
#SBATCH --checkpoint-signal=USR1
#SBATCH --output=mpi-%j.out
#SBATCH --open-mode=append

mpicc -O2 -o "mpi_loop-$SLURM_JOB_ID" mpi_loop.c || exit 1
srun --mpi=pmix "./mpi_loop-$SLURM_JOB_ID"

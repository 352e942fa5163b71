#!/bin/bash
# PyTorch with torchrun, saves on request and resumes: one launcher on each node, two ranks each.
#   cox submit torchrun.sh     (or: sbatch torchrun.sh), in this folder
#   cox preempt JOB            all four ranks save the same step, are queued again and resume
# The signal goes to torchrun and would end it, so the trap makes torchrun ignore the signal. The
# ranks read the request from a file. (Debian's torchrun needs -r 1 -t 1 with its Python.) Coxswain
# gives the tasks of srun MASTER_ADDR and MASTER_PORT, a port that no other job on the node gets.
#SBATCH --job-name=torchrun
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=2
#SBATCH --time=60
#SBATCH --checkpoint-signal=USR1
#SBATCH --output=torchrun-%j.out
#SBATCH --open-mode=append

export OMP_NUM_THREADS=1
srun --cpus-per-task="$SLURM_CPUS_PER_TASK" bash -c 'trap "" USR1; exec torchrun -r 1 -t 1 \
  --nnodes="$SLURM_NNODES" --node_rank="$SLURM_NODEID" --nproc_per_node=2 \
  --master_addr="$MASTER_ADDR" --master_port="$MASTER_PORT" ddp.py "$@"' torchrun "$@"

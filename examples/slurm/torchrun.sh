#!/bin/bash
# PyTorch DDP with torchrun: one launcher on each node, with two ranks each. (Debian 12's torchrun
# needs -r 1 -t 1, which keep each rank's output: without them it fails on Python 3.11.)
#   sbatch torchrun.sh
# Prints: 4 ranks, the sum of all is 6
#SBATCH --job-name=torchrun
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=2
#SBATCH --time=5

export OMP_NUM_THREADS=1 PORT=$((20000 + SLURM_JOB_ID % 10000))
srun --cpus-per-task="$SLURM_CPUS_PER_TASK" bash -c 'exec torchrun -r 1 -t 1 \
  --nnodes="$SLURM_NNODES" --node_rank="$SLURM_NODEID" --nproc_per_node=2 \
  --master_addr="$SLURM_LAUNCH_NODE_IPADDR" --master_port="$PORT" ddp.py'

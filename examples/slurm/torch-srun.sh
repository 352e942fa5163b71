#!/bin/bash
# PyTorch DDP, one rank for each task: srun starts the ranks, which meet at the job's first node.
#   sbatch torch-srun.sh
# Prints: 2 ranks, the sum of all is 1
#SBATCH --job-name=ddp-srun
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --time=5

export MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))
srun bash -c 'MASTER_ADDR=$SLURM_LAUNCH_NODE_IPADDR RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS \
  exec /usr/bin/python3 ddp.py'

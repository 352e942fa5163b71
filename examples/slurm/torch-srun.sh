#!/bin/bash
# PyTorch DDP, one rank for each task: srun starts the ranks, which meet at the job's first node.
# Under Coxswain the tasks have MASTER_ADDR and MASTER_PORT already; values for Slurm follow ":-".
#   sbatch torch-srun.sh
# Prints: 2 ranks, the sum of all is 1
#SBATCH --job-name=ddp-srun
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --time=5

srun bash -c 'export MASTER_ADDR=${MASTER_ADDR:-$SLURM_LAUNCH_NODE_IPADDR}
  export MASTER_PORT=${MASTER_PORT:-$((20000 + SLURM_JOB_ID % 10000))}
  RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS exec /usr/bin/python3 ddp.py'

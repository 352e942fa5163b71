#!/bin/bash
# Automatic requeue as PyTorch Lightning does it: SIGUSR1 comes to the tasks 90 seconds before the
# limit, rank 0 runs `scontrol requeue`, and the next run resumes from the checkpoint.
#SBATCH --job-name=requeue
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --gres=gpu:2
#SBATCH --time=00:02:00
#SBATCH --signal=SIGUSR1@90
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%x.out

echo "restart count: ${SLURM_RESTART_COUNT:-0}"
srun python3 train_requeue.py
echo "srun ended with $?"

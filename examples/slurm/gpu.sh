#!/bin/bash
# A GPU of a certain type: CUDA_VISIBLE_DEVICES has the number of the job's GPU.
#   sbatch gpu.sh
# Prints: 1 GPU on this node
#SBATCH --job-name=gpu
#SBATCH --gres=gpu:h100:1
#SBATCH --time=5

echo "$SLURM_GPUS_ON_NODE GPU on this node: $CUDA_VISIBLE_DEVICES"

#!/bin/bash
# A GPU of a type: CUDA_VISIBLE_DEVICES says which one is the job's.
#   sbatch gpu.sh
# Prints: 1 GPU on this node
#SBATCH --job-name=gpu
#SBATCH --gres=gpu:h100:1
#SBATCH --time=5

echo "$SLURM_GPUS_ON_NODE GPU on this node: $CUDA_VISIBLE_DEVICES"

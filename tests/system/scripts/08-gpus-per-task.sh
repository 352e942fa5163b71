#!/bin/bash
# Each task gets one GPU, the memory and the CPUs that belong to it.
#SBATCH --job-name=gpus-per-task
#SBATCH --ntasks=4
#SBATCH --ntasks-per-node=2
#SBATCH --gpus-per-task=1
#SBATCH --mem-per-gpu=500M
#SBATCH --time=5
#SBATCH --output=slurm-%j.out

echo "GPUs of this node: $CUDA_VISIBLE_DEVICES"
echo "$SLURM_NTASKS tasks on $SLURM_JOB_NUM_NODES nodes"
env | grep -E '^SLURM_(GPUS|GPUS_PER_TASK|MEM_PER_GPU|JOB_GPUS)=' | sort
srun --label bash -c '
  echo "rank $SLURM_LOCALID: GPU $CUDA_VISIBLE_DEVICES of ${SLURM_STEP_GPUS:-unset}"' | sort -n

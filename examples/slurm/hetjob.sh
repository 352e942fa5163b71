#!/bin/bash
# Two kinds of nodes in one job: one with a GPU for the training, one that feeds it with data. Both
# start together, and each program of srun runs on its own kind.
#   sbatch hetjob.sh
# Prints: 2 components
# Prints: trains with GPU 0
# Prints: feeds as 0 of 2
# Prints: feeds as 1 of 2
# Prints: both are done
#SBATCH --job-name=hetjob
#SBATCH --time=5
#SBATCH --ntasks=1 --gres=gpu:1
#SBATCH hetjob
#SBATCH --ntasks=2

echo "$SLURM_HET_SIZE components, on $SLURM_JOB_NODELIST and $SLURM_JOB_NODELIST_HET_GROUP_1"
srun bash -c 'echo trains with GPU $CUDA_VISIBLE_DEVICES' : \
  bash -c 'echo feeds as $SLURM_PROCID of $SLURM_NTASKS' && echo "both are done"

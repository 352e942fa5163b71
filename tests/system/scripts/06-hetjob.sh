#!/bin/bash
# Reinforcement learning as a heterogeneous job: a learner with a GPU, and two actors without one.
#SBATCH --job-name=rl
#SBATCH --time=5
#SBATCH --output=rl-%j.out
#SBATCH --nodes=1 --ntasks=1 --cpus-per-task=2 --gres=gpu:1
#SBATCH hetjob
#SBATCH --nodes=1 --ntasks=2 --cpus-per-task=1

echo "components: $SLURM_HET_SIZE"
echo "learner: ${SLURM_NTASKS_HET_GROUP_0:-} task, ${SLURM_CPUS_PER_TASK_HET_GROUP_0:-} CPUs"
echo "actors: ${SLURM_NTASKS_HET_GROUP_1:-} tasks on ${SLURM_JOB_NUM_NODES_HET_GROUP_1:-} node"
srun --het-group=0 bash -c 'echo "learner with ${CUDA_VISIBLE_DEVICES:+a GPU}"'
srun --het-group=1 --label bash -c 'echo "actor $SLURM_PROCID of $SLURM_NTASKS"' | sort
srun --het-group=0 --output=learner.txt echo "learning" &
srun --het-group=1 --output=actor-%t.txt echo "acting" &
wait

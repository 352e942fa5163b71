#!/bin/bash
# A sweep of the learning rate: an array with a throttle, a log for each task in logs/, and a job
# that gathers the results when all tasks have succeeded.
# Run: mkdir -p logs results && sbatch 03-sweep.sh
#SBATCH --job-name=sweep
#SBATCH --array=0-4%2
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=1
#SBATCH --time=5
#SBATCH --output=logs/%x-%A_%a.out

LRS=(0.01 0.03 0.1 0.3 1.0)
lr=${LRS[$SLURM_ARRAY_TASK_ID]}
echo "task $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT" \
     "($SLURM_ARRAY_TASK_MIN-$SLURM_ARRAY_TASK_MAX): lr=$lr"
python3 train.py --lr "$lr" --out "results/$SLURM_ARRAY_TASK_ID.json"

if [ "$SLURM_ARRAY_TASK_ID" -eq "$SLURM_ARRAY_TASK_MIN" ]; then
  sbatch --job-name=gather --dependency="afterok:$SLURM_ARRAY_JOB_ID" --output=logs/gather.out \
    --wrap='for f in results/*.json; do echo "$f $(cut -d, -f3 "$f")"; done'
fi

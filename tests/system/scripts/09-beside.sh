#!/bin/bash
# Two trainings on one GPU each, beside one another, and a monitor that overlaps with both.
#SBATCH --job-name=beside
#SBATCH --nodes=1
#SBATCH --ntasks=2
#SBATCH --cpus-per-task=1
#SBATCH --gres=gpu:2
#SBATCH --time=5
#SBATCH --output=%x.out
#SBATCH --error=%x.err

srun --overlap --ntasks=1 --output=monitor.txt bash -c '
  while [ ! -e done ]; do sleep 0.2; done; echo "monitor saw the end"' &
monitor=$!
pids=()
for lr in 0.1 0.5; do
  srun --exact --ntasks=1 --cpus-per-task=1 --gpus=1 --output="train-$lr.txt" \
    bash -c "echo \"GPUs: \$(tr , '\n' <<< \"\$CUDA_VISIBLE_DEVICES\" | wc -l)\"
             touch started-$lr
             while [ ! -e started-0.1 ] || [ ! -e started-0.5 ]; do sleep 0.1; done
             exec python3 train.py --lr $lr" &
  pids+=($!)
done
status=0
for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
touch done
wait "$monitor"
rm -f done started-*
echo "both trainings ran at the same time and ended with $status"
exit $status

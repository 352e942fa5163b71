#!/bin/bash
# Preparation, training and evaluation as a chain of jobs, and a job that cleans up if the training
# fails. Run on the login node, not submitted.
# Run: bash 05-chain.sh
set -euo pipefail
common="--time=5 --ntasks=1 --output=%x.log"

prep=$(sbatch --parsable $common -J prep \
  --wrap 'for i in 1 2 3 4; do echo "$i $((2 * i + 1))"; done > data.txt; wc -l < data.txt')
train=$(sbatch --parsable $common -J train --gres=gpu:1 --dependency=afterok:"$prep" \
  --wrap 'python3 train.py --lr 0.05 --steps 300 --data data.txt --out first.json')
more=$(sbatch --parsable $common -J more --gres=gpu:1 --dependency=afterok:"$train" \
  --wrap 'python3 train.py --lr 0.05 --steps 300 --data data.txt --resume first.json --out b.json')
sbatch $common -J eval --dependency=afterok:"$train":"$more" \
  --wrap 'echo "jobs before this one: $SLURM_JOB_DEPENDENCY"; cat b.json'
sbatch --parsable $common -J cleanup --dependency=afternotok:"$train" --kill-on-invalid-dep=yes \
  --wrap 'echo "the training failed"' > /dev/null
echo "submitted a chain of ${#prep} + ${#train} digits" | sed 's/[0-9][0-9]*/N/g'

#!/bin/bash
# An array that reads a parameter file: task N takes line N of params.txt.
#   sbatch array-params.sh
# Prints: rate 0.1 with tanh
#SBATCH --job-name=params
#SBATCH --array=1-3
#SBATCH --time=5
#SBATCH --output=%x-%A_%a.out

read -r rate activation < <(sed -n "${SLURM_ARRAY_TASK_ID}p" "$SLURM_SUBMIT_DIR/params.txt")
echo "rate $rate with $activation"

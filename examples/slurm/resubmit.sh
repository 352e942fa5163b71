#!/bin/bash
# A job that submits its successor until the work is done, three rounds in all.
#   sbatch resubmit.sh
# Prints: round 3 of 3
#SBATCH --job-name=rounds
#SBATCH --time=5
#SBATCH --output=rounds-%j.out

round=${ROUND:-1}
echo "round $round of 3"
if [ "$round" -lt 3 ]; then
  sbatch --dependency=afterok:"$SLURM_JOB_ID" --export=ALL,ROUND=$((round + 1)) \
    "$SLURM_SUBMIT_DIR/resubmit.sh"
fi

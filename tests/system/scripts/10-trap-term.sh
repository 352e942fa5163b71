#!/bin/bash
# The batch script itself catches the signals: USR1 asks for a checkpoint (`B:`), and SIGTERM of a
# cancellation stops the training in good order.
#SBATCH --job-name=trap
#SBATCH --gres=gpu:1
#SBATCH --ntasks=1
#SBATCH --time=10
#SBATCH --signal=B:USR1@120
#SBATCH --output=trap-%j.log

checkpoint() { echo "USR1: checkpoint written"; echo step > checkpoint.txt; saved=1; }
stop() {
  echo "TERM: stopping in good order"
  kill "$training" 2> /dev/null
  wait "$training"
  echo "the training is gone"
  exit 0
}
trap checkpoint USR1
trap stop TERM

sleep 300 &
training=$!
(sleep 1; scancel --batch --signal=USR1 "$SLURM_JOB_ID") &
until [ -n "$saved" ]; do wait -n; done
(sleep 0.3; scancel "$SLURM_JOB_ID") &
while true; do wait "$training"; done

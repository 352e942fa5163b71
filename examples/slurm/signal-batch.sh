#!/bin/bash
# A warning before the time limit: the shell gets USR1 and can save its results.
#   sbatch signal-batch.sh
# Prints: warned, and done in time
#SBATCH --job-name=warned
#SBATCH --time=0:20
#SBATCH --signal=B:USR1@18

trap 'echo "warned, and done in time"; exit 0' USR1
while true; do
  sleep 0.2 & wait $!
done

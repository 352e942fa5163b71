#!/bin/bash
# Not before a time, and over by another: it starts in a second, or not at all after an hour.
#   sbatch begin-deadline.sh
# Prints: began in time
#SBATCH --job-name=later
#SBATCH --begin=now+1
#SBATCH --deadline=now+1hour
#SBATCH --time=5

echo "began in time"

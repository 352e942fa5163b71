#!/bin/bash
# A begin time and a deadline: it starts in a second at the earliest and must end within an hour.
#   sbatch begin-deadline.sh
# Prints: began in time
#SBATCH --job-name=later
#SBATCH --begin=now+1
#SBATCH --deadline=now+1hour
#SBATCH --time=5

echo "began in time"

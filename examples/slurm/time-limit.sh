#!/bin/bash
# A job that reaches its time limit: SIGTERM first, SIGKILL after the site's KillWait.
#   sbatch time-limit.sh
# Ends: TIMEOUT
# Prints: works on
#SBATCH --job-name=too-long
#SBATCH --time=0:02

echo "works on and on"
sleep 1000

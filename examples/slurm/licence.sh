#!/bin/bash
# A licence of which the site has few: the job waits for a free one, and holds it while it runs.
#   sbatch licence.sh
# Prints: holding one of matlab
#SBATCH --job-name=licence
#SBATCH --licenses=matlab:1
#SBATCH --time=5

echo "holding one of matlab"

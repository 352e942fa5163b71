#!/bin/bash
# A licence that the site has few of: the job waits until one is free, and holds it while it runs.
#   sbatch licence.sh
# Prints: holding one of matlab
#SBATCH --job-name=licence
#SBATCH --licenses=matlab:1
#SBATCH --time=5

echo "holding one of matlab"

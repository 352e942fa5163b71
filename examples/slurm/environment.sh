#!/bin/bash
# Environment of a job: all variables of the caller and SEED; the script has a default for DATA.
#   sbatch environment.sh
# Prints: seed 42, data /data/small
#SBATCH --job-name=environment
#SBATCH --export=ALL,SEED=42
#SBATCH --time=5

echo "seed $SEED, data ${DATA:-/data/small}"

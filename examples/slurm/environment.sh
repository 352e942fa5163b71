#!/bin/bash
# What a job gets of the environment: nothing but what it names, and a default for the rest.
#   sbatch environment.sh
# Prints: seed 42, data /data/small
#SBATCH --job-name=environment
#SBATCH --export=ALL,SEED=42
#SBATCH --time=5

echo "seed $SEED, data ${DATA:-/data/small}"

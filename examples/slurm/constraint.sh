#!/bin/bash
# Asks for a node with the feature fast, but not for node n2, whatever its features.
#   sbatch constraint.sh
# Prints: on n1
#SBATCH --job-name=fast
#SBATCH --constraint=fast
#SBATCH --exclude=n2
#SBATCH --time=5

echo "on $SLURM_JOB_NODELIST"

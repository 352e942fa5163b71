#!/bin/bash
# A whole node: the job gets all of its CPUs, however few it asks for.
#   sbatch exclusive.sh
# Prints: alone with 4 CPUs
#SBATCH --job-name=alone
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --time=5

echo "alone with $SLURM_CPUS_ON_NODE CPUs"

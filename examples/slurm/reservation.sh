#!/bin/bash
# On the reserved nodes of a course: scontrol create reservation, or cox reserve create.
#   sbatch reservation.sh
# Prints: in the course's room
#SBATCH --job-name=course
#SBATCH --reservation=course
#SBATCH --time=5

echo "in the course's room, $SLURM_JOB_NODELIST"

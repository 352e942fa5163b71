#!/bin/bash
# A step on each node: -w names a node, -r counts from the job's first node.
#   sbatch steps-on-nodes.sh
# Prints: second node is number 0 of its step
#SBATCH --job-name=nodes
#SBATCH --nodes=2
#SBATCH --time=5

srun --nodes=1 --ntasks=1 --relative=1 \
  bash -c 'echo "second node is number $SLURM_NODEID of its step"'
srun --nodes=1 --ntasks=1 -w "$SLURMD_NODENAME" echo "and this is the first, $SLURMD_NODENAME"

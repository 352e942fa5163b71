#!/bin/bash
# A notebook on a node, and how to connect to it. (Here the server is a stub that ends by itself.)
#   sbatch jupyter.sh; cat jupyter-*.out
# Prints: ssh -N -L
#SBATCH --job-name=jupyter
#SBATCH --time=30
#SBATCH --output=jupyter-%j.out

port=$((8000 + SLURM_JOB_ID % 1000))
echo "on your own machine: ssh -N -L $port:$SLURMD_NODENAME:$port $USER@login"
echo "then open http://localhost:$port"
# jupyter lab --no-browser --ip="$SLURMD_NODENAME" --port="$port"
timeout 1 /usr/bin/python3 -c 'import time; time.sleep(60)' || echo "the server has ended"

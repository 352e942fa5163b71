#!/bin/bash
# Runs a notebook on a node. The output shows the tunnel and the address for your own machine.
#   sbatch --export=ALL,LOGIN=login.example.org notebook.sh
#   cat notebook-JOB.out
#   scancel JOB                when you are done; otherwise it ends at its time limit
# LOGIN is the host through which you reach the cluster. Other users can reach the port too, so keep
# the token secret.
#SBATCH --job-name=notebook
#SBATCH --cpus-per-task=2
#SBATCH --time=60
#SBATCH --output=notebook-%j.out

chmod 600 "notebook-$SLURM_JOB_ID.out"
host=$(hostname)
port=$(/usr/bin/python3 -c 'import socket; print(socket.create_server(("", 0)).getsockname()[1])')
JUPYTER_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export JUPYTER_TOKEN # not on the command line, which every user can see

echo "on your own machine: ssh -N -L $port:$host:$port $(id -un)@${LOGIN:-login}"
echo "then open: http://localhost:$port/?token=$JUPYTER_TOKEN"
exec jupyter notebook --no-browser --ip="$host" --port="$port"

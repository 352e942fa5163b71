#!/bin/bash
# Prints the variables of Slurm that programs go by, in the script and in a task.
#SBATCH --job-name=environment
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=100
#SBATCH --gres=gpu:2
#SBATCH --time=5
#SBATCH --output=%x.out

dull='_(PID|PORT|IPADDR|COMM_HOST|ADDR|TIME|CONF|WORKING_CLUSTER|PRIO_PROCESS)=|TOPOLOGY'
echo "== batch"
env | grep -E '^(SLURM_|SLURMD_|SBATCH_|CUDA_|TMPDIR)' | grep -vE "$dull" | sort
echo "== task 2"
srun bash -c '[ "$SLURM_PROCID" != 2 ] || env' |
  grep -E '^(SLURM_|SLURMD_|CUDA_|TMPDIR)' | grep -vE "$dull" | sort

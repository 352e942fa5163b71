#!/bin/bash
# PyTorch DistributedDataParallel with one task for each GPU: srun starts the ranks, and they
# meet at the address of the job's first node.
#SBATCH --job-name=ddp-srun
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=1
#SBATCH --gres=gpu:1
#SBATCH --time=00:10:00
#SBATCH --output=%x-%j.out
#SBATCH --error=%x-%j.err

set -euo pipefail
nodes=($(scontrol show hostnames "$SLURM_JOB_NODELIST"))
head_node=${nodes[0]}
MASTER_ADDR=$(srun --nodes=1 --ntasks=1 -w "$head_node" hostname --ip-address | awk '{print $1}')
MASTER_PORT=$((10000 + SLURM_JOB_ID % 20000))
WORLD_SIZE=$((SLURM_NNODES * SLURM_NTASKS_PER_NODE))
export MASTER_ADDR MASTER_PORT WORLD_SIZE
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK

echo "NODELIST=${nodes[*]}"
echo "WORLD_SIZE=$WORLD_SIZE OMP_NUM_THREADS=$OMP_NUM_THREADS"
srun bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID exec /usr/bin/python3 train_ddp.py'
ls model.pt

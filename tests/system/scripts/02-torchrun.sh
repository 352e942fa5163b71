#!/bin/bash
# torchrun on every node, with its c10d rendezvous on the first host of the allocation.
#SBATCH -J torchrun
#SBATCH -N 2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=2G
#SBATCH -t 10
#SBATCH -o torchrun-%j.log

export LOGLEVEL=ERROR OMP_NUM_THREADS=1
head_node=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
head_node_ip=$(srun --nodes=1 --ntasks=1 -w "$head_node" hostname --ip-address | cut -d' ' -f1)
port=$((30000 + SLURM_JOB_ID % 20000))
echo "rendezvous on $head_node"

srun torchrun -r 1 -t 1 \
  --nnodes="$SLURM_JOB_NUM_NODES" \
  --nproc_per_node=1 \
  --rdzv_id="$SLURM_JOB_ID" \
  --rdzv_backend=c10d \
  --rdzv_endpoint="$head_node_ip:$port" \
  train_ddp.py 2> torchrun.err | sed 's/^\[[^]]*\]:*//'
echo "torchrun ended with ${PIPESTATUS[0]}"
rm -f torchrun.err

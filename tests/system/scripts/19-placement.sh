#!/bin/bash
# Where tasks go: so many on each node, block and cyclic, on chosen nodes, and beside one another.
#SBATCH --job-name=placement
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=1
#SBATCH --time=5
#SBATCH --output=%x.out

where='echo "$SLURM_PROCID: node $SLURM_NODEID, local $SLURM_LOCALID"'
echo "== as the job"; srun --cpu-bind=none bash -c "$where" | sort -n
echo "== cyclic"; srun --cpu-bind=none --distribution=cyclic bash -c "$where" | sort -n
echo "== one a node"; srun --ntasks-per-node=1 --ntasks=2 bash -c "$where" | sort -n
echo "== three tasks"; srun -n 3 bash -c "$where" | sort -n
echo "== first node"; srun -N 1 -n 2 bash -c "$where" | sort -n
echo "== second node"; srun -N 1 -n 1 --relative=1 bash -c 'echo $SLURMD_NODENAME'
echo "== too many"; srun -n 5 true; echo "ended with $?"
echo "== overcommit"; srun -n 5 --overcommit bash -c 'echo $SLURM_PROCID' | sort -n | xargs
echo "tasks per node: $SLURM_TASKS_PER_NODE"

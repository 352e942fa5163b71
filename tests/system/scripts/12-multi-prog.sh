#!/bin/bash
# One step with several programs: a parameter server, a logger and two workers.
#SBATCH -J roles
#SBATCH -n 4
#SBATCH -N 2
#SBATCH --ntasks-per-node=2
#SBATCH -t 5
#SBATCH -o roles.out

cat > roles.conf <<'EOF'
# task  program
0       bash -c 'echo "parameter server, task $SLURM_PROCID"'
1       echo logger, task %t, offset %o
2-3     bash -c 'echo "worker %o of task %t on $(echo $SLURM_NODEID)"'
EOF
srun --label --multi-prog roles.conf | sort -n
cat > all.conf <<'EOF'
0 echo first
* echo another, task %t
EOF
srun -n 3 --multi-prog all.conf | sort
echo "status ${PIPESTATUS[0]}"
echo '0 echo first' > short.conf
srun -n 2 --multi-prog short.conf
echo "a file that lacks a task: status $?"

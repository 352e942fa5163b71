#!/bin/bash
# One step of different programs: rank 0 is the master, the others are workers.
#   sbatch multi-prog.sh
# Prints: 0: master of 4
# Prints: 3: worker 3
#SBATCH --job-name=multi
#SBATCH --ntasks=4
#SBATCH --time=5

cat > programs-"$SLURM_JOB_ID".conf << 'END'
0    bash -c 'echo master of $SLURM_NTASKS'
1-3  echo worker %t
END
srun --label --multi-prog programs-"$SLURM_JOB_ID".conf

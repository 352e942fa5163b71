#!/bin/bash
# A job that mails, has a comment and a lower priority, and fails with an exit code of its own.
#SBATCH --job-name=mail
#SBATCH --mail-type=BEGIN,END,FAIL
#SBATCH --mail-user=ada@example.org
#SBATCH --comment="figure 3, second try"
#SBATCH --nice=50
#SBATCH --time=20
#SBATCH --time-min=5
#SBATCH --output=%x.out

squeue -h -j "$SLURM_JOB_ID" -O 'Name:.10,Comment:.30,State:.10'
srun bash -c 'exit 5'
echo "the step ended with $?"
exit 3

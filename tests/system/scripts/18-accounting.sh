#!/bin/bash
# Records what the job was: scontrol and squeue while it runs, sacct of its steps at the end.
#SBATCH --job-name=accounting
#SBATCH --nodes=1
#SBATCH --ntasks=2
#SBATCH --mem-per-cpu=200M
#SBATCH --comment=paper
#SBATCH --time=7
#SBATCH --output=%x.out

scontrol show job "$SLURM_JOB_ID"
squeue --noheader --job "$SLURM_JOB_ID" --format="%i %P %j %u %t %D %C %m %l"
srun --job-name=first true
srun --job-name=second bash -c 'exit $SLURM_PROCID'
srun --job-name=third -n1 bash -c 'kill -USR1 $$'
sbatch --dependency=afterany:"$SLURM_JOB_ID" --output=sacct.out -J books --wrap="
  sacct -n -P -j $SLURM_JOB_ID -o JobID,JobName,State,ExitCode,AllocCPUS,NNodes,NTasks
  sacct -n -P -X -j $SLURM_JOB_ID -o JobName,Partition,TimelimitRaw,ReqMem,ReqCPUS,Submit,WorkDir"

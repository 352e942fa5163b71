#!/bin/bash
# What --export hands to jobs and steps. Run on the login node, with variables of the experiment.
# Run: LR=0.1 SEED=7 bash 11-export.sh
export LR SEED
show='echo "LR=${LR-unset} SEED=${SEED-unset} TAG=${TAG-unset}"'
common="--ntasks=1 --time=5"
sbatch $common -J all -o all.txt --wrap "$show; srun /bin/sh -c '$show'"
sbatch $common -J list -o list.txt --export=ALL,TAG=night,SEED=8 \
  --wrap "$show; srun /bin/sh -c '$show'"
sbatch $common -J only -o only.txt --export=LR,TAG=day --wrap "$show"
sbatch $common -J none -o none.txt --export=NONE \
  --wrap "$show; srun --export=ALL,LR=3 /bin/sh -c '$show'"
SBATCH_EXPORT=LR sbatch $common -J variable -o variable.txt --wrap "$show"
sbatch $common -J steps -o steps.txt --wrap "
  srun --export=NONE /bin/sh -c '$show'
  srun --export=SEED /bin/sh -c '$show'
  SEED=9 srun --export=ALL,TAG=x /bin/sh -c '$show'"

#!/bin/bash
# A nightly job of which there is never more than one: who comes while one runs, waits for it.
#   sbatch nightly.sh           (of cron: sbatch --begin=02:00 nightly.sh)
# Prints: the only one of its name
#SBATCH --job-name=nightly
#SBATCH --dependency=singleton
#SBATCH --time=5

others=$(squeue --noheader --me --states=R --format='%j %i' | grep -c '^nightly')
[ "$others" -le 1 ] && echo "the only one of its name"

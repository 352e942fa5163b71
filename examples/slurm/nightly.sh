#!/bin/bash
# A nightly job that never runs twice at once: a second one waits until the first has ended.
#   sbatch nightly.sh           (in cron: sbatch --begin=02:00 nightly.sh)
# Prints: the only one of its name
#SBATCH --job-name=nightly
#SBATCH --dependency=singleton
#SBATCH --time=5

others=$(squeue --noheader --me --states=R --format='%j %i' | grep -c '^nightly')
[ "$others" -le 1 ] && echo "the only one of its name"

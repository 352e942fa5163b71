#!/bin/bash
# Scratch space that is removed when the job ends, however it ends.
#   sbatch scratch.sh
# Prints: 1048576 bytes of scratch
#SBATCH --job-name=scratch
#SBATCH --time=5

scratch=$(mktemp -d "${TMPDIR:-/tmp}/scratch-$SLURM_JOB_ID-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 143' TERM INT

head -c 1048576 /dev/zero > "$scratch/data"
echo "$(stat -c %s "$scratch/data") bytes of scratch"

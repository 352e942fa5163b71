#!/bin/bash
# The head that scripts get copied from cluster to cluster: modules, conda and a virtual environment
# if they are there, a folder on the scratch disk, and logs by name and id.
#SBATCH --job-name=guarded
#SBATCH --partition=main
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=1G
#SBATCH --time=0-00:05
#SBATCH --output=%x-%j.out
#SBATCH --error=%x-%j.err

set -eo pipefail
command -v module > /dev/null 2>&1 && module purge && module load cuda/11.8 || true
conda=$HOME/no-such-conda/etc/profile.d/conda.sh
[ -f "$conda" ] && . "$conda"
command -v nvidia-smi-of-the-site > /dev/null && nvidia-smi-of-the-site || true
cd "$SLURM_SUBMIT_DIR"
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
export SCRATCH=${SCRATCH:-/tmp}/$USER-$SLURM_JOB_ID
mkdir -p "$SCRATCH"
trap 'rm -rf "$SCRATCH"' EXIT

echo "job $SLURM_JOB_ID ($SLURM_JOB_NAME) in partition $SLURM_JOB_PARTITION, user $SLURM_JOB_USER"
echo "threads: $OMP_NUM_THREADS, folder: $([ "$PWD" = "$SLURM_SUBMIT_DIR" ] && echo same)"
echo "script: $(basename "$0"), limit: $(squeue -h -j "$SLURM_JOB_ID" -o '%l %C %D %P %j %u %T')"
echo "a warning" >&2
srun -u python3 train.py --out "$SCRATCH/weights.json"
cp "$SCRATCH/weights.json" .

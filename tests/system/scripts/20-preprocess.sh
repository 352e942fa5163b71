#!/bin/bash
# Shards of a data set, a step for each, as many at once as the job has tasks. One of them fails,
# and the script counts failures before it decides about its exit code.
#SBATCH --job-name=shards
#SBATCH --nodes=1
#SBATCH --ntasks=3
#SBATCH --time=5
#SBATCH --output=%x.out
#SBATCH --error=%x.err

mkdir -p shards
failed=0
pids=()
for shard in 0 1 2 3 4; do
  srun --exact --ntasks=1 --mem=100M --output="shards/$shard.txt" \
    bash -c "[ $shard != 3 ] || exit 2; echo shard $shard" 2> "shards/$shard.err" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || failed=$((failed + 1)); done
# Messages of steps that waited for free CPUs.
sed -i '/step creation/d; /Step created/d' shards/*.err
find shards -name '*.err' -empty -delete
echo "$failed of ${#pids[@]} shards failed"
srun --ntasks=2 --kill-on-bad-exit=1 --quiet bash -c '
  if [ "$SLURM_PROCID" = 1 ]; then exit 7; fi; exec sleep 300'
echo "the last step ended with $?"
[ "$failed" -eq 0 ]

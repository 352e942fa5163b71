#!/bin/bash
# Data is copied to every node once, so that the tasks do not all read it from the shared disk.
#SBATCH --job-name=sbcast
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --time=5
#SBATCH --output=%x.out

seq 1 8 > data.txt
local_copy=/tmp/data-$SLURM_JOB_ID.txt
sbcast --force data.txt "$local_copy"
echo "sbcast ended with $?"
srun bash -c "md5sum < $local_copy" | sort | uniq -c | sed 's/^ *//'
sbcast data.txt "$local_copy" 2> /dev/null
echo "without --force onto an existing file it ended with $?"
sbcast no-such-file "$local_copy" 2> /dev/null
echo "of a file that is not there it ended with $?"
srun rm -f "$local_copy"

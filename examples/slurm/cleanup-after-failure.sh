#!/bin/bash
# A job that runs only if another one failed (afternotok), and one that runs in any case (afterany).
#   sbatch cleanup-after-failure.sh
# Prints: cleaned up after a failure
# Prints: notified the user
#SBATCH --job-name=cleanup
#SBATCH --time=5

failing=$(sbatch --parsable -t5 -J fails -o /dev/null --wrap='exit 3')
sbatch -t5 -J mend -o mend-%j.out -d afternotok:"$failing" --wrap='echo cleaned up after a failure'
sbatch -t5 -J notify -o notify-%j.out -d afterany:"$failing" --wrap='echo notified the user'

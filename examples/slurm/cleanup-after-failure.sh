#!/bin/bash
# What runs only when another job has failed (afternotok), and what runs however it ended.
#   sbatch cleanup-after-failure.sh
# Prints: cleaned up after a failure
# Prints: told whoever asks
#SBATCH --job-name=cleanup
#SBATCH --time=5

failing=$(sbatch --parsable -t5 -J fails -o /dev/null --wrap='exit 3')
sbatch -t5 -J mend -o mend-%j.out -d afternotok:"$failing" --wrap='echo cleaned up after a failure'
sbatch -t5 -J tell -o tell-%j.out -d afterany:"$failing" --wrap='echo told whoever asks'

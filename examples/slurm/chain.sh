#!/bin/bash
# A chain: each job starts when the one before it has completed successfully.
#   sbatch chain.sh
# Prints: prepare train evaluate
#SBATCH --job-name=chain
#SBATCH --time=5

rm -f chain.txt
first=$(sbatch --parsable -t5 -J prepare -o /dev/null --wrap='echo prepare >> chain.txt')
second=$(sbatch --parsable -t5 -J train -o /dev/null -d afterok:"$first" \
  --wrap='echo train >> chain.txt')
sbatch -t5 -J evaluate -o evaluate-%j.out -d afterok:"$first":"$second" \
  --wrap='echo evaluate >> chain.txt; paste -sd" " chain.txt'

#!/bin/bash
# Snakemake runs in a job of its own: it submits each rule with sbatch.
#   sbatch snakemake.sh
# Prints: report of 2 parts
#SBATCH --job-name=workflow
#SBATCH --time=10

snakemake --snakefile Snakefile --jobs 2 --latency-wait 20 --nolock \
  --cluster 'sbatch --parsable --ntasks=1 --time=5 --output=rule-%j.out' && cat report.txt

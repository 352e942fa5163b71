#!/bin/bash
# Scripts as here-documents: sbatch reads them from its input, with values of this shell.
#   sbatch here-document.sh
# Prints: trained with rate 0.5
#SBATCH --job-name=sweep
#SBATCH --time=5

for rate in 0.1 0.5; do
  sbatch << END
#!/bin/bash
#SBATCH --job-name=rate-$rate --time=5
#SBATCH --output=rate-$rate-%j.out
echo "trained with rate $rate in job \$SLURM_JOB_ID"
END
done

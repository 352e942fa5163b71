#!/bin/bash
# Mail when the job ends or fails, a comment, and a wckey for the site's accounting.
#   sbatch mail.sh
# Prints: you will hear of it
#SBATCH --job-name=mail
#SBATCH --mail-type=END,FAIL
#SBATCH --mail-user=ada@example.org
#SBATCH --comment="figure 3, second try"
#SBATCH --wckey=paper
#SBATCH --time=5

echo "you will hear of it"

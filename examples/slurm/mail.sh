#!/bin/bash
# Mail when it has ended or failed, a comment and a key for the site's books.
#   sbatch mail.sh
# Prints: you will hear of it
#SBATCH --job-name=mail
#SBATCH --mail-type=END,FAIL
#SBATCH --mail-user=ada@example.org
#SBATCH --comment="figure 3, second try"
#SBATCH --wckey=paper
#SBATCH --time=5

echo "you will hear of it"

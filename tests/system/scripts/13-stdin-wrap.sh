#!/bin/bash
# Jobs without a file of their own: a here-document in a loop, --wrap, and a script from a pipe with
# arguments. Run on the login node.
# Run: bash 13-stdin-wrap.sh
for seed in 1 2; do
  sbatch <<EOF
#!/bin/bash
#SBATCH --job-name=seed-$seed
#SBATCH --output=%x.out
#SBATCH --time=5
echo "seed $seed in \$SLURM_JOB_NAME"
EOF
done
sbatch -J wrapped -o wrapped.out -t 5 --wrap='echo "wrapped by $(basename $0)"; echo "$# arguments"'
printf '#!/bin/sh\n#SBATCH -o piped.out\necho "$# arguments: $*"\n' |
  sbatch -J piped /dev/stdin a 'b c'
sbatch -W -J waited -o waited.out --wrap='exit 3'
echo "sbatch --wait ended with $?"
sbatch --parsable -o /dev/null --test-only --wrap=true > /dev/null 2>&1
echo "sbatch --test-only ended with $?"
sbatch -J bad --nodes=zero --wrap=true
echo "sbatch ended with $?"
echo 'no shebang' | sbatch -J bad
echo "sbatch ended with $?"
sbatch no-such-file.sh
echo "sbatch ended with $?"

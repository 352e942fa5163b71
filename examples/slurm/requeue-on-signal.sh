#!/bin/bash
# Saves shortly before its time limit, requeues itself, and continues where it was.
#   sbatch requeue-on-signal.sh
# Prints: resumed
# Prints: finished
#SBATCH --job-name=requeue
#SBATCH --time=0:20
#SBATCH --signal=B:USR1@18
#SBATCH --requeue
#SBATCH --open-mode=append

state=state-$SLURM_JOB_ID.txt
save() {
  echo "saved at $step"
  echo "$step" > "$state"
  scontrol requeue "$SLURM_JOB_ID"
  exit
}
trap save USR1

step=$(cat "$state" 2> /dev/null || echo 0)
[ "$step" -gt 0 ] && echo "resumed at $step, restart ${SLURM_RESTART_COUNT:-none}"
while [ "$step" -lt 1000 ]; do
  # This example ends here; a real job would continue its work.
  [ -n "$SLURM_RESTART_COUNT" ] && break
  sleep 0.2 & wait $!                     # a trap runs during wait, not during sleep
  step=$((step + 1))
done
rm -f "$state"
echo "finished"

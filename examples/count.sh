#!/bin/bash
# A checkpointable plain shell script, as a batch job: it counts to 120, one number a second.
#   cox submit examples/count.sh        (or: sbatch examples/count.sh)
#   cox preempt JOB                     it saves, is queued again and continues where it was
#   At the time limit it saves too, but then it ends as TIMEOUT. With --requeue-on-timeout it is
#   queued again.
#SBATCH --job-name=count
#SBATCH --nodes=1
#SBATCH --time=10
#SBATCH --signal=B:USR1@30
#SBATCH --output=count-%j.log

stop_asked=0
trap 'stop_asked=1' USR1 TERM

number=0
if [ -n "$COX_RESUME_FROM" ]; then
  number=$(cat "$COX_RESUME_FROM/rank-0/number")
  echo "resumed after $number"
fi

while [ "$number" -lt 120 ]; do
  sleep 1 & wait $!  # a trap runs during wait, not during sleep
  number=$((number + 1))
  echo "$number"
  if [ "$stop_asked" = 1 ]; then
    mkdir -p "$COX_CHECKPOINT_DIR/step-$number/rank-0"
    echo "$number" > "$COX_CHECKPOINT_DIR/step-$number/rank-0/number"
    cox checkpoint done --step "$number"
    echo "saved $number"
    exit 75  # saved, run me again
  fi
done
echo "finished"

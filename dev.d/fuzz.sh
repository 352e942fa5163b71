# The command `fuzz`: builds and runs the libFuzzer targets of tests/fuzz.

fuzz_place=build/fuzz
fuzz_input_bytes_max=4096
fuzz_input_seconds_max=25
fuzz_memory_mb_max=2048
fuzz_allocation_mb_max=256

fuzz_targets() {
  local file
  for file in tests/fuzz/*.cpp; do
    case $file in *_test.cpp) ;; *) basename "$file" .cpp ;; esac
  done
}

# fuzz_one TARGET SECONDS: runs one target and prints a line of counts. Fails if it found a fault.
fuzz_one() {
  local target=$1 seconds=$2 rc=0
  local log=$fuzz_place/log/$target found=$fuzz_place/found/$target folders
  local faults=$fuzz_place/faults/$target
  mkdir -p "$fuzz_place/log" "$found" "$faults"
  folders=("$found" "tests/fuzz/corpus/$target")
  [ ! -d "$fuzz_place/seeds/$target" ] || folders+=("$fuzz_place/seeds/$target")
  "$fuzz_place/bin/fuzz_$target" -max_total_time="$seconds" -print_final_stats=1 \
    -max_len=$fuzz_input_bytes_max -timeout=$fuzz_input_seconds_max \
    -rss_limit_mb=$fuzz_memory_mb_max -malloc_limit_mb=$fuzz_allocation_mb_max \
    -artifact_prefix="$faults/" "${folders[@]}" > "$log" 2>&1 || rc=$?
  awk -v target="$target" -v rc=$rc -v log_file="$log" '
    /stat::number_of_executed_units/ { runs = $2 }
    /stat::average_exec_per_sec/ { speed = $2 }
    /stat::new_units_added/ { inputs = $2 }
    END {
      printf "%-14s %10d runs, %5d new inputs, %7d a second%s\n", target, runs, inputs, speed,
        rc == 0 ? "" : "   FAULT: " log_file
    }' "$log"
  return $rc
}

fuzz_advice() {
  echo "faults (the end of a log describes the fault and names the input):"
  find "$fuzz_place/faults" -type f -newer "$fuzz_place/begun" | sort | sed 's/^/  /'
  echo "repeat it:           $fuzz_place/bin/fuzz_TARGET FILE"
  echo "reduce the input:    $fuzz_place/bin/fuzz_TARGET -minimize_crash=1 -max_total_time=60 FILE"
  echo "keep the input:      cp FILE tests/fuzz/corpus/TARGET/WHAT-IT-SHOWS; ./dev test replays it"
}

fuzz() {
  local minutes=10 targets=() target
  while [ $# -gt 0 ]; do
    case $1 in
      --minutes)
        minutes=${2-}
        shift
        ;;
      -*) minutes="" ;;
      *)
        if [ ! -f "tests/fuzz/$1.cpp" ]; then
          echo "./dev fuzz: there is no target '$1'; the targets are:" $(fuzz_targets) >&2
          return 2
        fi
        targets+=("$1")
        ;;
    esac
    shift
  done
  if ! [[ $minutes =~ ^[1-9][0-9]{0,4}$ ]]; then
    echo "./dev fuzz: write ./dev fuzz [TARGET...] [--minutes N]" >&2
    return 2
  fi
  [ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(fuzz_targets)
  need $packages_build $packages_fuzz
  build_preset fuzz fuzz_seeds "${targets[@]/#/fuzz_}" || return
  rm -rf "$fuzz_place/seeds"
  "$fuzz_place/bin/fuzz_seeds" "$fuzz_place/seeds/codec"
  fuzz_all "$minutes" "${targets[@]}"
}

# fuzz_all MINUTES TARGET...: runs one target per core at a time. MINUTES is the sum over all
# targets, shared equally.
fuzz_all() {
  local minutes=$1 cores seconds rc=0
  shift
  cores=$(nproc)
  [ "$cores" -le $# ] || cores=$#
  seconds=$((minutes * 60 * cores / $#))
  [ "$seconds" -ge 1 ] || seconds=1
  echo "== $# targets, $seconds s each, $cores at a time"
  touch "$fuzz_place/begun"
  export UBSAN_OPTIONS=print_stacktrace=1
  local running=0 target
  for target in "$@"; do
    if [ $running -eq "$cores" ]; then
      wait -n || rc=1
      running=$((running - 1))
    fi
    fuzz_one "$target" "$seconds" &
    running=$((running + 1))
  done
  while [ $running -gt 0 ]; do
    wait -n || rc=1
    running=$((running - 1))
  done
  [ $rc -eq 0 ] || fuzz_advice
  return $rc
}

# The commands `test`, `lint`, `format` and `sim`.

# The parts of ./dev test: the unit tests of each folder, then the tests that run programs.
# suites.py says in which order they begin.
test_parts="common schedule controller worker simulate client store sim fuzz python tidy system"

# test_targets PART...: prints what to build for these parts. python and tidy need nothing.
test_targets() {
  local part
  if [[ " $* " == *" system "* ]]; then
    echo all
    return
  fi
  for part in "$@"; do
    [[ "$part" =~ ^(python|tidy)$ ]] || echo "test_$part"
  done
}

# build_for_tests TARGET...: builds these with sanitizers, and says where the tests find programs.
# For the tests that need all, it also makes a folder in which the programs that start and end
# thousands of times (commands, supervisors, stepds) have no sanitizers: with them they took 44 % of
# the CPU time of the system tests, most of it to start and end.
build_for_tests() {
  build_preset asan "$@" || return
  export COX_BIN=$PWD/build/asan/bin
  [ "$*" = all ] || return 0
  build_preset plain cox cox-supervisor cox-stepd &&
    rm -rf build/system &&
    mkdir build/system &&
    cp -al build/asan/bin build/system/bin &&
    ln -f build/plain/bin/{cox,cox-supervisor,cox-stepd} build/system/bin || return
  export COX_PLAIN_BIN=$PWD/build/system/bin
}

# run_tests [PART...] [--long]
run_tests() {
  SECONDS=0
  local parts="" is_long="" targets
  while [ $# -gt 0 ]; do
    case $1 in
      --hunt)
        if [ -n "$parts" ]; then
          echo "./dev test: --hunt comes before the tests that it repeats" >&2
          return 2
        fi
        hunt "${@:2}"
        return
        ;;
      --long) is_long=1 && export COX_LONG_TESTS=1 ;;
      tests/*)
        echo "./dev test runs whole parts; run a single test with: ./dev test --hunt 1 $1" >&2
        return 2
        ;;
      unit) parts+=" ${test_parts% tidy system}" ;;
      *)
        if ! [[ " $test_parts " == *" $1 "* ]]; then
          echo "./dev test: there is no part '$1'; the parts are: unit $test_parts" >&2
          return 2
        fi
        parts+=" $1"
        ;;
    esac
    shift
  done
  parts=${parts:-$test_parts}
  need $packages_build $packages_test ${is_long:+$packages_fuzz}
  targets=$(test_targets $parts)
  if [ -n "$targets" ] && ! build_for_tests $targets; then
    echo "the build failed"
    echo "0 passed, 1 failed"
    return 1
  fi
  rm -rf build/results
  local rc=0
  /usr/bin/python3 dev.d/run_tests.py build/results $SECONDS $parts || rc=1
  [ -z "$is_long" ] || run_long_tests "$parts" || rc=1
  return $rc
}

# hunt [N] [TEST...]: repeats tests on a busy machine (dev.d/hunt.py).
hunt() {
  local runs=3
  if [[ "${1:-}" =~ ^[1-9][0-9]*$ ]]; then
    runs=$1
    shift
  fi
  need $packages_build $packages_test
  /usr/bin/python3 dev.d/hunt.py --check "$@" || return 2
  build_for_tests all || return
  rm -rf build/hunt
  COX_PATIENCE=${COX_PATIENCE:-3} /usr/bin/python3 dev.d/hunt.py build/hunt "$runs" "$@"
}

# run_long_tests PARTS: runs what takes too long for every change, if sim and fuzz are among the
# parts: more and longer simulations, and fuzzing.
run_long_tests() {
  local simulated=passed fuzzed=passed
  if [[ " $1 " == *" sim "* ]]; then
    (simulate --seeds 2000) && (simulate --long --seeds 500) || simulated=FAILED
    echo "more simulations, and longer ones: $simulated"
  fi
  if [[ " $1 " == *" fuzz "* ]]; then
    fuzz --minutes 30 || fuzzed=FAILED
    echo "fuzzing: $fuzzed"
  fi
  [ "$simulated $fuzzed" = "passed passed" ]
}

cpp_files() {
  find bench client common controller schedule simulate tests worker \
    \( -name '*.h' -o -name '*.cpp' \) -print0 | sort -z
}

format() {
  need clang-format-14
  cpp_files | xargs -0 clang-format-14 -i
}

lint() {
  need $packages_build $packages_lint
  echo "== formatting"
  cpp_files | xargs -0 clang-format-14 --dry-run -Werror
  echo "== shell"
  local script
  for script in dev dev.d/*.sh .ci/run examples/*.sh tests/packages/* etc/debian/*/*; do
    bash -n "$script"
  done
  echo "== clang"
  cmake -S . -B build/clang -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_COMPILER=clang++-16 > /dev/null
  cmake --build build/clang -j "$(build_jobs)"
  echo "== tidy"
  /usr/bin/python3 -m pytest -q -p no:cacheprovider tests/tidy
}

# Runs the simulator. The options become environment variables that test_sim reads
# (tests/sim/sim_test.cpp).
simulate() {
  local tests='Simulator.HoldsTheInvariantsInEverySeed' only="" without="" jobs=""
  while [ $# -gt 0 ]; do
    case $1 in
      --long) export COX_SIM_LONG=1 COX_SIM_SEEDS=${COX_SIM_SEEDS:-5000} ;;
      --missing) export COX_SIM_MISSING=1 ;;
      --faults) tests='Simulator.FindsEachFaultByTheNameThatItLists' ;;
      --seeds | --seed | --only-fault | --without-fault | --without-job | --planted)
        if [ -z "${2:-}" ]; then
          echo "./dev sim: $1 needs a value" >&2
          return 2
        fi
        case $1 in
          --seeds) export COX_SIM_SEEDS=$2 ;;
          --seed) export COX_SIM_SEED=$2 ;;
          --only-fault) only+=" $2" ;;
          --without-fault) without+=" $2" ;;
          --without-job) jobs+=" $2" ;;
          --planted) export COX_SIM_PLANTED=$2 ;;
        esac
        shift
        ;;
      *)
        echo "./dev sim: unknown option '$1'; ./dev without arguments lists the options" >&2
        return 2
        ;;
    esac
    shift
  done
  export COX_SIM_ONLY_FAULTS=$only COX_SIM_WITHOUT_FAULTS=$without COX_SIM_WITHOUT_JOBS=$jobs
  need $packages_build
  build_preset asan test_sim || return
  build/asan/bin/test_sim --gtest_filter="$tests"
}

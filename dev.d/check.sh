# Testing, linting, formatting, simulating.

# One suite: its results as JUnit XML in build/results; never ends the whole run.
# suite NAME COMMAND...
suite() {
  local name=$1 rc=0
  shift
  echo "== $name"
  "$@" || rc=$?
  [ $rc -eq 0 ] || failed_suites="$failed_suites $name"
}

run_tests() {
  need $packages_build $packages_test
  if ! build_preset asan; then
    echo "it does not build"
    echo "0 passed, 1 failed"
    return 1
  fi
  local results=$PWD/build/results failed_suites=""
  rm -rf "$results"
  mkdir -p "$results"
  export COX_BIN=$PWD/build/asan/bin
  local pytest=(timeout -k 10 3600 /usr/bin/python3 -m pytest -q -p no:cacheprovider)
  GTEST_OUTPUT=xml:$results/ suite unit ctest --test-dir build/asan -j2 --timeout 1800 \
    --no-tests=error --output-on-failure
  suite tidy "${pytest[@]}" --junitxml "$results/tidy.xml" tests/tidy
  if compgen -G 'tests/system/*test*.py' > /dev/null; then
    # Two modules at once, each with clusters of its own: their tests mostly wait.
    suite system "${pytest[@]}" -n2 --dist loadfile --durations=10 \
      --junitxml "$results/system.xml" tests/system
  fi
  [ -z "$failed_suites" ] || echo "failed:$failed_suites"
  /usr/bin/python3 dev.d/count_results.py "$results" $failed_suites
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

# What test_sim reads from its environment (tests/sim/sim_test.cpp).
simulate() {
  local tests='Simulator.HoldsTheInvariantsInEverySeed' only="" without="" jobs=""
  while [ $# -gt 0 ]; do
    case $1 in
      --long) export COX_SIM_LONG=1 COX_SIM_SEEDS=${COX_SIM_SEEDS:-5000} ;;
      --missing) export COX_SIM_MISSING=1 ;;
      --faults) tests='Simulator.ListsItsFaults' ;;
      --seeds | --seed | --only-fault | --without-fault | --without-job | --planted)
        if [ -z "${2:-}" ]; then
          echo "./dev sim: $1 wants a value" >&2
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
        echo "./dev sim: unknown option '$1'; ./dev alone lists them" >&2
        return 2
        ;;
    esac
    shift
  done
  export COX_SIM_ONLY_FAULTS=$only COX_SIM_WITHOUT_FAULTS=$without COX_SIM_WITHOUT_JOBS=$jobs
  need $packages_build
  build_preset asan test_sim
  build/asan/bin/test_sim --gtest_filter="$tests"
}

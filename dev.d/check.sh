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
    suite system "${pytest[@]}" --durations=10 --junitxml "$results/system.xml" tests/system
  fi
  [ -z "$failed_suites" ] || echo "failed:$failed_suites"
  /usr/bin/python3 dev.d/count_results.py "$results" $failed_suites
}

cpp_files() {
  find bench client common controller schedule simulate tests web worker \
    \( -name '*.h' -o -name '*.cpp' \) -print0 2> /dev/null | sort -z
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

simulate() {
  while [ $# -gt 0 ]; do
    case $1 in
      --seeds) export COX_SIM_SEEDS=${2:?--seeds wants a number} ;;
      --seed) export COX_SIM_SEED=${2:?--seed wants a number} ;;
      *)
        echo "./dev sim: unknown option '$1'; there are --seeds N and --seed S" >&2
        return 2
        ;;
    esac
    shift 2
  done
  need $packages_build
  build_preset asan test_sim
  build/asan/bin/test_sim
}

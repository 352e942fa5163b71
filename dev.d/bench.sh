# The command `bench`.

packages_bench="libbenchmark-dev postgresql python3"

bench() {
  case " $* " in
    *" --traces "* | *" --fairness "* | *" --generalise "*) bench_decisions "$@" ;;
    *) bench_all "$@" ;;
  esac
}

# Measures decisions of the scheduler only, which needs no database.
bench_decisions() {
  need $packages_build python3
  build_preset default cox-simulate
  /usr/bin/python3 bench/bench.py --programs build/default/bin "$@"
}

bench_all() {
  need $packages_build $packages_bench
  build_preset default $programs cox-bench cox-noop cox-stamp cox-saver
  case " $* " in *" --peer "*) bench/peers/slurm install ;; esac
  /usr/bin/python3 bench/bench.py --programs build/default/bin "$@"
}

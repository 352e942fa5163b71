# Measuring.

packages_bench="libbenchmark-dev postgresql python3"

bench() {
  need $packages_build $packages_bench
  build_preset default $programs cox-bench cox-noop cox-stamp cox-saver
  case " $* " in *" --peer "*) bench/peers/slurm install ;; esac
  /usr/bin/python3 bench/bench.py --programs build/default/bin "$@"
}

# The command `soak`: random load and random faults on a real cluster, for a given time.

soak() {
  need $packages_build $packages_cluster python3-psycopg2
  build_programs
  COX_BIN=$PWD/build/default/bin /usr/bin/python3 tests/system/soak.py "$@"
}

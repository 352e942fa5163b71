# The command `mutate`: do the unit tests notice small faults? See dev.d/mutate.py.

packages_mutate="python3-clang-16 libclang-16-dev rsync"

mutate() {
  need $packages_build $packages_test $packages_mutate
  nice /usr/bin/python3 dev.d/mutate.py "$@"
}

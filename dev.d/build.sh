# The command `build`. CMakePresets.json has the presets.

programs="cox cox-controller cox-worker cox-supervisor cox-stepd cox-simulate"

# Prints how many compilers may run at once: one per core, but at most one per 3 GB of available
# memory, which the largest unit of tests needs.
build_jobs() {
  local cores by_memory
  cores=$(nproc)
  by_memory=$(awk '/MemAvailable/ {print int($2 / 3000000)}' /proc/meminfo)
  [ "$by_memory" -ge 1 ] || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# build_preset PRESET [TARGET...]
build_preset() {
  local preset=$1
  shift
  echo "building $preset"
  cmake --preset "$preset" --log-level=WARNING > /dev/null &&
    cmake --build "build/$preset" -j "$(build_jobs)" ${1:+--target} "$@"
}

build_programs() {
  need $packages_build
  build_preset default $programs
}

build() {
  case ${1:-default} in
    default) build_programs ;;
    asan)
      need $packages_build
      build_preset asan
      ;;
    *)
      echo "./dev build: there is no preset '$1'; the presets are default and asan" >&2
      return 2
      ;;
  esac
}

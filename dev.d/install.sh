# The commands `install`, `packages` and `packages-test`.

built="$programs cox-manual manual"

install_tree() {
  local prefix=""
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix=*) prefix=${1#*=} ;;
      --prefix)
        prefix=${2-}
        shift
        ;;
      *) break ;;
    esac
    shift
  done
  if [ $# -gt 0 ] || [ -z "$prefix" ]; then
    echo "./dev install: a folder is missing: ./dev install --prefix DIR" >&2
    return 2
  fi
  need $packages_build
  build_preset default $built
  cmake --install build/default --strip --prefix "$(realpath -m "$prefix")" \
    > build/default/install.log
  echo "installed below $prefix, which can be moved as a whole"
}

# Builds the .deb files into build/default/packages.
packages() {
  need $packages_build $packages_package
  build_preset default $built
  rm -rf build/default/packages
  if ! (cd build/default && cpack) > build/default/cpack.log 2>&1; then
    cat build/default/cpack.log >&2
    return 1
  fi
  ls build/default/packages/*.deb
}

# Installs, uses, upgrades and purges the packages in a fresh Debian. Needs root, and takes minutes.
packages_test() {
  need $packages_build $packages_package debootstrap
  build_preset default $built
  as_root tests/packages/run "$PWD/build/default"
}

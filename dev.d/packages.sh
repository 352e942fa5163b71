# The Debian packages that each command needs. Nothing is downloaded if all are installed.

packages_build="g++ cmake ninja-build ccache pkg-config libzmq3-dev cppzmq-dev libmsgpack-cxx-dev
  libpmix-dev libpq-dev libspdlog-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev
  libssl-dev libxxhash-dev libgtest-dev zlib1g-dev mold python3"
packages_cluster="postgresql"
packages_demo="postgresql python3 python3-numpy python3-torch"
packages_clients="clustershell libmpich-dev libopenmpi-dev mpich openmpi-bin parallel
  python3-ipyparallel snakemake"
packages_test="$packages_demo $packages_clients pgtap python3-psycopg2 python3-pytest
  python3-pytest-instafail python3-pytest-timeout python3-pytest-xdist universal-ctags procps
  iproute2 man-db zsh fish"
packages_package="dpkg-dev file"
packages_fuzz="clang-16 libclang-rt-16-dev"
packages_lint="clang-16 clang-format-14 python3-pytest python3-pytest-timeout universal-ctags"

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" < /dev/null
}

# is_installed PACKAGE
is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

# Installs postgresql-common configured so that the server's package does not create and start a
# system cluster.
no_system_cluster() {
  local file=/etc/postgresql-common/createcluster.conf
  apt_get install --no-install-recommends postgresql-common
  as_root sed -i 's/^#* *create_main_cluster *=.*/create_main_cluster = false/' "$file"
  grep -q '^create_main_cluster = false' "$file" ||
    echo 'create_main_cluster = false' | as_root tee -a "$file" > /dev/null
}

# need PACKAGE...: installs the packages that are missing.
need() {
  local package missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! command -v apt-get > /dev/null; then
    echo "./dev: these packages are missing, and there is no apt-get here: ${missing[*]}" >&2
    return 1
  fi
  echo "installing: ${missing[*]}"
  apt_get update
  case " ${missing[*]} " in *" postgresql "*) no_system_cluster ;; esac
  apt_get install --no-install-recommends "${missing[@]}"
}

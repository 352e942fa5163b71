# The command `debian13`: Debian 13 has another compiler and newer libraries than the Debian 12 that
# the other commands expect. Builds, then runs the demo and the unit tests in a chroot,
# build/debian13/root. The chroot and its build folder are kept for the next run.

debian13() {
  local root=$PWD/build/debian13/root
  need mmdebstrap
  [ -d "$root" ] || make_debian13 "$root"
  as_root cp --dereference --remove-destination /etc/resolv.conf "$root/etc/resolv.conf"
  copy_tree_to "$root/coxswain"
  # Mounts and processes end with the namespaces. ./dev installs the packages that are missing.
  as_root unshare --mount --pid --ipc --uts --fork --kill-child sh -ec '
    mount --make-rprivate /
    mount -t proc proc "$1/proc"
    mount --rbind /sys "$1/sys"
    mount --rbind /dev "$1/dev"
    mount -t tmpfs tmpfs "$1/dev/shm"
    mount -t tmpfs tmpfs "$1/run"
    exec chroot "$1" env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      sh -ec "cd /coxswain; ./dev build; ./dev demo; ./dev test unit"' - "$root"
}

# make_debian13 ROOT: makes the chroot. ROOT exists only once it is complete.
make_debian13() {
  mkdir -p "$(dirname "$1")"
  as_root rm -rf --one-file-system "$1.new"
  as_root mmdebstrap --variant=minbase --include=ca-certificates trixie "$1.new" \
    "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
  as_root mv "$1.new" "$1"
}

# copy_tree_to FOLDER: copies the sources. Keeps FOLDER/build, so that builds are incremental.
copy_tree_to() {
  as_root mkdir -p "$1"
  as_root find "$1" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
  tar -c --exclude=./build --exclude-vcs . | as_root tar -x --no-same-owner -C "$1"
}


options='--root --any-system --packages --ccache --skip'

usage() {
  cat <<END
Usage: run.sh $places [OPTION…] [STEP]…

Cross compiles $subject on this machine, as root, with the compiler of $system. $tree_text
WORK is a directory for everything that run.sh creates; wheels are in WORK/dist. Run it again to
resume after an interruption.

  --root DIR     the board's root, unpacked, which is only read: its headers and libraries are used instead of those of
                 $system
  --any-system   accept a root of a system other than $system
END
  root_usage
}

needs_emulator() {
  false
}

check_machine() {
  builder=$(dpkg --print-architecture 2>/dev/null) || lack "'dpkg' not found: use a Debian or Ubuntu system"
  [ "$builder" != "$debian_arch" ] || lack "this machine is $arch like the board: use the recipe 'chroot' or 'native'"
  if [ -n "$root_directory" ] && [ -n "$cuda" ]; then
    lack "--root: CUDA needs the headers and libraries of $system: omit --root"
  elif [ -n "$root_directory" ]; then
    check_root "$root_directory"
  fi
  check_bootstrap root
}

# What is linked needs the newest of the versions that the compiler's libraries have. It is read within the builder's root, and no
# link that leads out of TOP is followed: DIRECTORY may be a stranger's. What is no file, or too large for a C library, is not read.
newest() { # PREFIX NAME TOP DIRECTORY…
  # shellcheck disable=SC2016  # the shell in the root expands it
  inside "$work/root" 0:0 sh -c 'prefix=$1 name=$2 top=$3
    shift 3
    find "$@" -name "$name" 2>/dev/null | while read -r file; do
      file=$(readlink -f "$file")
      case $file in "$top"/*) ;; *) continue ;; esac
      find "$file" -type f -size -131072 -exec grep -a -o "$prefix[0-9.]*[0-9]" {} \;
    done' sh "$@" | sort -V | tail -n 1
}

compare_library() { # PREFIX NAME
  have=$(newest "$1" "$2" /usr "/usr/$triplet/lib")
  want=$(newest "$1" "$2" /sysroot /sysroot/usr/lib /sysroot/lib)
  [ -n "$want" ] || fail "'$root_directory' has no $2 with versions"
  [ "$(printf '%s\n%s\n' "$have" "$want" | sort -V | tail -n 1)" = "$want" ] ||
    fail "the compiler of $system has $have, '$root_directory' has $want: the result would not load there (issue glibc-too-new)"
}

use_root() {
  check_root "$root_directory"
  end_checks
  mkdir -p "$work/root/sysroot"
  bind "$root_directory" "$work/root/sysroot" ro
  compare_library GLIBC_ libc.so.6
  compare_library GLIBCXX_ libstdc++.so.6
}

# Ubuntu keeps the packages of other machines than PCs on another server. The list is read and written inside the root, so
# that no link can lead to the machine's own.
name_servers() {
  [ "$distribution" = ubuntu ] || return 0
  list=$(inside "$work/root" 0:0 cat /etc/apt/sources.list)
  case $list in *'deb ['*) return 0 ;; esac
  server=http://ports.ubuntu.com/ubuntu-ports
  [ "$debian_arch" != amd64 ] || server=http://archive.ubuntu.com/ubuntu
  { printf '%s\n' "$list" | sed "s/^deb /deb [arch=$builder] /" &&
    printf 'deb [arch=%s] %s %s main universe\n' "$debian_arch" "$server" "$suite"; } |
    inside "$work/root" 0:0 sh -c 'cat >/etc/apt/sources.list'
}

# Takes from a package of the board what can lie beside this machine's. COMMAND runs where the package is unpacked.
unpack_package() { # PACKAGE COMMAND
  [ ! -f "$work/root/$1-$debian_arch" ] || return 0
  change_packages "$work/root" with_network "$work/root" sh -c "set -e
    rm -rf /var/tmp/package
    mkdir -p /var/tmp/package
    cd /var/tmp/package
    apt-get download -qq $1:$debian_arch
    dpkg-deb -x ./*.deb files
    $2
    rm -rf /var/tmp/package
    : >/$1-$debian_arch" >"$work/apt.log" 2>&1 ||
    fail "$1 for $debian_arch could not be downloaded: $(tail -n 1 "$work/apt.log") (full log: $work/apt.log)"
}

# NumPy's headers have the sizes of the machine's types in them.
install_numpy_headers() {
  unpack_package python3-numpy "cp -r files/usr/lib/python3/dist-packages/numpy/core/include /usr/lib/python3/dist-packages/numpy/core/"
}

# Links take the place of Debian's alternatives, so that no library is asked for by a path.
install_openmpi() {
  unpack_package "$openmpi" "apt-get install -y -qq --no-install-recommends \
      \$(dpkg-deb -f ./*.deb Depends | grep -o 'libopenmpi[0-9][0-9a-z]*' | head -n 1):$debian_arch
    cp -a files/usr /
    for library in /usr/lib/$triplet/openmpi/lib/libmpi.so /usr/lib/$triplet/openmpi/lib/libmpi_cxx.so; do
      [ ! -e \$library ] || ln -sf \$library /usr/lib/$triplet/
    done"
}

# Debian's CUDA is in non-free, and what it depends on in contrib.
name_components() {
  [ -n "$cuda" ] || return 0
  inside "$work/root" 0:0 sed -i '/ non-free/!s/ main$/ main contrib non-free/' /etc/apt/sources.list
}

# The package of the board that has nvcc's libraries cannot lie beside this machine's: some headers differ. FindCUDA looks for everything
# in one folder, and for what is the board's in its targets/; Debian has it all over /usr. A header has a link of its own: of one to
# /usr/include the compiler would take its own directory for a second one of CUDA's, and leave it out.
install_cuda() {
  inside "$work/root" 0:0 apt-get clean # 2 GB
  unpack_package nvidia-cuda-dev "cuda=/usr/local/cuda target=/usr/local/cuda/targets/aarch64-linux libraries=/usr/lib/$triplet
    rm -rf \$cuda
    mkdir -p \$cuda/bin \$target/lib
    find files\$libraries -name '*_static*.a' ! -name libcudart_static.a -delete
    for file in files\$libraries/*.so files\$libraries/*.a files\$libraries/stubs; do
      cp -a \$file \$libraries/
      ln -s \${file#files} \$target/lib/
    done
    cp -r files/usr/include \$target/
    dpkg -L nvidia-cuda-toolkit nvidia-cuda-dev libcupti-dev libthrust-dev | grep -E '^/usr/include/[^/]+\$' | while read -r file; do
      [ -e \$target/include/\${file##*/} ] || ln -s \$file \$target/include/
    done
    dpkg -L nvidia-cuda-toolkit | grep -E '^/usr/bin/[^/]+\$' | xargs ln -s -t \$cuda/bin
    ln -sf /recipe/bin/nvcc \$cuda/bin/nvcc
    sed -i 's|-L/usr/lib/[^/ ]*|-L\$libraries|g' /etc/nvcc.profile # or CMake links libraries of this machine
    ln -s targets/aarch64-linux/include \$cuda/include
    ln -s targets/aarch64-linux/lib \$cuda/lib64"
}

make_roots() {
  builder=$(dpkg --print-architecture)
  bootstrap root "$builder"
  furnish "$work/root"
  name_servers
  name_components
  inside "$work/root" 0:0 dpkg --add-architecture "$debian_arch"
  # shellcheck disable=SC2086  # lists
  install_packages "$work/root" $packages $cross_packages ${ccache:+ccache}
  install_cmake "$work/root"
  install_numpy_headers
  [ -z "$cuda" ] || install_cuda
  [ -z "$openmpi" ] || install_openmpi
  [ -z "$root_directory" ] || use_root
}

compile() {
  set -- sh /recipe/cross.sh
  eval "set -- \"\$@\" $components $skipped"
  inside "$work/root" "$owner" ${ccache:+CCACHE_DIR=/ccache} ${MAX_JOBS:+"MAX_JOBS=$MAX_JOBS"} "$@"
}

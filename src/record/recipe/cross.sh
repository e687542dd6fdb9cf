
say() {
  printf 'cross.sh: %s\n' "$1" >&2
}

# Runs a command with its output in `log`, and shows the end of that where it fails.
logged() {
  "$@" >>log 2>&1 || {
    tail -n 20 log >&2
    exit 1
  }
}

# Programs that run during the build are for this machine: protoc, and what generates SLEEF's headers.
build_protoc() {
  [ ! -x /tools/bin/protoc ] || return 0
  say "building protoc for this machine; log: WORK/tools/protoc/log"
  mkdir -p /tools/protoc /tools/bin
  cd /tools/protoc
  logged cmake -G Ninja -DCMAKE_BUILD_TYPE=Release -Dprotobuf_BUILD_TESTS=OFF -Dprotobuf_WITH_ZLIB=OFF \
    -Dprotobuf_BUILD_SHARED_LIBS=OFF /tree/pytorch/third_party/protobuf/cmake
  logged ninja protoc
  cp -L protoc /tools/bin/protoc.part
  mv /tools/bin/protoc.part /tools/bin/protoc
}

build_sleef_tools() {
  [ -d /tree/pytorch/third_party/sleef ] || return 0
  [ ! -f /tools/sleef/done ] || return 0
  say "building SLEEF's tools for this machine; log: WORK/tools/sleef/log"
  mkdir -p /tools/sleef
  cd /tools/sleef
  logged cmake -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTS=OFF -DBUILD_DFT=OFF -DBUILD_QUAD=OFF -DDISABLE_OPENMP=ON \
    -DSLEEF_BUILD_TESTS=OFF -DSLEEF_BUILD_DFT=OFF -DSLEEF_DISABLE_OPENMP=ON \
    /tree/pytorch/third_party/sleef
  ninja -t targets all | sed -n 's/^\(mk[a-z_]*\): phony$/\1/p' >tools
  # shellcheck disable=SC2046  # words
  logged ninja $(cat tools)
  : >/tools/sleef/done
}

# Python runs on this machine and answers as the board's would: suffix of modules, platform, compilers.
target_python() {
  for data in /sysroot/usr/lib/python"$python"/_sysconfigdata_*linux_"$triplet".py /usr/lib/python"$python"/_sysconfigdata_*linux_"$triplet".py; do
    [ -f "$data" ] || continue
    mkdir -p /tools/python
    cp "$data" /tools/python/
    _PYTHON_SYSCONFIGDATA_NAME=$(basename "$data" .py)
    _PYTHON_HOST_PLATFORM=linux-$arch
    PYTHONPATH=/tools/python:/recipe/python
    export _PYTHON_SYSCONFIGDATA_NAME _PYTHON_HOST_PLATFORM PYTHONPATH
    return
  done
  say "error: no Python $python configuration for $triplet: is the board's libpython$python-dev installed?"
  exit 1
}

# What the board's compiler takes by default: torch asks a program for the board, which runs only where qemu is registered.
default_cxx_abi() {
  if grep -q '^export _GLIBCXX_USE_CXX11_ABI=' /tree/torchpatch/build.env; then return 0; fi
  abi=$(echo '#include <string>' | "$CXX" -E -dM -x c++ - | sed -n 's/^#define _GLIBCXX_USE_CXX11_ABI \([01]\)$/\1/p')
  [ -n "$abi" ] || return 0
  _GLIBCXX_USE_CXX11_ABI=$abi
  export _GLIBCXX_USE_CXX11_ABI
}

main() {
  if [ -n "${CCACHE_DIR:-}" ]; then PATH=/usr/lib/ccache:$PATH; fi
  export PATH
  case $* in
    torch:configure | 'torch:configure --skip '*) ;; # which runs none of them
    *)
      build_protoc
      build_sleef_tools
      ;;
  esac
  target_python
  PATH=/recipe/bin:$PATH
  CMAKE_TOOLCHAIN_FILE=/recipe/toolchain.cmake
  CC=$triplet-gcc
  CXX=$triplet-g++
  TORCHPATCH_KEEP_ENV=1
  TORCHPATCH_ANSWERS=/recipe/answers
  export TORCHPATCH_ANSWERS PATH CMAKE_TOOLCHAIN_FILE CC CXX TORCHPATCH_KEEP_ENV
  if [ -n "$cuda" ]; then
    # All that FindCUDA reads in a cross build, and what extensions read.
    CUDA_TOOLKIT_ROOT=/usr/local/cuda
    CUDA_HOME=/usr/local/cuda
    export CUDA_TOOLKIT_ROOT CUDA_HOME
  fi
  default_cxx_abi
  # The network is cut off already, and the packages of this root are those of the tree's system.
  exec sh /tree/torchpatch/build.sh --online "$@"
}

main "$@"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds PyTorch 1.1.0 for tx2 (jetpack-3.3). Written by torchpatch; manifest.json describes the build.
set -eu
CDPATH=''

# This script's own variables have small letters, those of a build capitals: so none of the former comes from the environment, nor
# goes there. Only the proxies have small letters, too. bash outside of its POSIX mode prints "declare".
for name in $(export -p | LC_ALL=C sed -n -e 's/^export \([a-z][a-z0-9_]*\)=.*/\1/p' -e 's/^declare -x \([a-z][a-z0-9_]*\)=.*/\1/p'); do
  case $name in *_proxy) ;; *) unset "$name" ;; esac
done

usage() {
  cat <<'END'
Usage: build.sh [OPTION]... [torch|torch:configure|torch:build|torch:wheel|torch:test|vision|audio]...

Checks this host, then builds the wheel of each named component and puts it into dist/ next to the components, with its
log. By default it builds each component whose wheel does not exist yet, so an interrupted run resumes where it stopped.
torch:configure only runs CMake for torch, torch:build only compiles torch, torch:wheel does the steps after that.
torchvision and torchaudio are built against the torch in dist/ or, if there is none, against the installed one.
torch:test compares some 290 operators of that torch with known results (numerics.py; 5 to 20 minutes). Nothing is
downloaded.

Options:
  --skip NAME        ignore a check; a failed check shows its name
  --install          install each wheel with pip (only the wheel, not its dependencies)
  --test             run torch:test at the end
  --offline          build without a network: the default if a network namespace can be created. If DISTCC_HOSTS is
                     set, only compiling can use the network
  --online           let the build use the network
  --swap MIB[:FILE]  as root: add swap in FILE (dist/swap) while this runs

Variables:
  PYTHON                    the Python to build with
  MAX_JOBS                  number of compile jobs (default: by CPUs and memory, see build.env)
  TORCHPATCH_KEEP_ENV=1     variables that are already set override build.env

If a build fails and torchpatch is in PATH, 'torchpatch diagnose' lists the known issues that match its log.
Exit status: 0 built, 1 refused or failed, 2 wrong usage.
END
}

say() {
  printf 'build.sh: %s\n' "$1" >&2
}

fail() {
  printf 'build.sh: error: %s\n' "$1" >&2
  exit 1
}

misuse() {
  printf 'build.sh: error: %s; see --help\n' "$1" >&2
  exit 2
}

# $1: how many words are left, $2: the option.
need_value() {
  [ "$1" -gt 1 ] || misuse "$2 needs a value"
}

read_options() {
  install=0 wants_test='' network='' skipped='' swap_mib=0 swap_file='' steps=''
  while [ "$#" -gt 0 ]; do
    case $1 in
      -h | --help)
        usage
        exit 0
        ;;
      --install) install=1 ;;
      --test) wants_test=1 ;;
      --offline | --online) network=$1 ;;
      --skip)
        need_value "$#" "$1"
        skip_check "$2"
        shift
        ;;
      --swap)
        need_value "$#" "$1"
        read_swap "$2"
        shift
        ;;
      torch) add_steps torch torch:build torch:wheel ;;
      torch:configure | torch:build | torch:wheel | torch:test) add_steps torch "$1" ;;
      vision | audio) add_steps "$1" "$1" ;;
      *) misuse "unknown option or component '$1'" ;;
    esac
    shift
  done
}

skip_check() {
  requirements | awk -F '\t' -v name="$1" '$2 == name { found = 1 } END { exit !found }' ||
    misuse "unknown check '$1'; choose from: $(requirements | awk -F '\t' '!seen[$2]++ { printf "%s%s", space, $2; space = " " }')"
  skipped="$skipped $1"
}

read_swap() {
  swap_mib=${1%%:*}
  case $1 in *:*) swap_file=${1#*:} ;; esac
  case $swap_mib in '' | *[!0-9]* | 0*) misuse "--swap: '$1' is not MIB or MIB:FILE" ;; esac
  case ${swap_file:-/} in /*) ;; *) swap_file=$PWD/$swap_file ;; esac
}

# $1: a component, then its steps.
add_steps() {
  case $components in
    *" $1 "*) ;;
    *) misuse "this tree does not contain $1, only:$components" ;;
  esac
  shift
  steps="$steps $*"
}

enter_tree() {
  case ${PYTHON:-} in
    /*) ;;
    */*) PYTHON=$PWD/$PYTHON ;;
  esac
  case $0 in
    */*) cd -P -- "${0%/*}/.." ;;
    *) cd -P .. ;;
  esac
  root=$PWD
  [ -f "$root/torchpatch/build.env" ] || fail "run this script where torchpatch wrote it"
}

# setup.py asks git for HEAD and records the answer. A repository that happens to lie around this tree must not answer.
hide_git() {
  GIT_CEILING_DIRECTORIES=$root
  export GIT_CEILING_DIRECTORIES
  unset GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE
}

# ---- Compares this host with the needs of the build: the same lines in build.sh and check.sh. They fetch
# nothing; what they compile lies in $probes and is not run.

# CC and CXX may be several words.
c_compiler() { ${CC:-cc} "$@"; }
cxx_compiler() { ${CXX:-c++} "$@"; }

# Python runs in / so that it imports nothing of the tree.
host_python() { (cd / && "${PYTHON:-$default_python}" "$@"); }

# importlib.metadata came with Python 3.8.
package_version='
import sys
try:
    from importlib.metadata import version
except ImportError:
    from pkg_resources import get_distribution
    version = lambda name: get_distribution(name).version
print(version(sys.argv[1]))'

# setuptools has the command itself from 70.1 on.
import_bdist_wheel='
try:
    import wheel.bdist_wheel
except ImportError:
    import setuptools.command.bdist_wheel'

machine_of() {
  case $1 in
    aarch64* | arm64*) echo aarch64 ;;
    arm*) echo armv7l ;;
    i?86*) echo i686 ;;
    *) echo "${1%%-*}" ;;
  esac
}

# What the compiler replaces macros of <limits.h>, or its own, by.
macros() {
  printf '#include <limits.h>\n%s\n' "$*" | c_compiler -E -P -x c - | awk 'NF { last = $0 } END { print last }'
}

# The C library that the compiler links; that of the system where there is no compiler.
libc_version() {
  version=$(macros __GLIBC__ __GLIBC_MINOR__ | tr ' ' .)
  case $version in
    [0-9]*) echo "$version" ;;
    *) getconf GNU_LIBC_VERSION | awk '{ print $2 }' ;;
  esac
}

# "64-bit aarch64". A Python that was not packaged may not know its machine: then it counts as the wanted one, $1.
python_abi() {
  bits=$(host_python -c 'import struct; print(struct.calcsize("P") * 8)') &&
    triplet=$(host_python -c 'import sysconfig; print(sysconfig.get_config_var("MULTIARCH") or "")') &&
    echo "$bits-bit $(machine_of "${triplet:-${1#* }}")"
}

# Where builds look for it.
cuda_compiler() { env "PATH=${CUDA_HOME:+$CUDA_HOME/bin:}$PATH:/usr/local/cuda/bin" nvcc "$@"; }

# The version of cuDNN's headers, where builds look for them: cudnn_version.h since 8, cudnn.h before.
cudnn_version() {
  triplet=$(c_compiler -dumpmachine)
  for place in "${CUDNN_INCLUDE_DIR:-}" "${CUDNN_INCLUDE_PATH:-}" "${CUDNN_ROOT_DIR:+$CUDNN_ROOT_DIR/include}" \
    "${CUDNN_ROOT:+$CUDNN_ROOT/include}" "${CUDA_HOME:+$CUDA_HOME/include}" /usr/local/cuda/include /usr/include \
    "/usr/include/$triplet"; do
    for header in "${place:-/}"/cudnn_version.h "${place:-/}"/cudnn.h; do
      [ -r "$header" ] || continue
      version=$(awk '$1 == "#define" && $2 ~ /^CUDNN_(MAJOR|MINOR|PATCHLEVEL)$/ { printf "%s%s", dot, $3; dot = "." }' "$header")
      [ -z "$version" ] || { echo "$version" && return; }
    done
  done
}

# Sets found and verdict to what nvcc says of the gcc that the build has it use: CUDAHOSTCXX, else variable $1, else its own
# choice. The header that refuses compilers is read as nvcc does, with what the compiler defines. A clang is not judged.
judge_nvcc_compiler() {
  compiler=${CUDAHOSTCXX:-} variable=$1
  [ -n "$compiler" ] || [ "$variable" = - ] || eval "compiler=\${$variable:-cc}"
  compiler=${compiler##* } wanted='a gcc that nvcc accepts' source="CUDA $(host_value cuda)"
  TMPDIR=$probes cuda_compiler ${compiler:+-ccbin "$compiler"} -E -Xcompiler -dM -x c++ -D__CUDACC__ --pre-include crt/host_config.h /dev/null \
    >"$probes/nvcc" 2>"$probes/nvcc.errors" || :
  found=$(awk '$2 ~ /^__(GNUC|GNUC_MINOR|GNUC_PATCHLEVEL|clang_major)__$/ { value[$2] = $3 }
    END {
      if ("__clang_major__" in value) print "clang " value["__clang_major__"]
      else if ("__GNUC__" in value) print value["__GNUC__"] "." value["__GNUC_MINOR__"] "." value["__GNUC_PATCHLEVEL__"]
    }' "$probes/nvcc")
  newest=$(sed -n 's/.*gcc versions later than \([0-9.]*[0-9]\).*/\1/p' "$probes/nvcc.errors" | head -n 1)
  if [ -n "$compiler" ] && ! command -v "$compiler" >/dev/null; then
    verdict='not found'
  elif [ -z "$found" ]; then
    verdict=unknown
  elif [ -n "$newest" ]; then
    verdict='too new' wanted="<=$newest" advice="install g++-${newest%%.*}, then set CUDAHOSTCXX=/usr/bin/g++-${newest%%.*}"
  fi
}

# What this host has, as text; nothing if unknown.
host_value() {
  case $1 in
    arch) machine_of "$(c_compiler -dumpmachine)" ;;
    kernel) machine_of "$(uname -m)" ;;
    os)
      # shellcheck source=/dev/null
      (. /etc/os-release && if [ -e /etc/rpi-issue ]; then ID=raspios; fi && echo "$ID-$VERSION_ID")
      ;;
    glibc) libc_version ;;
    gcc) c_compiler -dumpfullversion -dumpversion ;;
    cmake) cmake --version | awk 'NR == 1 { print $3 }' ;;
    ninja) ninja --version ;;
    cuda) cuda_compiler --version | sed -n 's/.*release \([0-9.]*\).*/\1/p' ;;
    cudnn) cudnn_version ;;
    python) host_python -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' ;;
    python-abi) python_abi "$2" ;;
    memory) awk '/^(MemTotal|SwapTotal):/ { mib += $2 / 1024 } END { print int(mib) }' /proc/meminfo ;;
    disk) # devices and places may have blanks in their names
      df -Pk . | awk 'NR == 2 { for (i = 2; i <= NF; ++i) if ($i ~ /^[0-9]+%$/) { print int($(i - 1) / 1024); exit } }'
      ;;
    *) host_python -c "$package_version" "$1" ;;
  esac 2>/dev/null
}

# What code for the CPU may use, as the compiler sees it with the flags given. Compilers emit nothing for coprocessors, which
# ARMv8 has fewer of than ARMv7.
cpu_features() {
  c_compiler "$@" -dM -E -x c /dev/null >"$probes/macros" 2>/dev/null || return
  awk 'sub(/^__ARM_FEATURE_/, "", $2) && $2 != "COPROC" { print $2 }' "$probes/macros"
}

# The features that CFLAGS and CXXFLAGS turn on and a CPU with the flags $1 has not.
features_beyond() {
  # shellcheck disable=SC2086 # several flags
  cpu_features $1 >"$probes/board" || return
  # shellcheck disable=SC2086
  { cpu_features ${CFLAGS:-} && cpu_features ${CXXFLAGS:-}; } >"$probes/flags" || return
  awk 'kind == 1 { board[$0]; next }
    !($0 in board) && !seen[$0]++ { printf "%s%s", space, $0; space = " " }' kind=1 "$probes/board" kind=2 "$probes/flags"
}

# Whether main with body $3, below header $2, links by compiler $1 with the further words, which name the library. Looks
# where CMAKE_PREFIX_PATH and OpenBLAS_HOME say, too.
can_link() {
  compiler=$1 program=$probes/probe.cc
  [ "$compiler" != c_compiler ] || program=$probes/probe.c
  printf '#include <%s>\nint main(void) { %s }\n' "$2" "$3" >"$program"
  shift 3
  for prefix in $(echo "${CMAKE_PREFIX_PATH:-} ${OpenBLAS_HOME:-}" | tr ':;' '  '); do
    set -- "-I$prefix/include" "-L$prefix/lib" "$@"
  done
  "$compiler" "$program" -o "$probes/probe" "$@" >/dev/null 2>&1
}

mpi_compiler() { ${MPICXX:-mpicxx} "$@"; }

library_links() {
  case $1 in
    BLAS) can_link c_compiler cblas.h 'return (int)cblas_sdot(0, 0, 0, 0, 0);' -I/usr/include/openblas -lopenblas ;;
    USE_FFMPEG) can_link c_compiler libavcodec/avcodec.h 'return (int)avcodec_version();' -lavcodec ;;
    USE_GFLAGS) can_link cxx_compiler gflags/gflags.h 'gflags::SetUsageMessage("");' -lgflags ;;
    USE_GLOG) can_link cxx_compiler glog/logging.h 'google::FlushLogFiles(0);' -lglog ;;
    USE_LEVELDB) can_link cxx_compiler leveldb/db.h 'leveldb::Options options;' -lleveldb -lsnappy ;;
    USE_LMDB) can_link c_compiler lmdb.h 'return mdb_env_create(0);' -llmdb ;;
    USE_MKLDNN_ACL)
      set -- "${ACL_ROOT_DIR:-/usr}"
      can_link cxx_compiler arm_compute/runtime/Scheduler.h 'arm_compute::Scheduler::get();' \
        "-I$1" "-I$1/include" "-L$1/build" "-L$1/lib" -larm_compute
      ;;
    USE_MPI) can_link mpi_compiler mpi.h 'return MPI_Init(0, 0);' ;;
    USE_NUMA) can_link c_compiler numa.h 'return numa_available();' -lnuma ;;
    USE_OPENCV) can_link cxx_compiler opencv2/core/core.hpp 'cv::Mat(1, 1, CV_8U);' -I/usr/include/opencv4 -lopencv_core ;;
    USE_REDIS) can_link c_compiler hiredis/hiredis.h 'redisFree(0);' -lhiredis ;;
    USE_ROCKSDB) can_link cxx_compiler rocksdb/db.h 'rocksdb::Options options;' -lrocksdb ;;
    USE_ZMQ) can_link c_compiler zmq.h 'return !zmq_ctx_new();' -lzmq ;;
    sox) can_link c_compiler sox.h 'return sox_init();' -lsox ;;
  esac
}

# Whether the build uses the library of requirement $1.
uses_library() {
  case $1 in
    BLAS) [ "${BLAS:-}" = OpenBLAS ] ;;
    sox) ! is_on "${BUILD_SOX:-0}" ;;
    *) eval "is_on \"\${$1:-0}\"" ;;
  esac
}

is_on() {
  case $1 in
    1 | [Oo][Nn] | [Yy] | [Yy][Ee][Ss] | [Tt][Rr][Uu][Ee]) ;;
    *) return 1 ;;
  esac
}

# Whether all files, or submodules, are there now that component directory $1 lacked when the tree was prepared.
has_sources() {
  missing_sources | while IFS= read -r path; do
    case $2:$path in
      submodules:"$1"/*/) [ -n "$(ls -A -- "$path" 2>/dev/null)" ] || exit 1 ;;
      files:"$1"/*[!/]) if [ ! -e "$path" ] && [ ! -L "$path" ]; then exit 1; fi ;;
    esac
  done
}

works() {
  case $1 in
    *-submodules | *-files) has_sources "${1%-*}" "${1##*-}" ;;
    make) command -v ninja || command -v make ;;
    python-headers)
      host_python -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))'
      ;;
    python-specs)
      host_python -c 'import os, sys, sysconfig
files = [flag[7:] for flag in (sysconfig.get_config_var("CFLAGS") or "").split() if flag.startswith("-specs=/")]
sys.exit(not all(map(os.path.exists, files)))'
      ;;
    wheel) host_python -c "$import_bdist_wheel" ;;
    flags)
      echo 'int main(void) { return 0; }' >"$probes/flags.c"
      # shellcheck disable=SC2086 # several flags
      c_compiler ${CFLAGS:-} -c "$probes/flags.c" -o "$probes/flags.o" &&
        cxx_compiler ${CXXFLAGS:-} -x c++ -c "$probes/flags.c" -o "$probes/flags.o"
      ;;
  esac >/dev/null 2>&1
}

# Whether requirement $1, of kind $2 and for component $3, is none of this build's. A toolchain file says which compiler
# CMake takes: unless CC says so, too, nothing is known of it here.
is_left_out() {
  case " $skipped " in *" $1 "*) return 0 ;; esac
  case "- $selected " in *"$3"*) ;; *) return 0 ;; esac
  if [ "$2" = library ] && ! uses_library "$1"; then return 0; fi
  # Where the compiler is not one for the tree's machine, check arch alone says so.
  if [ "$1" = kernel ] && [ "$(host_value arch)" != "$wanted" ]; then return 0; fi
  case $1 in
    cuda | cudnn | nvcc-gcc) if is_on "${NO_CUDA:-0}" || ! is_on "${USE_CUDA:-1}"; then return 0; fi ;;
  esac
  if [ "$1" = cudnn ] && { is_on "${NO_CUDNN:-0}" || ! is_on "${USE_CUDNN:-1}"; }; then return 0; fi
  # Without nvcc, check cuda alone says so.
  if [ "$1" = nvcc-gcc ] && [ -z "$(host_value cuda)" ]; then return 0; fi
  [ -n "${CMAKE_TOOLCHAIN_FILE:-}" ] || return 1
  case $1 in cudnn | nvcc-gcc | kernel | python-abi) return 0 ;; esac
  [ -z "${CC:-}" ] || return 1
  case $1 in arch | glibc | gcc | flags | cpu) return 0 ;; esac
  [ "$2" = library ]
}

# The last of the steps of tool $1 that begins at version $2 or below: verdict, grade, issue, advice.
step_of() {
  host_steps | awk -F '\t' -v name="$1" -v version="$2" '
    function compare(a, b,    i, left, right) {
      split(a, left, ".")
      split(b, right, ".")
      for (i = 1; i <= 6; ++i) if (left[i] + 0 != right[i] + 0) return left[i] - right[i]
      return 0
    }
    $1 == name && compare(version, $2) >= 0 { last = $3 FS $4 FS $5 FS $6 }
    END { print last }'
}

# Sets found, verdict and, where they depend on what was found, grade, issue and advice of the requirement.
judge() {
  verdict=ok
  case $kind in
    works) works "$name" || verdict='not found' ;;
    import) host_python -c 'import sys; __import__(sys.argv[1])' "$wanted" >/dev/null 2>&1 || verdict='not found' ;;
    library) library_links "$name" || verdict='does not compile and link' ;;
    nvcc) judge_nvcc_compiler "$wanted" ;;
    cpu)
      found=$(features_beyond "$wanted") || found='' verdict=unknown
      [ -z "$found" ] || verdict='beyond the board'
      ;;
    *)
      found=$(host_value "$name" "$wanted") || found=''
      if [ -z "$found" ]; then verdict='not found'; else judge_value; fi
      ;;
  esac
  case $kind-$verdict in
    *-unknown | package-not*) grade=WARN ;;
  esac
}

judge_value() {
  case $kind in
    same) [ "$found" = "$wanted" ] || verdict=differs ;;
    size)
      [ "$name" != memory ] || found=$((found + swap_mib))
      [ "$found" -ge "$wanted" ] || verdict='too little'
      ;;
    *)
      IFS='	' read -r verdict grade issue advice <<END
$(step_of "$name" "$found")
END
      ;;
  esac
}

# Whether the Python here is unusable: then nothing that belongs to it is checked.
is_wrong_python() {
  case " $skipped " in *' python '*) return 1 ;; esac
  [ -n "$(step_of python 0)" ] || return 1
  version=$(host_value python) || version=''
  case $(step_of python "${version:-0}") in *'	FAIL	'*) ;; *) return 1 ;; esac
}

belongs_to_python() {
  case $1-$2 in package-* | import-* | *-wheel | *-python-*) ;; *) return 1 ;; esac
}

# Sets what the build would have: build.env, and with TORCHPATCH_KEEP_ENV=1 what was set before.
load_environment() {
  kept=''
  # bash outside of its POSIX mode prints "declare", which in a function sets what ends with it.
  # Its options cannot be set.
  if [ "${TORCHPATCH_KEEP_ENV:-0}" = 1 ]; then
    kept=$(POSIXLY_CORRECT=1 && export -p | sed '/^export \(BASHOPTS\|SHELLOPTS\)=/d')
  fi
  # shellcheck source=/dev/null
  . "$root/torchpatch/build.env"
  eval "$kept"
  PYTHON=${PYTHON:-$default_python}
  # The CMake that pip installed there.
  if [ -f "${PYTHON%/*}/../pyvenv.cfg" ]; then PATH=${PYTHON%/*}:$PATH; fi
  export PYTHON PATH
}

# Why this tree cannot be built where it lies, whatever the host is, in lines as those of host_findings.
place_findings() {
  case $root in *:*) refused_place path 'a colon' 'a path without colons (GIT_CEILING_DIRECTORIES)' 'move the tree' ;; esac
  [ -w "$root" ] || refused_place write 'a directory that this user cannot write to' 'one that build.sh can write to' 'copy the tree, or change its owner'
  command -v tee >/dev/null || refused_place tee nothing 'tee, for the logs' 'install coreutils'
  sample=$(stand_in)
  [ -z "$sample" ] || refused_place sources "$sample" PyTorch "prepare the tree without '--source sample'"
}

refused_place() { # NAME FOUND WANTED ADVICE
  printf 'FAIL\t%s\t%s\tdiffers\t%s\t-\t%s\t-\n' "$@"
}

# A line per requirement, its fields between tabs: OK, WARN or FAIL, name, what was found or -, verdict, what is needed and
# by whom, known issue or -, what to do, what would install it or -. 'torchpatch doctor' reads these lines, too.
host_findings() {
  wrong_python=''
  ! is_wrong_python || wrong_python=1
  requirements | while IFS='	' read -r kind name wanted grade component issue source advice words; do
    if is_left_out "$name" "$kind" "$component"; then continue; fi
    if [ -n "$wrong_python" ] && belongs_to_python "$kind" "$name"; then continue; fi
    found=''
    judge
    case $kind in
      version | package) wants=$source ;;
      size) wants=">=$wanted MiB ($source)" found=${found:+$found MiB} ;;
      *) wants="$wanted ($source)" ;;
    esac
    [ "$verdict" != ok ] || grade=OK
    case $grade:$advice in
      OK:* | *:'in a virtual'*) ;;
      *' -m pip install '*) ! is_managed_python || advice="in a virtual environment: $advice" ;;
    esac
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$grade" "$name" "${found:--}" "$verdict" "$wants" "$issue" "$advice" "$words"
  done
}

# Sets width to the columns of the terminal that is descriptor $1; without one, 80.
set_width() {
  width=''
  if [ -t "$1" ] && stty size <&"$1" >"$probes/size" 2>/dev/null; then width=$(awk '{ print $2 }' "$probes/size"); fi
  width=${COLUMNS:-$width}
  case $width in
    '' | *[!0-9]* | ??????*) width=80 ;;
  esac
  [ "$width" -ge 40 ] || width=40
}

# The findings of grades $1 for people: failures first, then warnings, then what is met.
host_report() {
  printf '%s\n' "$findings" | awk -F '\t' -v grades=" $1 " -v width="$width" '
    function wrap(text, indent,    words, count, i, lines, line) {
      count = split(text, words, " ")
      line = indent words[1]
      for (i = 2; i <= count; ++i) {
        if (length(line) + length(words[i]) < width) { line = line " " words[i]; continue }
        lines = lines line "\n"
        line = "     " words[i]
      }
      return lines line "\n"
    }
    NF < 8 || !index(grades, " " $1 " ") { next }
    {
      state = $3 == "-" ? ($1 == "OK" ? "found" : $4) : "found " $3
      if ($4 ~ /^(beyond|unknown)/ && $3 != "-") state = state ", " $4
      need = $5
      if ($1 != "OK" && $6 != "-") need = need "; known issue " $6
      line = wrap(sprintf("%s %s: %s, need %s", $1, $2, state, need), "")
    }
    $1 == "OK" { sub(/^OK /, "OK   ", line); met = met line; next }
    { line = line wrap($7, "     ") }
    $1 == "FAIL" { printf "%s", line; next }
    { warnings = warnings line }
    END { printf "%s%s", warnings, met }'
}

count_findings() {
  printf '%s\n' "$findings" | awk -v grade="$1" 'NF && $0 ~ "^" grade { ++count } END { print count + 0 }'
}

# Colours the grade at the start of each line if descriptor $1 is a terminal.
paint() {
  if [ -t "$1" ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    awk '
      BEGIN { split("FAIL 31 WARN 33 OK 32", words, " "); for (i = 1; i < 6; i += 2) colour[words[i]] = words[i + 1] }
      $1 in colour && /^[A-Z]/ { sub(/^[A-Z]+/, sprintf("\033[%dm%s\033[0m", colour[$1], $1)) }
      { print }'
  else
    cat
  fi
}

# Whether pip refuses to change this Python, which its system takes care of.
is_managed_python() {
  host_python -c 'import os, sys, sysconfig
sys.exit(sys.prefix != sys.base_prefix or not os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")))' >/dev/null 2>&1
}

# The commands that install what host_findings missed, at most one for root and one for this user, as "root" or "user", a
# tab, and the command. The words of a requirement: apt:NAME; pip:NAME, and deb:NAME, the same from Debian. pip itself and
# venv are packages, too; those of apt belong to the system's Python alone.
install_commands() {
  python=$(quoted "${PYTHON:-$default_python}") managed='' pip_package='' venv_package=''
  case $findings in
    *pip:*)
      ! is_managed_python || managed=1
      if [ "${PYTHON:-$default_python}" = "$default_python" ]; then
        host_python -m pip --version >/dev/null 2>&1 || pip_package=${default_python%2}-pip
        host_python -c 'import ensurepip' >/dev/null 2>&1 || venv_package=$default_python-venv
      fi
      ;;
  esac
  printf '%s\n' "$findings" | awk -F '\t' -v python="$python" -v managed="$managed" -v is_root="$([ "$(id -u)" != 0 ] || echo 1)" \
    -v pip_package="$pip_package" -v venv_package="$venv_package" '
    $1 == "OK" || NF < 8 { next }
    {
      is_missing = $4 ~ /^(not found|does not compile)/
      by_deb = managed && is_missing && $8 ~ /deb:/
      count = split($8, words, " ")
      for (i = 1; i <= count; ++i) {
        if (seen[words[i]]++) continue
        name = substr(words[i], 5)
        if ((words[i] ~ /^apt:/ && is_missing) || (words[i] ~ /^deb:/ && by_deb)) apt = apt " " name
        if (words[i] ~ /^pip:/ && !by_deb) pip = pip " \047" name "\047"
      }
    }
    END {
      helper = managed ? venv_package : pip_package
      if (pip && helper) apt = apt " " helper
      if (apt) apt = "apt-get install --yes" apt
      if (pip) pip = (managed ? "\"$HOME/torchpatch-python/bin/python\"" : python) " -m pip install" pip
      if (pip && managed) pip = python " -m venv --system-site-packages \"$HOME/torchpatch-python\" && " pip
      if (is_root && apt && pip) { print "root\t" apt " && " pip; exit }
      if (apt) print "root\t" apt
      if (pip) print (is_root ? "root\t" : "user\t") pip
    }'
}

# A word as the shell reads it again, without quotes where it needs none: a list of such words keeps each whole.
quoted() {
  case $1 in
    '' | *[!A-Za-z0-9_./+-]*) printf '%s\n' "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/" ;;
    *) printf '%s\n' "$1" ;;
  esac
}

components=' torch vision '
default_python=python3

stand_in() { :; }

missing_sources() { :; }

# What the build asks of a host: kind, name, wanted, grade, component, issue, who wants it, what to do, what installs it.
requirements() {
  cat <<'END'
same	arch	aarch64	FAIL	-	-	image jetpack-3.3	build on the board	-
version	cmake	-	FAIL	-	-	<4 (release 1.1.0)	take a cmake	-
END
}

# What holds of a tool from a version on: name, version, verdict, grade, issue, what to do.
host_steps() {
  cat <<'END'
cmake	0	ok	WARN	-	-
cmake	4	too new	FAIL	cmake-4	take an older one
END
}
# ---- End of what build.sh and check.sh have in common.

# One run at a time in a place. The kernel takes a lock from whoever is gone, and leaves it to what a killed run left running.
# Without flock the lock is a link that names its holder, and is taken over if that is gone. No link is followed.
take_lock() { # FILE PLACE
  lock=$1 locked=''
  if [ -e "$lock" ] && [ ! -L "$lock" ] && [ ! -f "$lock" ]; then fail "'$lock' is not a file: remove it"; fi
  until [ -n "$locked" ]; do
    if [ -L "$lock" ] || ! command -v flock >/dev/null; then lock_by_link "$2"; else lock_by_flock "$2"; fi
  done
}

lock_by_flock() { # PLACE
  (: >>"$lock") 2>/dev/null || fail "cannot write '$lock'"
  exec 9>>"$lock"
  status=0 tries=5
  until flock -n 9; do
    status=$?
    [ "$status" = 1 ] || break
    holder=$(head -c 300 "$lock")
    # What a killed run started ends soon, as a rule.
    if [ "$tries" = 0 ] || is_running "${holder%% *}"; then refuse_second "$1" "$holder"; fi
    sleep 1
    status=0 tries=$((tries - 1))
  done
  # Whoever had it removed the file in between: again.
  # shellcheck disable=SC3013  # dash, bash and BusyBox have -ef
  if [ "$status" = 0 ] && [ -e /proc/self/fd/9 ] && ! [ "$lock" -ef /proc/self/fd/9 ]; then return; fi
  [ "$status" = 0 ] || say "'$lock' cannot be locked here: make sure that no other run uses $1"
  own_name >"$lock"
  locked=1
}

# A process by its number, machine and process namespace: the same number is another process elsewhere.
own_name() {
  echo "$$ $(uname -n) $(readlink /proc/self/ns/pid || :)"
}

lock_by_link() { # PLACE
  own=$(own_name)
  if ln -sn "$own" "$lock" 2>/dev/null; then locked=1 && return; fi
  holder=$(readlink "$lock") || fail "cannot write '$lock'"
  case $holder in
    *[!A-Za-z0-9._:\ \[\]-]*) fail "'$lock' is not the lock of a run: remove it" ;;
    *) ;;
  esac
  if [ "${holder#* }" != "${own#* }" ] || is_running "${holder%% *}"; then refuse_second "$1" "$holder"; fi
  # Of two runs that see this at once one may take the other's: it gives that back.
  mv -- "$lock" "$lock.$$" 2>/dev/null || return 0
  taken=$(readlink "$lock.$$")
  rm -f -- "$lock.$$"
  [ "$taken" = "$holder" ] || ln -sn "$taken" "$lock" 2>/dev/null || :
}

# Whether process $1 is one of this script: a number may be another process's by now, or one of another container.
is_running() {
  case $1 in '' | *[!0-9]*) return 1 ;; *) ;; esac
  grep -q -s -F "${0##*/}" "/proc/$1/cmdline"
}

refuse_second() { # PLACE HOLDER
  set -- "$1" "$(printf '%s\n' "$2" | LC_ALL=C tr -cd ' -~' | cut -d ' ' -f 1,2)"
  ! is_running "${2%% *}" || fail "$1 is in use by process ${2%% *}: wait until it has ended, or end it"
  fail "$1 is in use by process ${2%% *} on ${2#* }, or by a process that it left running: wait until it has ended, or end the processes that 'fuser' lists for $lock"
}

drop_lock() {
  [ -z "${locked:-}" ] || rm -f -- "$lock"
}


# What this script leaves behind it outlives no end of it.
clean_up() {
  if [ -n "$swap_made" ]; then
    swapoff "$swap_file" 2>/dev/null || :
    rm -f -- "$swap_file"
  fi
  drop_lock
  rm -rf -- "$probes"
  rmdir -- "$root/dist" 2>/dev/null || :
}

prepare_clean_up() {
  swap_made=''
  probes=$(mktemp -d)
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

# All checks first, then one verdict.
gate() {
  selected=" "
  for step in $steps; do selected="$selected${step%%:*} "; done
  set_width 2
  findings=$(place_findings)
  if [ -n "$findings" ]; then
    host_report FAIL | paint 2 >&2
    fail "nothing was built"
  fi
  findings=$(host_findings)
  host_report "FAIL WARN" | paint 2 >&2
  refusals=$(count_findings FAIL)
  [ "$refusals" != 0 ] || return 0
  hint=''
  [ -z "$(install_commands)" ] || hint='; torchpatch/check.sh --install installs what is missing'
  [ "$refusals" != 1 ] || fail "1 check failed; nothing was built. Fix it, or ignore it with --skip NAME$hint"
  fail "$refusals checks failed; nothing was built. Fix them, or ignore one with --skip NAME$hint"
}

check_swap() {
  [ "$swap_mib" != 0 ] || return 0
  [ "$(id -u)" = 0 ] || fail "--swap needs root"
  if [ -e "$swap_file" ] || [ -L "$swap_file" ]; then fail "--swap: '$swap_file' already exists"; fi
}

# A host that is refused leaves the tree as it was prepared: check.sh, verify and recipe know no empty directory.
claim_tree() {
  mkdir -p -- "$root/dist"
  take_lock "$root/dist/lock" "'$root'"
}

make_swap() {
  [ "$swap_mib" != 0 ] || return 0
  if [ -z "$swap_file" ]; then
    swap_file=$root/dist/swap
    # A killed run leaves it.
    swapoff "$swap_file" 2>/dev/null || :
    rm -f -- "$swap_file"
  fi
  swap_made=1
  say "making $swap_mib MiB of swap in '$swap_file'"
  (umask 077 && dd if=/dev/zero of="$swap_file" bs=1048576 count="$swap_mib" 2>/dev/null) ||
    fail "--swap: no room for $swap_mib MiB in '${swap_file%/*}'"
  { mkswap "$swap_file" >/dev/null && swapon "$swap_file"; } ||
    fail "--swap: the system cannot use '$swap_file' as swap: use a file on ext4 or XFS, not in a container"
  # build.env counts it for MAX_JOBS.
  [ -n "$own_jobs" ] || unset MAX_JOBS
  load_environment
}

# Sets box, the words that run a command without a network, and compile_box, those for what distcc may do.
choose_network() {
  box=''
  if [ "$network" != --online ]; then
    for words in 'unshare -n' 'unshare -rn'; do
      if [ -z "$box" ] && $words true 2>/dev/null; then box=$words; fi
    done
    if [ -z "$box" ] && [ "$network" = --offline ]; then
      fail "--offline: cannot create a network namespace with 'unshare -n' or 'unshare -rn'"
    fi
    [ -n "$box" ] || say "warning: cannot create a network namespace: the build can reach the network"
  fi
  compile_box=$box
  [ -z "${DISTCC_HOSTS:-}" ] || compile_box=''
}

# The wheel of a component in dist/, or nothing; more than one is an error.
wheel_of() {
  case $1 in
    torch) set -- "$root"/dist/torch-*.whl ;;
    *) set -- "$root/dist/torch$1"-*.whl ;;
  esac
  [ "$#" = 1 ] || fail "expected one wheel, found: $*"
  [ ! -f "$1" ] || printf '%s\n' "$1"
}

# Without steps on the command line: those whose wheels are not there yet.
choose_steps() {
  built=''
  [ -z "$steps" ] || return 0
  for component in $components; do
    wheel=$(wheel_of "$component")
    if [ -n "$wheel" ]; then
      say "$wheel exists; 'build.sh $component' builds it again"
      built="$built $component"
    elif [ "$component" = torch ]; then
      steps='torch:build torch:wheel'
    else
      steps="$steps $component"
    fi
  done
}

# In / pip does not take the sources here for an installed torch, as pip 9 does, which also needs --upgrade to reinstall.
install_wheel() {
  [ "$install" = 0 ] || (cd / && "$PYTHON" -m pip install --no-index --no-deps --upgrade --force-reinstall "$1")
}

# Moves the one wheel in $1/dist into dist/ beside the components.
finish_wheel() {
  set -- "$1"/dist/*.whl
  if [ "$#" != 1 ] || [ ! -f "$1" ]; then fail "expected one wheel, found: $*"; fi
  mv -f -- "$1" "$root/dist/"
  say "built $root/dist/${1##*/}"
  install_wheel "$root/dist/${1##*/}"
}

# Lets Python find the torch of dist/, unpacked where only the build looks. A Python 2.7 has no venv.
use_built_torch() {
  wheel=$(wheel_of torch)
  [ -n "$wheel" ] || return 0
  site=$root/pytorch/build/torchpatch-site
  rm -rf -- "$site"
  mkdir -p -- "$site"
  "$PYTHON" -m zipfile -e "$wheel" "$site"
  PYTHONPATH=$site${PYTHONPATH:+:$PYTHONPATH}
  export PYTHONPATH
}

# Python runs in / so that it does not find the sources here.
check_torch() {
  (cd / && "$PYTHON" -c 'import sys, torch
have, want = torch.__version__, sys.argv[1]
if have[:len(want)] != want or have[len(want):len(want) + 1].isdigit():
    sys.exit("found torch %s, need %s" % (have, want))' "$release") ||
    fail "$1 needs torch $release: build it first ('build.sh torch') or install it"
}

build_companion() {
  use_built_torch
  check_torch "$1"
  say "building $1"
  cd "$root/$1"
  make_wheel "$1"
  finish_wheel "$root/$1"
}

is_scikit_built() {
  case $scikit_built in *" $1 "*) ;; *) return 1 ;; esac
}

# $1: configure, compile, wheel, or pack, which is wheel without compiling. Each of them is a call of scikit-build-core, which
# always makes a wheel: the one of the first two has no compiled file in it and is removed. For those that compile nothing
# make or ninja only prints its version. What CMake installs lies beside the build: /tmp is memory on many systems.
scikit_build() {
  TMPDIR=${TMPDIR:-$PWD/build}
  export TMPDIR
  mkdir -p build
  scikit_box=$compile_box
  [ "$1" != configure ] || scikit_box=$box
  set -- "$1" -m build --wheel --no-isolation --skip-dependency-check
  case $1 in configure | compile) set -- "$@" --outdir "$probes/wheel" --config-setting=install.components=none ;; esac
  case $1 in configure | pack) set -- "$@" --config-setting=build.tool-args=--version ;; esac
  shift
  $scikit_box "$PYTHON" "$@"
}

# $1: a component, $2: --skip-build, or nothing.
make_wheel() {
  if ! is_scikit_built "$1"; then
    shift
    $compile_box "$PYTHON" setup.py bdist_wheel "$@"
  elif [ "$#" = 1 ]; then
    scikit_build wheel
  else
    scikit_build pack
  fi
}

# Without a network also where distcc compiles. setup.py of 1.0 and 1.1 cannot configure alone.
configure_torch() {
  say 'configuring torch'
  if is_scikit_built torch; then
    scikit_build configure
    return
  fi
  case $release in
    1.0.* | 1.1.*) configure_until_install ;;
    *) $box "$PYTHON" setup.py build --cmake-only ;;
  esac
}

# What setup.py calls to compile notes that it was called, and stops it; CMake finds the true programs.
# shellcheck disable=SC2016  # the programs expand it
configure_until_install() {
  stops=$probes/stops
  mkdir -p "$stops"
  write_stop cmake 'PATH=$TORCHPATCH_PATH; export PATH; exec cmake "$@"'
  for tool in make ninja; do
    ! command -v "$tool" >/dev/null || write_stop "$tool" ': >"${0%/*}/reached"; exit 1'
  done
  $box sh -c 'TORCHPATCH_PATH=$PATH; PATH=$1:$PATH; export PATH TORCHPATCH_PATH; exec "$2" setup.py build' \
    sh "$stops" "$PYTHON" || [ -e "$stops/reached" ] || return 1
  say 'torch is configured: setup.py was stopped before compiling'
}

write_stop() {
  printf '#!/bin/sh\n%s\n' "$2" >"$stops/$1"
  chmod +x "$stops/$1"
}

# What CMake decided must be the plan (a CUDA that it does not find is switched off without an error), and in a cross build
# what it decides on the board; TORCHPATCH_ANSWERS names the recipe's list. A check that is not in it may have been answered by
# this machine.
check_decisions() {
  cache=$root/pytorch/build/CMakeCache.txt config=$root/pytorch/aten/src/ATen/Config.h
  macros=$root/pytorch/build/caffe2/core/macros.h
  [ -e "$cache" ] || cache=/dev/null
  [ -e "$macros" ] || macros=/dev/null
  # Without a BLAS nobody calls its functions.
  grep -q 'define AT_BUILD_WITH_BLAS() 1' "$config" 2>/dev/null || config=/dev/null
  decisions >"$probes/decisions"
  awk -v machine="$(host_value arch)" '
    function plain(value) {
      value = tolower(value)
      if (value == "" || value ~ /^(0|off|no|false)$/) return 0
      return value ~ /^(1|on|yes|true)$/ ? 1 : value
    }
    function compare(name, value) {
      if (name in planned && plain(value) != planned[name]) print "unplanned " name "=" value " " name "=" planned[name] " " place[name]
      if (name in answers && plain(value) != answers[name]) print "wrong " name "=" value " " name "=" answers[name]
    }
    kind == "plan" {
      # What somebody set himself (TORCHPATCH_KEEP_ENV) is his own decision, but that there is a GPU.
      if ($1 in ENVIRON && plain(ENVIRON[$1]) != $2 && $1 !~ /^USE_CUD/) next
      planned[$1] = $2; place[$1] = $3
      next
    }
    kind == "answers" { if ($1 == "any" || $1 == machine) answers[$2] = $3; next }
    kind == "macros" {
      if (split($0, part, "\"") > 4 && part[4] != "" && part[2] ~ /^USE_(CUDA|CUDNN|NCCL|MPI|NNPACK)$/) compare(part[2], part[4])
      next
    }
    kind == "config" { if ($1 == "#define" && sub(/\(\)$/, "", $2)) compare($2, $3); next }
    /^[A-Za-z_0-9]+:[A-Z]+=/ {
      name = $0; sub(/:.*/, "", name)
      value = $0; sub(/^[^=]*=/, "", value)
      compare(name, value)
      if (has_answers && sub(/_EXITCODE$/, "", name) && !(name in answers)) print "note " name
    }' has_answers="${TORCHPATCH_ANSWERS:+1}" kind=plan "$probes/decisions" kind=answers "${TORCHPATCH_ANSWERS:-/dev/null}" \
    kind=config "$config" kind=macros "$macros" kind=cache "$cache" >"$probes/answers"
  notes=$(sed -n 's/^note //p' "$probes/answers" | tr '\n' ' ')
  [ -z "$notes" ] || say "CMake tried to run programs for unknown checks: $notes"
  unplanned=$(sed -n 's/^unplanned \([^ ]*\) \([^ ]*\) \(.*\)/CMake decided \1, but the plan has \2 (torchpatch\/\3)/p' "$probes/answers" | head -n 1)
  [ -z "$unplanned" ] ||
    fail "$unplanned: fix that, then remove '$root/pytorch/build'; to build torch like this anyway, prepare the tree with --set"
  wrong=$(sed -n 's/^wrong \([^ ]*\) \(.*\)/CMake decided \1, but the board decides \2/p' "$probes/answers" | head -n 1)
  [ -z "$wrong" ] ||
    fail "$wrong, so this torch could compute wrong results: check which fix the tree was prepared without, then remove '$root/pytorch/build'"
}

build_torch() {
  cd "$root/pytorch"
  [ ! -d build ] || say 'resuming in pytorch/build; remove it if the environment has changed since'
  say 'preparing the board'
  (
echo "recipe in $PWD" >>"$LOG"
  )
  say "building torch with $MAX_JOBS jobs"
  configure_torch
  check_decisions
  if is_scikit_built torch; then
    scikit_build compile
  else
    $compile_box "$PYTHON" setup.py build
  fi
}

finish_torch() {
  cd "$root/pytorch"
  say 'after the build: plain-names (issue extension-names)'
  (
echo "step in $PWD with $PYTHON" >>"$LOG"
cd / # not for long
  )
  make_wheel torch --skip-build
  finish_wheel "$root/pytorch"
}

load_component_environment() {
  case $1 in
    vision)
      export BUILD_VERSION=0.3.0
      ;;
    *) ;;
  esac
  eval "$kept"
}

release=1.1.0
# Components that scikit-build-core builds; setup.py builds the others.
scikit_built=' '

# What the plan has CMake decide: variable, 1 or 0, known issue.
decisions() {
  cat <<'END'
USE_NCCL 0 build.env
END
}

# The script's processes talk to each other by the loopback, which a namespace has not.
test_torch() {
  [ -z "${CMAKE_TOOLCHAIN_FILE:-}" ] ||
    fail "torch:test: this torch is not for this machine: run torchpatch/numerics.py on the target"
  use_built_torch
  check_torch torch:test
  say 'computing with torch'
  (cd / && "$PYTHON" "$root/torchpatch/numerics.py" --json "$root/dist/numerics.json" --html "$root/dist/numerics.html") ||
    fail "torch cannot be imported or computes wrong results; see the messages above and $root/dist/numerics.html"
}

run_step() {
  case $1 in
    torch:configure)
      cd "$root/pytorch"
      configure_torch
      check_decisions
      ;;
    torch:build) build_torch ;;
    torch:wheel) finish_torch ;;
    torch:test) test_torch ;;
    *) build_companion "$1" ;;
  esac
}

# Names the known issues behind a failure, if torchpatch is available. $1: log, $2: its lines before this run.
diagnose_log() {
  command -v torchpatch >/dev/null || return 0
  tail -n +"$(($2 + 1))" -- "$1" | torchpatch diagnose --tree "$root" >&2 || :
}

# In a subshell, so that no component gets what is for another one; what it says goes into the log in dist/, too.
log_step() {
  log=$root/dist/${1%%:*}.log
  if [ -L "$log" ] || { [ -e "$log" ] && [ ! -f "$log" ]; }; then fail "'$log' is not a file: remove it"; fi
  lines=$([ ! -f "$log" ] || wc -l <"$log")
  {
    set +e
    (
      set -e
      load_component_environment "${1%%:*}"
      run_step "$1"
    ) 2>&1
    echo "$?" >"$probes/status"
  } | tee -a "$log"
  [ "$(cat "$probes/status")" != 0 ] || return 0
  diagnose_log "$log" "${lines:-0}"
  fail "$1 failed; see its log: $log"
}

main() {
  own_jobs=${MAX_JOBS:-}
  for tool in awk cat grep mktemp rm sed tee; do
    command -v "$tool" >/dev/null || fail "'$tool' not found"
  done
  read_options "$@"
  enter_tree
  hide_git
  prepare_clean_up
  load_environment
  choose_steps
  [ -z "$wants_test" ] || add_steps torch torch:test
  if [ -n "$steps" ]; then
    gate
    choose_network
    check_swap
    claim_tree
  fi
  for component in $built; do install_wheel "$(wheel_of "$component")"; done
  [ -n "$steps" ] || exit 0
  make_swap
  for step in torch:configure torch:build torch:wheel vision audio torch:test; do
    case " $steps " in *" $step "*) log_step "$step" ;; esac
  done
}

main "$@"

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

# @QUOTED@

components=@COMPONENTS@
default_python=@PYTHON@

# @STAND_IN@

# @MISSING_SOURCES@

# What the build asks of a host: kind, name, wanted, grade, component, issue, who wants it, what to do, what installs it.
# @REQUIREMENTS@

# What holds of a tool from a version on: name, version, verdict, grade, issue, what to do.
# @HOST_STEPS@
# ---- End of what build.sh and check.sh have in common.

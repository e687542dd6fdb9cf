#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks @SUBJECT@ without torchpatch. 'torchpatch verify' checks more: this script
# trusts SHA256SUMS and itself.
set -u
LC_ALL=C
export LC_ALL
CDPATH=''

# @OWN_VARIABLES@

usage() {
  cat <<'END'
Usage: check.sh [--tree | --install [--yes]]

Compares the tree around this script with torchpatch/SHA256SUMS and with the lists at the end of this script: contents,
executable bits, links, missing and unexpected files. Prints one line per difference: reason, path.
Then compares this host with what the build needs, as build.sh and 'torchpatch doctor' do. Failures come first (FAIL),
then warnings (WARN), then what is fine (OK), and last the commands that install what is missing.

Options:
  --tree     compare only the tree, for example if another machine builds it
  --install  run those commands after a confirmation. apt-get needs root: without root, nothing is run, and the command
             that root must run is printed
  --yes      do not wait for a confirmation; required by --install without a terminal

Exit status: 0 no difference, and build.sh would start; 1 differences, or build.sh would refuse this host; 2 wrong
usage, --install failed, or a tool or disk space is missing.
END
}

fail() {
  printf 'check.sh: %s\n' "$1" >&2
  exit 2
}

read_options() {
  tree_alone='' wants_install='' yes=''
  for argument in "$@"; do
    case $argument in
      --tree) tree_alone=1 ;;
      --install) wants_install=1 ;;
      --yes) yes=1 ;;
      --host) ;; # an option of old releases: the host is always compared
      -h | --help)
        usage
        exit 0
        ;;
      *) misuse ;;
    esac
  done
  if [ -n "$wants_install" ]; then [ -z "$tree_alone" ] || misuse; else [ -z "$yes" ] || misuse; fi
}

misuse() {
  usage >&2
  exit 2
}

require_tools() {
  for tool in awk cat find grep mktemp readlink rm sed sort tr wc xargs; do
    command -v "$tool" >/dev/null || fail "'$tool' not found"
  done
  for hasher in sha256sum busybox shasum openssl none; do
    printf '/dev/null\000' | hash_files >/dev/null 2>&1 && break
  done
  [ "$hasher" != none ] || fail "found none of sha256sum, busybox, shasum and openssl, need one"
}

# The hash and name of each file whose name, ended by NUL, comes in.
hash_files() {
  case $hasher in
    sha256sum) xargs -0 sha256sum ;;
    busybox) xargs -0 busybox sha256sum ;;
    shasum) xargs -0 shasum -a 256 ;;
    openssl) xargs -0 openssl dgst -sha256 -r ;;
  esac
}

enter_tree() {
  case ${PYTHON:-} in
    /*) ;;
    */*) PYTHON=$PWD/$PYTHON ;;
  esac
  case $0 in
    */*) here=${0%/*} ;;
    *) here=. ;;
  esac
  cd -P -- "$here/.." || fail "cannot enter the tree"
  root=$PWD
  if [ ! -f torchpatch/SHA256SUMS ]; then
    echo 'missing: torchpatch/SHA256SUMS'
    exit 1
  fi
}

make_workspace() {
  work=$(mktemp -d) || fail "cannot make a temporary directory"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

# Lines of sums as all tools write and compare them: "<hash>  ./<path>". sha256sum puts a backslash in front of a line
# whose name has one, and doubles those in the name.
plain_sums() {
  sed -e '/^\\/{' -e 's/^\\//' -e 's/\\\\/\\/g' -e '}' -e 's/^\(.\{64\}\) [ *]\(\.\/\)\{0,1\}/\1  .\//'
}

# The paths that find tells, one a line. A control byte in a name, a newline too, becomes a byte that no pinned name has,
# as those are UTF-8; '?' is in some.
found() {
  find . "$@" -print0 | tr '\000\001-\037\177' '\n\377'
}

# Lines of file $2 that stand in file $1, and those that do not.
common() {
  awk 'kind == 1 { lines[$0]; next } $0 in lines' kind=1 "$1" kind=2 "$2"
}
without() {
  awk 'kind == 1 { lines[$0]; next } !($0 in lines)' kind=1 "$1" kind=2 "$2"
}

# Signatures of the manifest are in no list: they may be there.
signatures() {
  for path in ./torchpatch/manifest.json.sig ./torchpatch/manifest.json.minisig; do
    if [ -e "$path" ] || [ -L "$path" ]; then echo "f $path"; fi
  done
}

expected_entries() {
  {
    signatures
    sed 's/^.\{66\}/f /' "$work/sums"
    echo 'f ./torchpatch/SHA256SUMS'
    links | sed 's/^\([^	]*\)	.*/l \1/'
  } | awk '
    { print; path = substr($0, 3); while (sub("/[^/]*$", "", path)) directories[path] }
    END { for (path in directories) print "d " path }'
}

actual_entries() {
  found -type f | sed 's/^/f /' && found -type l | sed 's/^/l /' && found -type d | sed 's/^/d /' &&
    found ! -type f ! -type l ! -type d | sed 's/^/o /'
}

# What cannot be written in full must not make a tree look fine.
full() {
  fail "cannot write to '$work': set TMPDIR to a directory with room"
}

compare_entries() {
  plain_sums <torchpatch/SHA256SUMS >"$work/sums" || full
  expected_entries >"$work/expected" || full
  actual_entries >"$work/actual" || full
  common "$work/expected" "$work/actual" | sed -n 's/^f //p' >"$work/present" || full
  awk '
    { path = substr($0, 3); type = substr($0, 1, 1) }
    kind == "expected" { expected[path] = type; next }
    { seen[path] }
    !(path in expected) { print "extra: " substr(path, 3); next }
    expected[path] != type { print "type: " substr(path, 3) }
    END { for (path in expected) if (!(path in seen)) print "missing: " substr(path, 3) }
  ' kind=expected "$work/expected" kind=actual "$work/actual"
}

# Only regular files are opened, so that a FIFO in place of a file cannot block this.
compare_contents() {
  tr '\n' '\000' <"$work/present" | hash_files 2>"$work/errors" | plain_sums >"$work/hashed" || full
  common "$work/sums" "$work/hashed" >"$work/unchanged" || full
  awk '
    { path = substr($0, 67) }
    kind == "sums" { expected[path] = substr($0, 1, 64); next }
    kind == "hashed" { actual[path] = substr($0, 1, 64); next }
    !($0 in expected) { next }
    !($0 in actual) { print "unreadable: " substr($0, 3); next }
    actual[$0] != expected[$0] { print "changed: " substr($0, 3) }
  ' kind=sums "$work/sums" kind=hashed "$work/hashed" kind=present "$work/present"
}

compare_modes() {
  {
    printf './torchpatch/%s\n' build.sh check.sh
    executables
  } | common "$work/present" - >"$work/expected_executables" || full
  found -type f -perm -100 | common "$work/present" - >"$work/actual_executables" || full
  without "$work/actual_executables" "$work/expected_executables" | sed 's/^..\(.*\)/mode: \1 (must be executable)/' &&
    without "$work/expected_executables" "$work/actual_executables" | sed 's/^..\(.*\)/mode: \1 (must not be executable)/'
}

compare_links() {
  links | while IFS='	' read -r path target; do
    [ -L "$path" ] || continue
    # The dot keeps newlines at the end of what the link says.
    actual=$(readlink -n "$path" && echo .)
    [ "$actual" = "$target." ] || printf 'link: %s (must point to %s)\n' "${path#./}" "$target" || exit 1
  done
}

count_lines() {
  echo "$(($(wc -l)))"
}

check_tree() {
  for compare in entries contents modes links; do "compare_$compare" >"$work/$compare" || full; done
  (cd "$work" && sort -t: -k2 entries contents modes links >differences) || full
  tr '\377' '?' <"$work/differences"
  differences=$(count_lines <"$work/differences")
  files=$(count_lines <"$work/sums")
  printf '%d files, %d links, differences: %d\n' "$((files + 1))" "$(links | count_lines)" "$differences"
  # A tool that fails must not make a tree look fine.
  if [ "$differences" = 0 ] && [ "$(count_lines <"$work/unchanged")" != "$files" ]; then
    cat "$work/errors" >&2
    fail "some files could not be compared; is a tool broken?"
  fi
}

# @HOST_FUNCTIONS@

# The checks need the environment of the build; a build.env that is not the listed one is not run.
check_host() {
  if grep -q '  \./torchpatch/build\.env$' "$work/unchanged"; then
    (load_environment && compare_host)
  else
    echo 'FAIL build.env: differs from SHA256SUMS, so this host was not checked'
    return 1
  fi
}

# Returns whether build.sh would start.
compare_host() {
  # shellcheck disable=SC2034 # host_findings reads them
  selected=$components skipped='' swap_mib=0 probes=$work
  set_width 1
  judge_host || return 0
  if [ -n "$wants_install" ]; then install_missing; else print_commands; fi
  [ "$refusals" = 0 ]
}

# Prints the findings and their count. Fails if nothing was compared.
judge_host() {
  findings=$(place_findings)
  [ -n "$findings" ] || findings=$(host_findings)
  refusals=0 commands=''
  [ -n "$findings" ] || return 1
  refusals=$(count_findings FAIL)
  host_report "FAIL WARN OK" | paint 1
  warnings=$(count_findings WARN) plural=s end=''
  [ "$warnings" != 1 ] || plural=''
  [ "$refusals" = 0 ] || end='; build.sh would refuse this host'
  printf 'host: %d of %d checks failed, %d warning%s%s\n' "$refusals" "$(count_findings '')" "$warnings" "$plural" "$end"
  commands=$(install_commands)
  for_root=$(printf '%s\n' "$commands" | sed -n 's/^root	//p')
  for_user=$(printf '%s\n' "$commands" | sed -n 's/^user	//p')
}

own_python="PYTHON=\"\$HOME/torchpatch-python/bin/python\""

# Each command on a line of its own, to be copied.
print_commands() {
  if [ -n "$for_root" ]; then printf 'to install what is missing, as root:\n%s\n' "$for_root"; fi
  if [ -n "$for_user" ]; then
    title='to install what is missing'
    [ -z "$for_root" ] || title='then, as this user'
    printf '%s:\n%s\n' "$title" "$for_user"
  fi
  case $commands in *torchpatch-python*) echo "then run check.sh and build.sh with $own_python" ;; esac
}

install_missing() {
  if [ -z "$commands" ]; then
    by_hand=$(printf '%s\n' "$findings" | awk -F '\t' '$1 == "FAIL" { printf "%s%s", separator, $2; separator = ", " }')
    echo "no package is missing, nothing to install${by_hand:+; still to do, as printed above: $by_hand}"
    return
  fi
  print_commands
  [ -z "$for_root" ] || [ "$(id -u)" = 0 ] || fail "--install: apt-get needs root; nothing was installed"
  if [ -z "$yes" ]; then
    [ -t 0 ] || fail "--install: not a terminal, use --yes; nothing was installed"
    printf 'run this? [y/N] '
    read -r answer || answer=''
    case $answer in y | Y | yes) ;; *) fail "--install: nothing was installed" ;; esac
  else
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
  fi
  sh -e -c "$for_root$for_user" || fail "--install: the command failed; see its output above"
  case $commands in *torchpatch-python*) PYTHON=$HOME/torchpatch-python/bin/python PATH=$HOME/torchpatch-python/bin:$PATH ;; esac
  echo 'installed; the same checks again:'
  judge_host || :
}

main() {
  read_options "$@"
  require_tools
  enter_tree
  make_workspace
  check_tree
  refused=0
  [ -n "$tree_alone" ] || check_host || refused=$?
  [ "$refused" != 2 ] || exit 2
  [ "$differences" = 0 ] && [ "$refused" = 0 ] || exit 1
}

# Regular files that are executable, besides the scripts here.
# @EXECUTABLES@

# Links and what they point to.
# @LINKS@

main "$@"

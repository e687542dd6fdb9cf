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


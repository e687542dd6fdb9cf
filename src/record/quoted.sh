# A word as the shell reads it again, without quotes where it needs none: a list of such words keeps each whole.
quoted() {
  case $1 in
    '' | *[!A-Za-z0-9_./+-]*) printf '%s\n' "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/" ;;
    *) printf '%s\n' "$1" ;;
  esac
}

# What became of a job, for 'torchpatch matrix status'.
report() { # STATE [REASON]
  {
    printf '{\n  "schema": 1,\n  "pair": "%s",\n  "state": "%s",\n  "stage": "%s",\n' "$id" "$1" "$stage"
    printf '  "time": %s,\n  "reason": "%s",\n  "digest": "%s",\n  "started": %s\n}\n' "$(date +%s)" "${2:-}" "$digest" "$started"
  } >"$kept/pair.json.part"
  mv -f -- "$kept/pair.json.part" "$kept/pair.json"
}

# The line of a log that says most, as text of JSON.
reason_in() { # LOG
  line=$(grep -a -E 'error: |^ *(will not import|may crash): ' "$1" | tail -n 1)
  [ -n "$line" ] || line=$(grep -a . "$1" | tail -n 1)
  printf '%s' "$line" | LC_ALL=C tr -cd '\40-\176' | cut -c 1-300 | sed 's/[\\"]/\\&/g'
}

# What lies in the way of what is read and written here must be a file: nothing is written through a link, and no pipe is read.
require_files() { # FILE…
  special=$(find "$kept" -mindepth 1 ! -type f | head -n 1)
  for file in "$@"; do
    if [ -L "$file" ] || { [ -e "$file" ] && [ ! -f "$file" ]; }; then special=$file; fi
  done
  [ -z "$special" ] || fail "'$special' is not a regular file: remove it"
}

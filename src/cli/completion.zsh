
# What 'torchpatch list' names, into the array names; of the board on the line where the kind is a board's.
_torchpatch_names() {
  local board at=${words[(I)--board]}
  if (( at )) && [[ $1 == (releases|images) ]]; then board=${words[at + 1]}; fi
  names=(${(f)"$(torchpatch list $1 ${board:+--board=$board} 2>/dev/null | cut -d ' ' -f 1)"})
}
# _arguments puts its own options before the kind: they go on to compadd.
_torchpatch_entries() {
  local -a names
  _torchpatch_names ${@[-1]}
  compadd "${@[1,-2]}" -a names
}
_torchpatch_images() {
  local -a names
  _torchpatch_names images
  names=(${names#*:})
  compadd "$@" -a names
}
_torchpatch_settings() {
  local -a names
  _torchpatch_names settings
  compadd "$@" -S = -a names
}
# The word before says of which kind.
_torchpatch_shown() {
  local kind=${words[CURRENT - 1]}s
  _torchpatch_entries "$@" ${kind/fixs/fixes}
}

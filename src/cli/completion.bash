
_torchpatch_list() { torchpatch list "$@" 2>/dev/null | cut -d ' ' -f 1; }
# Offers the lines that begin like the current word. 'compgen -W' would run what a directory's name has in $( ).
_torchpatch_offer() {
  local line
  while IFS= read -r line; do
    if [[ $line == "$current"* ]]; then COMPREPLY+=("$line"); fi
  done
}
_torchpatch() {
  local words=() command='' board='' is_command=1 word values current previous i
  for word in "${COMP_WORDS[@]:0:COMP_CWORD + 1}"; do
    if ((${#words[@]} > 1)) && [[ $word == : || ${words[-1]} == *: ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  current=${words[-1]} previous=${words[-2]}
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    word=${words[i]}
    if [[ ${words[i - 1]} == --board ]]; then board=$word; fi
    case $word in
      -*) ;;
      auto | always | never) ;;  # the value of --color
      *)
        # Two words go before one: 'audit' may take arguments and have a command 'audit approve' beside it.
        if [[ -n $command ]] && ! _torchpatch_is_command "$command $word"; then is_command=''; fi
        if [[ -n $is_command ]]; then command="$command${command:+ }$word"; fi
        if [[ $command == *' '* ]]; then is_command=''; fi
        ;;
    esac
  done
  COMPREPLY=()
  values=$(_torchpatch_values "$command" "$previous")
  case $values in
    '') _torchpatch_offer < <(_torchpatch_words "$command") ;;
    '<directory>') mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    '<file>') mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    '<any>') ;;
    *) _torchpatch_offer <<<"$values" ;;
  esac
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*:}"}"}")
  fi
  if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null || true; fi
}
complete -o filenames -F _torchpatch torchpatch

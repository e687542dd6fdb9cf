function __torchpatch_list
  torchpatch list $argv 2>/dev/null | string replace -r " .*" ""
end
function __torchpatch_board
  set -l words (commandline -opc)
  set -l at (contains -i -- --board $words)
  if test -n "$at"; and test (count $words) -gt $at
    echo --board=$words[(math $at + 1)]
  end
end

#!/usr/bin/env bash
# Every transport against its real server on loopback: file, git daemon, nginx with git-http-backend over http and https,
# sshd, a proxy; with redirects, logins, bad certificates and unknown hosts. All of it runs in namespaces of its own, as a
# user of its own: sshd and ssh look for homes in /etc/passwd, not in HOME.
. "$(dirname "$0")/lib.sh"

for program in nginx fcgiwrap sshd ssh-agent openssl "$(git --exec-path)/git-http-backend" "$(git --exec-path)/git-daemon"; do
  PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || skip "$program is not installed"
done
unshare --user --map-root-user --net --mount true 2>/dev/null || skip "namespaces are not allowed here"

{
  echo "root:x:0:0:root:/root:/bin/sh"
  echo "tester:x:1000:1000:tester:$HOME:/bin/sh"
} >passwd
touch ssh_config # ssh refuses the machine's, which nobody owns in the namespace of a user
here=$(cd "$CHECKOUT/tests/end_to_end" && pwd)
export WORK TORCHPATCH
# shellcheck disable=SC2016
unshare --user --map-root-user --net --mount sh -c '
  python3 -B -c "import sys; sys.path.insert(0, \"$1/../hostile\"); import isolation; isolation.bring_up_loopback()" &&
    mount --bind passwd /etc/passwd && mount --bind ssh_config /etc/ssh/ssh_config &&
    exec unshare --user --map-user=1000 --map-group=1000 python3 -B "$1/transports.py" $2
' transports "$here" "${1:-}"

#!/usr/bin/env bash
# No mirror: the cache, then git fetch of exact commit ids, here from git daemon on loopback; libgit2 where there is no git. The
# tree is the one that a mirror gives; a user's git configuration has no effect; --offline forbids the network; the cache then
# serves alone. With TORCHPATCH_MIRROR the daemon serves that real copy, otherwise the embedded upstream.
. "$(dirname "$0")/lib.sh"

[ -x "$(git --exec-path)/git-daemon" ] || skip "git daemon is not installed"
mirror=${TORCHPATCH_MIRROR:-}
layers=()
if [ -z "$mirror" ]; then
  mirror=$WORK/mirror
  "$TORCHPATCH" write-source sample --output "$mirror" >/dev/null
  layers=(--catalog "$CHECKOUT/layers/sample")
fi
"$TORCHPATCH" prepare --version 1.1.0 --board tx2 "${layers[@]}" --mirror "$mirror" --output expected --report report.json --quiet
fingerprint expected >expected.txt

# A layer that says where on loopback each repository lives now.
port=$((20000 + RANDOM % 20000))
mkdir moved
python3 - "$mirror" "$port" >moved/moved_repositories.json <<'PY'
import json, os, sys
mirror, port = os.path.realpath(sys.argv[1]), sys.argv[2]
folders = {o["repository"]: os.path.dirname(o["objects"]) for o in json.load(open("report.json"))["origins"]}
urls = {r["url"]: os.path.relpath(os.path.realpath(folders[r["path"]]), mirror)
        for r in json.load(open("expected/torchpatch/manifest.json"))["repositories"]}
print(json.dumps({"schema": 1, "moved": [{"from": url, "to": [f"git://127.0.0.1:{port}/{path}"], "note": "loopback"}
                                         for url, path in sorted(urls.items())]}))
PY
printf '[uploadpack]\n\tallowAnySHA1InWant = true\n[safe]\n\tdirectory = *\n' >daemon.config
GIT_CONFIG_GLOBAL=$WORK/daemon.config git daemon --reuseaddr --listen=127.0.0.1 --port="$port" \
  --base-path="$mirror" --export-all "$mirror" 2>daemon.log &
daemon=$!
trap 'kill "$daemon" 2>/dev/null || true; cleanup' EXIT
sleep 1

fetched() { "$TORCHPATCH" prepare --version 1.1.0 --board tx2 "${layers[@]}" --catalog moved --quiet "$@"; }
expect_status 4 fetched --output out --offline
expect_text err.txt "offline"
[ ! -e out ] || fail "a failed run left OUT"

# Traps that must not be read: a rewriting of every URL, a credential helper, hooks.
printf '[url "file:///nowhere/"]\n\tinsteadOf = git://\n[credential]\n\thelper = !touch %s/trapped\n[core]\n\thooksPath = %s\n' \
  "$WORK" "$WORK" >"$HOME/.gitconfig"
export GIT_CONFIG_GLOBAL=$HOME/.gitconfig
fetched --output out
fingerprint out | diff expected.txt - >/dev/null || fail "the fetched tree is another one"
mkdir -p "$HOME/.config/torchpatch"
echo '{"schema": 1, "connect_timeout": 7, "retries": 9}' >"$HOME/.config/torchpatch/config.json"
XDG_CACHE_HOME=$WORK/configured-cache TORCHPATCH_TIMEOUT=600 fetched --output configured
fingerprint configured | diff expected.txt - >/dev/null || fail "the configuration changes the tree"
# outdated asks the same daemon for tags; it needs git.
torch=$(python3 - <<'PY'
import json
moved = {m["from"]: m["to"][0] for m in json.load(open("moved/moved_repositories.json"))["moved"]}
print(*(moved[r["url"]] for r in json.load(open("expected/torchpatch/manifest.json"))["repositories"] if r["path"] == "torch"))
PY
)
asking() { "$TORCHPATCH" outdated torch --quiet --retries 0 --url-map "https://github.com/pytorch/pytorch.git=$torch" "$@"; }
asking >news.txt || [ $? = 1 ] || fail "outdated failed: $(cat news.txt)"
expect_text news.txt ", by $torch"
PATH=/nowhere expect_status 7 asking
expect_text err.txt "listing tags: the git program is not installed"
[ ! -e trapped ] || fail "the user's git configuration was used"
[ -f "$XDG_CACHE_HOME/torchpatch/CACHEDIR.TAG" ] || fail "the cache has no CACHEDIR.TAG"

# Where there is no git program libgit2 fetches, run by torchpatch as a program of its own.
mkdir no-programs
PATH=$WORK/no-programs XDG_CACHE_HOME=$WORK/other-cache fetched --output without-git
fingerprint without-git | diff expected.txt - >/dev/null || fail "the tree fetched without git is another one"
PATH=$WORK/no-programs XDG_CACHE_HOME=$WORK/other-cache fetched --output without-git-again --offline
left=$(find other-cache -name 'incoming-*')
[ -z "$left" ] || fail "left behind: $left"

kill "$daemon"
expect_status 4 asking
expect_text err.txt "looking for new tags: torch: git reports "
PATH=$WORK/no-programs XDG_CACHE_HOME=$WORK/third-cache expect_status 4 fetched --output nothing --retries 1
expect_text err.txt "libgit2 reports"
fetched --output again --offline
fingerprint again | diff expected.txt - >/dev/null || fail "the cache gave another tree"
echo "fetched $(grep -c '"from"' moved/moved_repositories.json) table of repositories over git://, then from the cache alone"

#!/usr/bin/env bash
# build, from nothing to a wheel, by the chroot recipe in a root of BusyBox, where a script with a real ninja stands for build.sh:
# killed in each stage it resumes, and only the steps in flight run again. The machine's own mounts and processes are as before.
. "$(dirname "$0")/lib.sh"

for tool in busybox ninja setsid capsh perl; do command -v "$tool" >/dev/null || skip "$tool is missing"; done
[ "$(id -u)" = 0 ] || skip "mounts need root"
unshare --mount true 2>/dev/null || skip "no mount namespace can be made"

mkdir -p root/etc root/bin root/usr/bin root/usr/sbin root/usr/local/sbin
install_program() { # PROGRAM PLACE
  install -D "$(command -v "$1")" "root/$2"
  ldd "root/$2" | { grep -o '/[^ ]*' || :; } | while read -r library; do install -D "$library" "root$library"; done
}
install_program busybox bin/busybox
install_program busybox usr/bin/env
install_program ninja usr/bin/ninja
for name in sh true rm mkdir cat sleep cp touch; do ln -s busybox "root/bin/$name"; done
printf 'ID=ubuntu\nVERSION_ID="18.04"\n' >root/etc/os-release
printf '#!/bin/busybox sh\necho installed\n' >root/usr/local/sbin/dpkg-query
cat >root/usr/local/sbin/sh <<'END'
#!/bin/busybox sh
# What run.sh starts as build.sh, with the words that it was given.
echo "$*" >>/tree/told
mkdir -p /tree/build /tree/dist
cd /tree/build
if [ ! -f build.ninja ]; then
  printf 'rule step\n  command = echo $out >>steps; sleep 0.1; touch $out\n' >build.part
  for i in $(busybox seq 60); do echo "build $i: step"; done >>build.part
  busybox mv build.part build.ninja
fi
echo 'build.sh: building torch with 2 jobs'
ninja -j2 || exit 1
cp /torch.whl /tree/dist/torch-1.1.0-cp36-cp36m-linux_aarch64.whl
echo log >/tree/dist/torch.log
case "$*" in *--test*) echo '{}' >/tree/dist/numerics.json && echo page >/tree/dist/numerics.html ;; esac
END
chmod +x root/usr/local/sbin/*
python3 - <<'END'
import base64, hashlib, zipfile
files = {"torch/__init__.py": b"", "torch-1.1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: torch\nVersion: 1.1.0\n",
         "torch-1.1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp36-cp36m-linux_aarch64\n"}
record = "".join("%s,sha256=%s,%d\n" % (name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("="), len(data))
                 for name, data in files.items())
with zipfile.ZipFile("root/torch.whl", "w") as wheel:
    for name, data in files.items():
        wheel.writestr(name, data)
    wheel.writestr("torch-1.1.0.dist-info/RECORD", record + "torch-1.1.0.dist-info/RECORD,,\n")
END
fingerprint root >root.txt

line=("$TORCHPATCH" build --version 1.1.0 --board ultra96 --source sample --set "arch=$(uname -m)" --component torch --kind chroot
  --output out --yes -- --root "$WORK/root" --skip memory)
build() { "${line[@]}"; }

# On a terminal it asks; no is no, and nothing was written.
if command -v script >/dev/null; then
  for words in '--json n' '--json ' '--quiet '; do
    answer=0
    script -qec "$(printf '%q ' "${line[@]/--yes/${words% *}}")" /dev/null <<<"${words#* }" >asked.txt || answer=$?
    [ "$answer" = 2 ] || fail "without consent it ended with $answer: $(cat asked.txt)"
    expect_text asked.txt "start this build? y starts it, Enter does not [y/N] "
    expect_text asked.txt "not started"
    [ ! -e out ] || fail "something was written without consent"
  done
fi

# Runs build in the background and kills it, or all that it started, as soon as a condition holds.
killed_when() { # WHAT CONDITION…
  local what=$1
  shift
  setsid "${line[@]}" >killed.txt 2>&1 &
  local pid=$!
  until "$@"; do
    kill -0 "$pid" 2>/dev/null || fail "it ended before '$*': $(cat killed.txt)"
    sleep 0.01
  done
  if [ "$what" = term ]; then kill -TERM "$pid"; else kill -KILL -- "-$pid"; fi
  local status=0
  wait "$pid" || status=$?
  [ "$status" = "$([ "$what" = term ] && echo 143 || echo 137)" ] || fail "'$*': it ended with $status"
  for _ in $(seq 100); do
    pgrep -f "$WORK/out" >/dev/null || break
    sleep 0.1
  done
  ! pgrep -af "$WORK/out" || fail "processes were left"
  ! grep -F "$WORK" /proc/self/mounts || fail "mounts were left"
}
has_steps() { [ -e out/work/tree/build/steps ] && [ "$(wc -l <out/work/tree/build/steps)" -ge "$1" ]; }
says() { grep -qs "$1" out/build.log; }

killed_when kill [ -e out/.tree.torchpatch-staging ]
[ ! -e out/tree ] || fail "a tree was there"
killed_when kill says 'run.sh: copying'
prepared=$(stat -c %i out/tree/torchpatch/manifest.json) written=$(stat -c %i out/recipe/run.sh)
killed_when kill says '^\[10/60\] ' # what a build prints comes at once
killed_when term has_steps 25
killed_when kill has_steps 40
expect_status 0 build
expect_text out.txt "torch-1.1.0-cp36-cp36m-linux_aarch64.whl: works on ultra96"
expect_text out.txt "numbers  $WORK/out/work/dist/numerics.html"
expect_text out.txt "log      $WORK/out/build.log"
expect_text err.txt "compiling: "
expect_text err.txt "run.sh: resuming in $WORK/out/work/tree"
[ "$prepared $written" = "$(stat -c %i out/tree/torchpatch/manifest.json) $(stat -c %i out/recipe/run.sh)" ] ||
  fail "the tree or the recipe was written again"
again=$(sort out/work/tree/build/steps | uniq -d | wc -l)
[ "$(sort -u out/work/tree/build/steps | wc -l)" = 60 ] || fail "not every step ran"
[ "$again" -le 6 ] || fail "$again steps ran again; 2 were in flight at each of 3 kills"
grep -q '^\[[0-9]*/[0-9]*\] ' out/build.log || fail "the log has no steps"

# What is finished is left alone, and so is the computing with it.
steps=$(sha256sum out/work/tree/build/steps)
expect_status 0 build
[ "$steps" = "$(sha256sum out/work/tree/build/steps)" ] || fail "steps ran again"
tail -n 1 out/work/tree/told | grep -q -e --test && fail "the numbers were computed again"
fingerprint root | diff root.txt - || fail "the root was changed"

# One build in a directory: another one is told so.
rm -rf out/work/tree/build
setsid "${line[@]}" >first.txt 2>&1 &
pid=$!
until has_steps 3; do sleep 0.01; done
expect_status 7 build
expect_text err.txt "it is locked by another run of torchpatch"
wait "$pid" || fail "the first build did not end well: $(cat first.txt)"
echo "killed 5 times, $again steps ran again"

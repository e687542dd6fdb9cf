#!/usr/bin/env bash
# check on the embedded source: every certified patch gives what its certificate says, and one altered byte in a shipped
# patch makes it exit with 1. On real sources, where TORCHPATCH_MIRROR is given: nothing is broken.
. "$(dirname "$0")/lib.sh"

source_check() { "$TORCHPATCH" check --source sample --version 1.1.0 --quiet "$@"; }

expect_status 0 source_check
expect_text out.txt ", 0 uncertified, 0 broken, "
applied=$(sed -n 's/.*: \([0-9]*\) applied, .*/\1/p' out.txt)
[ "$applied" -gt 0 ] || fail "no patch was applied: $(tail -n 1 out.txt)"
source_check --format junit --output check.xml
source_check --format svg --output check.svg
for file in check.xml check.svg; do
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$file" || fail "$file is no XML"
done

mkdir data
for folder in releases boards known_issues patchsets results layers; do cp -R "$CHECKOUT/$folder" data/; done
cp "$CHECKOUT/moved_repositories.json" "$CHECKOUT/variables.json" "$CHECKOUT/cores.json" "$CHECKOUT/platforms.json" "$CHECKOUT/libraries.tsv" "$CHECKOUT/stable_abi.tsv" "$CHECKOUT/build_sizes.json" "$CHECKOUT/evidence.json" "$CHECKOUT/advisories.json" data/
chmod -R u+w data
patch=$(find data/patchsets -name '*.patch' | LC_ALL=C sort | sed -n 1p)
size=$(wc -c <"$patch")
byte=$(tail -c 2 "$patch" | head -c 1)
[ "$byte" = X ] && other=Y || other=X
printf '%s' "$other" | dd of="$patch" bs=1 seek=$((size - 2)) conv=notrunc status=none
[ "$(wc -c <"$patch")" = "$size" ] || fail "the patch has another size"
expect_status 1 env TORCHPATCH_DATA="$WORK/data" "$TORCHPATCH" check --quiet
expect_text out.txt "findings in the data"
expect_text out.txt "$(basename "$(dirname "$(dirname "$patch")")")/patchset.json"
[ ! -s err.txt ] || fail "something on stderr: $(cat err.txt)"
echo "embedded source: $applied cells applied; one altered byte found"

[ -n "${TORCHPATCH_MIRROR:-}" ] || exit 0  # the real sources are for .ci/full
status=0
"$TORCHPATCH" check --mirror "$TORCHPATCH_MIRROR" --quiet >real.txt 2>err.txt || status=$?
# 4: the mirror lacks commits of some releases, which the report names.
[ "$status" = 0 ] || [ "$status" = 4 ] || fail "check ended with $status: $(tail -n 40 real.txt)"
expect_text real.txt " 0 broken, "
echo "real sources: $(tail -n 1 real.txt)"

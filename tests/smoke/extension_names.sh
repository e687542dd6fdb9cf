#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the post-build step of known_issues/extension-not-found.md on tiny extension modules, and the build_ext override that
# patchsets/extension-names adds in a tiny setuptools package. Exit 125: a tool is missing.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python3}
for tool in cc "$python"; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 125; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$python" - "$root/known_issues/extension-not-found.md" >step.sh <<'END'
import json, re, sys
page = open(sys.argv[1], encoding='utf-8').read()
issue = json.loads(re.search(r'^```json\n(.*?)^```', page, re.S | re.M).group(1))
steps = [fix for fix in issue['fixes'] if fix['kind'] == 'post_build']
assert len(steps) == 1, steps
print('\n'.join(steps[0]['commands']))
END

# A module without Python.h, so that the test needs no Python headers: the layout of PyModuleDef on 64-bit CPython 3.
cat >module.c <<'END'
static struct { long count; void *type, *init; long index; void *copy; const char *name, *doc; long size; void *rest[5]; }
    def = {1, 0, 0, 0, 0, "module", 0, -1, {0}};
void *PyModule_Create2(void *, int);
void *PyInit__C(void) { return PyModule_Create2(&def, 1013); }
void *PyInit__dl(void) { return PyModule_Create2(&def, 1013); }
END
cc -shared -fPIC -o module.so module.c

failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
expect_file() { [ -f "$1" ] || fail "$case_name: no $1, but $(ls "$(dirname "$1")")"; }
expect_text() { grep -q "$1" out || fail "$case_name: the step does not say '$1' but: $(cat out)"; }
imports() { (cd "$lib/.." && "$python" -c 'import torch._C, torch._dl') 2>/dev/null; }

# begin NAME SUFFIX: a built tree whose two modules have this suffix.
begin() {
  case_name=$1
  rm -rf build torch
  lib=build/lib.linux/torch
  mkdir -p "$lib"
  : >"$lib/__init__.py"
  cp module.so "$lib/_C$2"
  cp module.so "$lib/_dl$2"
}
run_step() { sh step.sh >out 2>&1 || fail "$case_name: the step fails: $(cat out)"; }

abi=$("$python" -c "import sysconfig; print(sysconfig.get_config_var('SOABI').split('-')[1])")
right=$("$python" -c "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))")
foreign=.cpython-$abi-elsewhere-linux-gnu.so

begin 'right name' "$right"
imports || fail "$case_name: does not import"
run_step
expect_file "$lib/_C$right"
expect_file "$lib/_dl$right"

begin 'plain name' .so
run_step
expect_file "$lib/_C.so"
imports || fail "$case_name: does not import"

begin 'name of another platform' "$foreign"
if imports; then fail "$case_name: imports before the step"; fi
run_step
expect_file "$lib/_C.so"
expect_file "$lib/_dl.so"
imports || fail "$case_name: does not import after the step"
run_step
expect_file "$lib/_C.so"

begin 'another Python' .cpython-20m-elsewhere-linux-gnu.so
run_step
expect_file "$lib/_C.cpython-20m-elsewhere-linux-gnu.so"
expect_text 'another Python'

begin 'another machine' "$foreign"
printf '\001\001' | dd of="$lib/_C$foreign" bs=1 seek=18 conv=notrunc 2>/dev/null
run_step
expect_file "$lib/_C$foreign"
expect_file "$lib/_dl.so"
expect_text 'another machine'

# Python 2 has no importlib.machinery; what it has in its place, imp, Python 3 dropped with 3.12.
cat >python2 <<END
#!/bin/sh
exec "$python" -W ignore -c "
import sys, types
imp = types.ModuleType('imp')
imp.C_EXTENSION, imp.get_suffixes = 3, lambda: [('.so', 'rb', 3), ('.py', 'r', 1)]
sys.modules['importlib.machinery'], sys.modules['imp'] = None, imp
exec(sys.stdin.read())"
END
chmod +x python2
begin 'Python 2' .so
PYTHON=$PWD/python2 sh step.sh >out 2>&1 || fail "$case_name: the step fails: $(cat out)"
expect_file "$lib/_C.so"
expect_text '_C.so: this Python finds it'

begin 'not a library' "$foreign"
echo text >"$lib/_C$foreign"
run_step
expect_file "$lib/_C$foreign"

# build_patched OVERRIDE: builds a package whose build_ext has the override that this file holds.
build_patched() {
  rm -rf build torch other
  mkdir torch other
  : >torch/__init__.py
  : >other/__init__.py
  cp module.c torch/
  {
    echo 'import os, setuptools, setuptools.command.build_ext'
    echo 'IS_WINDOWS = False'
    echo 'build_ext_parent = setuptools.command.build_ext.build_ext'
    echo 'class build_ext(build_ext_parent):'
    cat "$1"
    echo 'names = ["torch._C", "torch._dl", "other._C_tools"]'
    echo 'modules = [setuptools.Extension(name, ["torch/module.c"]) for name in names]'
    echo 'setuptools.setup(name="torch", packages=["torch", "other"], ext_modules=modules, cmdclass={"build_ext": build_ext})'
  } >setup.py
  "$python" setup.py -q build --build-lib build/lib.linux >out 2>&1 || fail "$case_name: $(cat out)"
  expect_file build/lib.linux/torch/_C.so
  expect_file build/lib.linux/torch/_dl.so
  expect_file "build/lib.linux/other/_C_tools$right"
  "$python" setup.py -q build_ext --inplace >out 2>&1 || fail "$case_name: $(cat out)"
  expect_file torch/_C.so
  expect_file torch/_dl.so
}

if "$python" -c 'import setuptools' 2>/dev/null && "$python" -c \
  'import os, sysconfig; assert os.path.exists(sysconfig.get_paths()["include"] + "/Python.h")' 2>/dev/null; then
  mkdir overrides
  for patch in "$root"/patchsets/extension-names/*/*.patch; do
    sed -n 's/^+\([^+].*\)/\1/p' "$patch" >override
    [ -s override ] || fail "$patch adds nothing"
    mv override "overrides/$(cksum <override | tr -d ' ')"  # most variants add the same lines
  done
  for override in overrides/*; do
    case_name="patched setup.py, $override"
    build_patched "$override"
  done
else
  echo 'without the part for setup.py: no setuptools or no Python.h'
fi

[ "$failures" -eq 0 ] || exit 1
echo 'extension names: all as expected'

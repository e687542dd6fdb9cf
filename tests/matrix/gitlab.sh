#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a matrix with GitLab's pipeline on this machine, by gitlab-ci-local (npm): real trees of 1.1.0 and 1.5.1, builds that
# stub_build.py stands for, of which one board's fail. With TORCHPATCH, TORCHPATCH_MIRROR, and GITLAB_CI_LOCAL, the program
# (default: gitlab-ci-local).
#
#   tests/matrix/gitlab.sh
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TORCHPATCH=$(readlink -e -- "${TORCHPATCH:?set TORCHPATCH to the program under test}")
SOURCES=$(readlink -e -- "${TORCHPATCH_MIRROR:?set TORCHPATCH_MIRROR to a folder with copies of the repositories}")
gitlab=${GITLAB_CI_LOCAL:-gitlab-ci-local}
work=$(mktemp -d /var/tmp/torchpatch-gitlab.XXXXXX)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home GIT_CONFIG_NOSYSTEM=1 TORCHPATCH SOURCES BUILD_WITH=$here/stub_build.py
mkdir "$HOME"

expect() { # WHAT FOUND WANTED
  if [ "$2" != "$3" ]; then
    echo "gitlab.sh: error: $1: '$2', wanted '$3'" >&2
    exit 1
  fi
  echo "gitlab.sh: $1: $2"
}

for release in 1.1.0 1.5.1; do
  project=$work/$release
  "$TORCHPATCH" matrix --versions "==$release" --boards tx2,ultra96,pynq-z2 --component torch --emit gitlab-ci --cache ccache \
    --output "$project"
  cd "$project"
  git init --quiet
  git remote add origin git@gitlab.invalid:laboratory/pytorch.git
  git add .
  git -c user.name=test -c user.email=test@example.org commit --quiet --message 'jobs of torchpatch'
  STUB_FAIL=pynq-z2 "$gitlab" --shell-isolation --no-color >"$work/log" 2>&1 && status=0 || status=$?
  tail -n 25 "$work/log"
  expect "exit code of the pipeline of $release" "$status" 1
  "$TORCHPATCH" matrix status . && status=0 || status=$?
  expect "exit code of matrix status" "$status" 1
  expect "wheels of $release" "$(find results -name '*.whl' | wc -l)" 2
  failed=$(grep -l '"state": "failed"' results/*/pair.json)
  failed=${failed#results/}
  "$gitlab" "${failed%%/*}" --shell-isolation --no-color >"$work/log" 2>&1 || { tail -n 25 "$work/log" && exit 1; }
  "$TORCHPATCH" matrix status .
done

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the jobs of all pairs: sh submit.sh. Written by torchpatch.
set -eu
CDPATH=''

here=$(cd -P -- "$(dirname -- "$0")" && pwd)

# Jobs of Kubernetes do not wait for one another: this does.
run_jobs() { # FILE
  kubectl delete --ignore-not-found --filename "$here/$1" >/dev/null
  kubectl apply --filename "$here/$1"
}

# Until each job has ended, in whatever way.
wait_for() { # LABEL
  while [ "$(kubectl get jobs --selector "torchpatch-matrix=$1" \
    --output 'jsonpath={.items[*].status.conditions[?(@.status=="True")].type}' | tr ' ' '\n' | grep -c -E '^(Complete|Failed)$')" \
    -lt "$(kubectl get jobs --selector "torchpatch-matrix=$1" --output name | wc -l)" ]; do
    sleep 10
  done
}

kubectl apply --filename "$here/storage.yaml"
run_jobs sources.yaml
wait_for sources
run_jobs pairs.yaml
wait_for pairs
run_jobs gather.yaml
wait_for gather
kubectl logs --selector torchpatch-matrix=gather --tail=-1

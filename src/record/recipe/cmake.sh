#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# CMake as the cross build calls it: setup.py of some releases hands no toolchain file on.
cmake=/usr/local/bin/cmake # pip's
[ -x "$cmake" ] || cmake=/usr/bin/cmake
for argument in "$@"; do
  case $argument in
    --build | --install | -E | -P | --version | --help*) exec "$cmake" "$@" ;;
    *) ;;
  esac
done
exec "$cmake" -DCMAKE_TOOLCHAIN_FILE=/recipe/toolchain.cmake "$@"

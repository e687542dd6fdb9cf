#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# CMake as the cross build calls it: setup.py of some releases hands no toolchain file on.
for argument in "$@"; do
  case $argument in
    --build | --install | -E | -P | --version | --help*) exec /usr/bin/cmake "$@" ;;
    *) ;;
  esac
done
exec /usr/bin/cmake -DCMAKE_TOOLCHAIN_FILE=/recipe/toolchain.cmake "$@"

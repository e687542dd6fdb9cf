#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# nvcc as the cross build calls it: through the compiler cache, if there is one.
exec ${CCACHE_DIR:+ccache} /usr/bin/nvcc "$@"

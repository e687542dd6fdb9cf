// SPDX-License-Identifier: BSD-3-Clause
// What CMake makes of gloo/config.h.in on Linux.
#pragma once
#define GLOO_VERSION_MAJOR 0
#define GLOO_VERSION_MINOR 5
#define GLOO_VERSION_PATCH 0
#define GLOO_HAVE_TRANSPORT_TCP 1

// SPDX-License-Identifier: BSD-3-Clause
// All that is used is in one place.
#pragma once
#include "ffmpeg.h"

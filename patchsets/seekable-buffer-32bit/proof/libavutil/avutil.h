// SPDX-License-Identifier: BSD-3-Clause
// Of this header the buffer uses what it brings in with it.
#pragma once
#include <string.h>

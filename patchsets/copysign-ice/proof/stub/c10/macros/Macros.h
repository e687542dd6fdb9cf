// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#define C10_DEVICE
#define C10_HOST_DEVICE

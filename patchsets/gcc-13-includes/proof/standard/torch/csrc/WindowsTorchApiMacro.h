// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#define TORCH_API

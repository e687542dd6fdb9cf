// SPDX-License-Identifier: BSD-3-Clause
// Stands in for Thrust; nothing of it is used here.
#pragma once

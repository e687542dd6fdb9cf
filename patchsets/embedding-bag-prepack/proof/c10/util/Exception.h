// SPDX-License-Identifier: BSD-3-Clause
// Stands in for torch's: irange.h includes it and uses nothing of it.

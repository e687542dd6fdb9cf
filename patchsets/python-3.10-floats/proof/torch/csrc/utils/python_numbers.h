// SPDX-License-Identifier: BSD-3-Clause
// What it declares is in ATen/ATen.h here.

// SPDX-License-Identifier: BSD-3-Clause
// Included by THCGeneral.cpp; nothing of it is needed here.

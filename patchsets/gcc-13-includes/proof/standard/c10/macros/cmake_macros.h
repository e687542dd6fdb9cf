// SPDX-License-Identifier: BSD-3-Clause
// Generated when torch is configured.

// SPDX-License-Identifier: BSD-3-Clause
// Nothing of this header is used by the buffer.
#pragma once

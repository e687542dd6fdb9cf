// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#define C10_DISABLE_COPY_AND_ASSIGN(type) type(const type&) = delete

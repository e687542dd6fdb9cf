// SPDX-License-Identifier: BSD-3-Clause
// Messages that go nowhere.
#pragma once
#include <iostream>
#define LOG(severity) std::cerr
#define VLOG(level) std::cerr

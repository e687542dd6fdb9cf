// SPDX-License-Identifier: BSD-3-Clause
// Compiles SOURCE as if no header of the standard library but stdexcept and cstdint declared runtime_error and uint8_t: the
// names are macros from here on, which the two headers in standard/ take back.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <unordered_map>
#include <vector>
#define runtime_error runtime_error_without_stdexcept
#define uint8_t uint8_t_without_cstdint
#include SOURCE

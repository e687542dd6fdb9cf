// SPDX-License-Identifier: BSD-3-Clause
/// Work in the background: in a thread of its own, where the machine gives one.
#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace torchpatch {

/// Starts `work` in a thread and returns its result to come. Where no thread can be started (a limit of threads or of
/// memory is reached), the work is done when the result is asked for.
template <typename Work>
auto in_background(Work work) -> std::future<decltype(work())> {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

}  // namespace torchpatch

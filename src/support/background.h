// SPDX-License-Identifier: BSD-3-Clause
/// in_background(): runs work in its own thread, if the machine can start one.
#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace torchpatch {

/// Starts `work` in a thread and returns its future. If no thread can be started (a limit of threads or memory is
/// reached), the work runs when the result is requested.
template <typename Work>
auto in_background(Work work) -> std::future<decltype(work())> {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

}  // namespace torchpatch

// SPDX-License-Identifier: BSD-3-Clause
/// How far a fetch has come, by what git says of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace torchpatch::source {

struct FetchProgress {
  std::uint64_t objects = 0;  ///< that came
  std::uint64_t total = 0;    ///< that the server announced
  std::uint64_t bytes = 0;    ///< that came; git says it once a second
};

/// Reads git's "Receiving objects:  12% (1/8), 1.00 MiB | 2.00 MiB/s"; what a server says begins with "remote:".
class ProgressReader {
 public:
  /// Takes the next bytes of stderr, cut anywhere.
  void feed(std::string_view err);
  const FetchProgress& progress() const { return progress_; }

 private:
  void take_line(std::string_view line);

  std::string rest_;  ///< the line that has not ended yet
  FetchProgress progress_;
};

}  // namespace torchpatch::source

// SPDX-License-Identifier: BSD-3-Clause
/// What a fetch writes while it runs, and whether it has to end by that.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "source/fetch/fetch.h"
#include "support/file.h"

namespace torchpatch::source {

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

/// What git's trace of its HTTP library (GIT_TRACE_CURL) says of the last answer: git's own words on stderr give
/// neither the address of a redirect nor what a server asks of those who come too often.
class HttpTrace {
 public:
  /// Takes the next bytes of the trace, cut anywhere.
  void feed(std::string_view bytes);

  bool has_connected() const { return has_connected_; }      ///< to the server, or to a proxy
  int status() const { return status_; }                     ///< of the last answer, 0 = none came
  const std::string& location() const { return location_; }  ///< header Location of the last answer, as it came
  int retry_after() const { return retry_after_; }           ///< header Retry-After of the last answer, seconds, or 0

 private:
  void take_line(std::string_view line);
  void take_header(std::string_view header);

  std::string rest_;  ///< the line that has not ended yet
  bool has_connected_ = false;
  int status_ = 0;
  std::string location_;
  int retry_after_ = 0;
};

// Ends a fetch that has no connection, does not go on, or takes too long. It goes by what git writes: its progress,
// which comes every second as long as bytes do, whatever the transport, and its trace of HTTP. (git has no such limits
// but http.lowSpeedTime; libgit2 1.5 has none.)

class FetchWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `spent` counts towards the total timeout. `trace`: the file that git writes its trace of HTTP to; made here,
  /// empty. Raises environment.
  FetchWatch(const std::string& url, std::chrono::milliseconds spent, const FetchTimeouts& timeouts,
             const std::string& trace);

  /// Takes what git wrote on stderr since; returns why the fetch has to end now, or empty text.
  std::string check(std::string_view err, Clock::time_point now);
  /// The trace, with all that was written of it. Raises environment.
  const HttpTrace& trace();
  const FetchProgress& progress() const { return progress_.progress(); }
  /// How long the fetch has been watched.
  std::chrono::milliseconds took() const;

 private:
  bool read_trace();
  bool has_connected() const;

  std::string scheme_;
  FetchTimeouts timeouts_;
  std::chrono::milliseconds spent_;
  std::string trace_path_;
  UniqueFd trace_file_;
  HttpTrace trace_;
  ProgressReader progress_;
  std::string first_words_;  ///< of git, where it says that it connects
  bool has_begun_ = false;
  Clock::time_point begun_;
  Clock::time_point last_progress_;
  Clock::time_point last_look_;
};

}  // namespace torchpatch::source

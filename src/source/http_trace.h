// SPDX-License-Identifier: BSD-3-Clause
/// What git's trace of its HTTP library (GIT_TRACE_CURL) says of the last answer: git's own words on stderr give
/// neither the address of a redirect nor what a server asks of those who come too often.
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::source {

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

}  // namespace torchpatch::source

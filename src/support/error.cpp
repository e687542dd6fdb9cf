// SPDX-License-Identifier: BSD-3-Clause
#include "support/error.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>
#include <tuple>

#include "support/text.h"

namespace torchpatch {

Error::Error(ErrorKind kind, std::string message, std::string hint)
    : kind_(kind), message_(std::move(message)), hint_(std::move(hint)) {}

namespace {

/// Replaces "/proc/self/fd/N", the path that Staging writes to, by the directory's name, which users know.
std::string with_names(std::string action) {
  static constexpr std::string_view kDescriptors = "/proc/self/fd/";
  const std::size_t at = action.find(kDescriptors);
  if (at == std::string::npos) return action;
  const std::size_t end = action.find_first_not_of("0123456789", at + kDescriptors.size());
  const std::string link = action.substr(at, end - at);
  std::array<char, PATH_MAX> name = {};
  const ssize_t size = ::readlink(link.c_str(), name.data(), name.size());
  if (size <= 0 || name[0] != '/') return action;
  return action.replace(at, link.size(), printable(std::string_view(name.data(), static_cast<std::size_t>(size))));
}

}  // namespace

Error system_error(const std::string& action) {
  const int error = errno;
  const bool is_full = error == ENOSPC || error == EDQUOT;
  return Error(ErrorKind::environment, with_names(action) + ": " + std::strerror(error),
               is_full ? "free space on that file system, then run it again" : "");
}

std::string Finding::text() const {
  std::string out;
  if (!file.empty()) out += printable(file) + (line > 0 ? concat(":", line, ": ") : std::string(": "));
  if (!key.empty()) out += printable(key) + ": ";
  return out + message;
}

void Findings::add(std::string file, int line, std::string key, std::string message) {
  if (list_.size() == kMostFindings) {
    ++omitted_;
    return;
  }
  list_.push_back({std::move(file), line, std::move(key), std::move(message)});
}

void Findings::refuse(std::string file, int line, std::string key, std::string message) {
  has_refusal_ = true;
  add(std::move(file), line, std::move(key), std::move(message));
}

void Findings::raise_if_any(const std::string& action, ErrorKind kind, const std::string& hint) const {
  if (list_.empty()) return;
  std::vector<Finding> sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
  const std::size_t count = sorted.size() + omitted_;
  std::string message = concat(action, ": ", count, count == 1 ? " finding" : " findings");
  for (const Finding& finding : sorted) message += "\n  " + finding.text();
  if (omitted_ > 0) message += concat("\n  and ", omitted_, " more");
  Error error(kind, message, hint);
  error.set_findings(std::move(sorted));
  throw error;
}

}  // namespace torchpatch

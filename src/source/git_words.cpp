// SPDX-License-Identifier: BSD-3-Clause
#include "source/git_words.h"

#include <algorithm>
#include <array>
#include <vector>

#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr std::size_t kMaxErrors = 4;
constexpr std::size_t kMaxErrorBytes = 500;

/// Lines of what git wrote; progress ends its lines with carriage returns.
std::vector<std::string> lines_of(std::string_view err) {
  std::string text(err);
  std::replace(text.begin(), text.end(), '\r', '\n');
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view trimmed = trim(line);
    if (!trimmed.empty()) lines.emplace_back(trimmed);
  }
  return lines;
}

/// Returns the error that a line names, or empty text.
std::string error_of(std::string_view line) {
  // "Connecting to HOST (port N) ... fatal: unable to connect"
  const std::size_t fatal = starts_with(line, "Connecting to ") || starts_with(line, "Looking up ")
                                ? std::min(line.find("fatal: "), line.size())
                                : 0;
  line.remove_prefix(fatal);
  for (const std::string_view prefix :
       {"fatal: ", "error: ", "remote: error: ", "remote: fatal: ", "torchpatch: error: "}) {
    if (starts_with(line, prefix)) return std::string(line.substr(prefix.size()));
  }
  return {};
}

/// Leaves out the URL, which stands before the reason already.
std::string without_url(const std::string& error) {
  constexpr std::string_view kStart = "unable to access '";
  if (!starts_with(error, kStart)) return error;
  const std::size_t end = error.find("': ", kStart.size());
  return end == std::string::npos ? error : error.substr(end + 3);
}

/// Returns whether git's error only says that there was one before it.
bool is_empty_talk(std::string_view error) { return starts_with(error, "Could not read from remote repository"); }

}  // namespace

std::string hide_logins(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t start = text.find("//");
    if (start == std::string_view::npos) return result.append(text);
    const std::size_t word_end = std::min(text.find_first_of(" \t\r\n'\"<>", start), text.size());
    const std::size_t at = text.substr(0, word_end).rfind('@');
    const bool has_login = at != std::string_view::npos && at > start;
    result.append(text.substr(0, start + 2)).append(has_login ? "***" : "");
    text.remove_prefix(has_login ? at : start + 2);
  }
}

std::string errors_in(std::string_view err) {
  const std::vector<std::string> lines = lines_of(err);
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < lines.size() && errors.size() < kMaxErrors; ++i) {
    std::string error = error_of(lines[i]);
    if (error.empty()) continue;
    if (is_empty_talk(error)) {
      if (i == 0 || !error_of(lines[i - 1]).empty()) continue;
      error = lines[i - 1];  // ssh's
    } else if (ends_with(error, ":") && i + 1 < lines.size()) {
      error += " " + lines[i + 1];
    }
    error = hide_logins(without_url(error).substr(0, kMaxErrorBytes));
    if (std::find(errors.begin(), errors.end(), error) == errors.end()) errors.push_back(std::move(error));
  }
  return join(errors, "; ");
}

bool tells_of_connection(std::string_view errors) {
  static constexpr std::array kBroken = {"Connection refused",
                                         "Connection reset",
                                         "Connection timed out",
                                         "Connection closed",
                                         "Connection was reset",
                                         "Failed to connect",
                                         "failed to connect",
                                         "Broken pipe",
                                         "early EOF",
                                         "hung up",
                                         "unexpected disconnect",
                                         "Empty reply",
                                         "RPC failed; curl",
                                         "Recv failure",
                                         "Send failure",
                                         "timed out",
                                         "not closed cleanly",
                                         "non-properly terminated",
                                         "transfer closed",
                                         "Temporary failure in name resolution",
                                         "Network is unreachable",
                                         "No route to host"};
  if (errors.find("remote error") != std::string_view::npos) return false;
  return std::any_of(kBroken.begin(), kBroken.end(),
                     [&](std::string_view words) { return errors.find(words) != std::string_view::npos; });
}

}  // namespace torchpatch::source

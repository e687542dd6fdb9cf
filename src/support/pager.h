// SPDX-License-Identifier: BSD-3-Clause
/// Shows long text through the user's pager.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torchpatch {

struct Pager {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  ///< the whole environment
};

/// Returns the pager that the environment asks for: PAGER, else less; nothing where PAGER is empty or "cat" or no
/// program of the name is there. PAGER is split into words at blanks; only one with a character that a shell would read
/// otherwise goes to /bin/sh. As git does, LESS is FRX (short text stays on the screen, colours pass) and LV is -c
/// where they are not set.
std::optional<Pager> find_pager(const std::map<std::string, std::string>& variables);

/// Runs the pager on our own terminal with `text` as its input, and waits for its end; one that quits early is no
/// error. While it runs Ctrl-C is the pager's. Returns false where it could not be started: nothing was shown then.
bool run_pager(const Pager& pager, std::string_view text);

}  // namespace torchpatch

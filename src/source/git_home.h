// SPDX-License-Identifier: BSD-3-Clause
/// What the git programs of one run see of the world: an empty home of their own, and of the user's exactly what
/// FetchOptions names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "source/fetch.h"
#include "support/file.h"

namespace torchpatch::source {

class GitHome {
 public:
  /// Makes the home, with the configuration of ssh in it. Raises environment.
  explicit GitHome(const FetchOptions& options);

  const std::string& path() const { return directory_.path(); }
  /// Returns the whole environment for a fetch from `url` that writes its trace of HTTP to `trace`.
  std::vector<std::pair<std::string, std::string>> environment(const std::string& url, const std::string& trace) const;

 private:
  TempDir directory_;
  const FetchOptions& options_;
};

/// Returns the configuration for ssh. Hosts are known by the user's known_hosts and the machine's, and by nothing else:
/// an unknown one is refused, and nothing is added. Without `options.credentials` no key and no agent is used and
/// nobody's configuration is read; with them the user's and the machine's are, for these say which key is for which
/// host.
std::string ssh_configuration(const FetchOptions& options);

}  // namespace torchpatch::source

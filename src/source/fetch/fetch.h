// SPDX-License-Identifier: BSD-3-Clause
/// What is fetched, how patiently, and what came of it: the seam between the network source and those who fetch.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/object_id.h"

namespace torchpatch::source {

struct FetchProgress {
  std::uint64_t objects = 0;  ///< that came
  std::uint64_t total = 0;    ///< that the server announced
  std::uint64_t bytes = 0;    ///< that came; git says it once a second
};

/// Commits of one URL, into one repository.
struct Fetch {
  std::string url;         ///< without url_problem
  std::string repository;  ///< a bare repository that nobody else writes to
  std::vector<ObjectId> commits;
  std::chrono::milliseconds spent{0};  ///< by earlier attempts; counts towards the total timeout
  int files_at_once = 0;               ///< 0: whole commits; else in parts that are kept, so many files each
  bool is_hint = false;                ///< a failure is no loss: it is not tried again
  bool with_history = false;           ///< branches, tags, and all that they and the commits come from
};

struct FetchTimeouts {
  std::chrono::seconds connect{30};  ///< longest time until the server is reached
  std::chrono::seconds idle{60};     ///< longest time without progress
  std::chrono::seconds total{3600};  ///< longest time for one fetch with all its attempts and the waits between them
};

/// What of the user's configuration git may use to log in; nobody prints or keeps any of it.
struct Credentials {
  std::vector<std::pair<std::string, std::string>> settings{};  ///< credential.* of git's configuration, in its order
  std::map<std::string, std::string> variables{};  ///< of the environment: what helpers, ssh and agents need
};

/// What all fetches of a run have in common.
struct FetchOptions {
  int parallel = 12;  ///< fetches side by side; more gained nothing (docs/network.md), and git daemon takes 32
  int retries = 3;    ///< further attempts where a failure may pass
  FetchTimeouts timeouts{};
  std::map<std::string, std::string> network{};  ///< proxies and certificate authorities: network_variables()
  std::string home{};                            ///< of the user, for the host keys that ssh knows; may be empty
  std::optional<Credentials> credentials{};      ///< none: nobody logs in anywhere
  std::function<void(const FetchProgress&)> on_progress{};  ///< told often of all that run together; may be empty
};

struct FetchOutcome {
  std::string reason{};         ///< why not, or empty where it worked
  bool may_pass = false;        ///< a later attempt may work: the connection was refused or broke, a timeout, 429, 5xx
  bool broke_off = false;       ///< it may, and objects had begun to come
  bool has_progressed = false;  ///< some parts came, and are kept
  std::chrono::milliseconds took{0};  ///< how long the attempt took
  std::chrono::seconds wait{0};       ///< how long the server asks to be left alone (Retry-After)
  std::string output{};               ///< what the program printed where it worked, the first 1 MiB
};

}  // namespace torchpatch::source

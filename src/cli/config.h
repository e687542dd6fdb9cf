// SPDX-License-Identifier: BSD-3-Clause
/// Settings that tune how the network is used. They never change what is written, nor who is contacted: --offline,
/// --url-map and --credentials are options of the command line alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "support/json_fields.h"

namespace torchpatch::cli {

inline constexpr int kMaxSeconds = 7 * 24 * 3600;
inline constexpr int kMaxRetries = 100;

/// config.json; TORCHPATCH_* and options have the same settings by the same names (TORCHPATCH_IDLE_TIMEOUT,
/// --idle-timeout).
struct Config {
  std::optional<int> connect_timeout, idle_timeout, timeout, retries;
  std::vector<std::string>
      origins{};  ///< once settled, of each in this order: a path, variable or option, or "default"
};
FIELDS(Config, ("schema", SchemaVersion{}),
       ("connect_timeout", self.connect_timeout, kOptional, Range{1, kMaxSeconds},
        "longest time in seconds to reach a server; default: 30"),
       ("idle_timeout", self.idle_timeout, kOptional, Range{1, kMaxSeconds},
        "longest time in seconds in which a fetch makes no progress; default: 60"),
       ("timeout", self.timeout, kOptional, Range{1, kMaxSeconds},
        "longest time in seconds for one fetch, with all its attempts; default: 3600"),
       ("retries", self.retries, kOptional, Range{0, kMaxRetries},
        "further attempts after a refused or broken connection, a timeout, or an answer of a busy server; default: 3"))

/// Declares an option for each setting; those of `is_listed` false work, but help does not list them.
void declare_config_options(OptionSet& options, Config& typed, bool is_listed);

/// Returns each setting from the first that has it: the options, the environment, the file, the default. Raises usage
/// for a variable of the wrong form; data where the file is not as docs/formats.md says; environment where it cannot be
/// read.
Config settled_config(const Config& typed, const Environment& environment);

}  // namespace torchpatch::cli

// SPDX-License-Identifier: BSD-3-Clause
/// A catalog while its layers are laid one over the other.
#pragma once

#include <map>
#include <set>
#include <string>

#include "catalog/data_file.h"
#include "model/catalog.h"

namespace torchpatch::catalog {

struct Assembly {
  Catalog catalog;
  Findings findings;
  /// The file of each entry of `catalog.origins`, for the lines of later findings.
  std::map<std::string, DataFile> files;
  /// Entries whose file is there but cannot be read; what refers to them is not to blame.
  std::set<std::string> unreadable;

  bool is_known(const std::string& entry) const {
    return catalog.origins.count(entry) > 0 || unreadable.count(entry) > 0;
  }
  /// Adds a finding at a key of an entry's file.
  void report(const std::string& entry, const std::string& key_path, std::string message) {
    const DataFile& file = files.at(entry);
    findings.add(file.path, line_of(file.json, key_path), key_path, std::move(message));
  }
};

/// The names of entries in `origins`, `files` and findings.
inline std::string release_entry(const std::string& version) { return "release " + version; }
inline std::string board_entry(const std::string& id) { return "board " + id; }
inline std::string issue_entry(const std::string& id) { return "issue " + id; }
inline std::string patchset_entry(const std::string& id) { return "patchset " + id; }

}  // namespace torchpatch::catalog

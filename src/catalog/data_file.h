// SPDX-License-Identifier: BSD-3-Clause
/// Data files of a catalog directory (DataFile): found and read without following links; refusals become findings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/citation.h"
#include "support/digest.h"
#include "support/json_fields.h"

namespace torchpatch::catalog {

/// Size limit of a catalog's JSON file: 16 MiB (certificates of a large patchset are far smaller).
inline constexpr std::uint64_t kMaxJsonBytes = 16ull << 20;
/// Size limit of an issue page: 256 KiB. cmark needs quadratic time for some inputs.
inline constexpr std::uint64_t kMaxPageBytes = 256ull << 10;
/// Size limit of a patch, and of a file that a fix adds: 16 MiB.
inline constexpr std::uint64_t kMaxPatchBytes = 16ull << 20;

/// A data file as read: its digest, and its JSON, with line numbers for later findings.
struct DataFile {
  std::string path;
  Sha256 digest;
  Json json;
};

/// Returns the bytes of a regular file; a finding (and nothing) if it is absent, a link, a device, a pipe or over
/// `limit`. Like everything here, raises environment if the system does not allow reading it.
std::optional<std::string> read_bytes(const std::string& path, std::uint64_t limit, Findings& findings);

/// The same for a file below `directory`; no folder on the path may be a link.
std::optional<std::string> read_bytes_below(const std::string& directory, const std::string& name, std::uint64_t limit,
                                            Findings& findings);

/// Returns whether anything exists at a path, including a dangling link.
bool is_present(const std::string& path);

/// Returns a file's JSON; a finding (and nothing) if it is not a readable file or not strict JSON.
std::optional<DataFile> read_json_file(const std::string& path, Findings& findings);

/// Returns the names of the regular files in `directory`, without `extension`, in bytewise order; none if the directory
/// is absent. Names with a leading dot are skipped; anything else is a finding.
std::vector<std::string> list_stems(const std::string& directory, std::string_view extension, Findings& findings);

/// Returns the names of the directories in `directory`, by the same rules.
std::vector<std::string> list_folders(const std::string& directory, Findings& findings);

/// Returns the value that a file describes; problems become findings.
template <typename Value>
Value read_value(const DataFile& file, Findings& findings) {
  Value value{};
  JsonReader::read({file.json, file.path, "", findings}, value);
  return value;
}

/// Adds a finding if the text at `key` does not match the file's path.
inline void require_name(const DataFile& file, const std::string& key, const std::string& found,
                         const std::string& expected, Findings& findings) {
  if (!found.empty() && found != expected) {
    findings.add(file.path, line_of(file.json, key), key,
                 concat("is ", quote(found), ", but the file's path has ", quote(expected)));
  }
}

/// Adds a finding for every figure of the file that no note covers, and for every key in a note that does not exist in
/// the file. `figures` are patterns of key paths, with "*" for any name: "images.*.glibc". Elements of a list are named
/// by their id. A key covers everything below it.
void check_figures(const Json& root, const std::string& file, const std::vector<SourceNote>& notes,
                   const std::vector<std::string>& figures, Findings& findings);

}  // namespace torchpatch::catalog

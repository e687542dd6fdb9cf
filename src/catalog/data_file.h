// SPDX-License-Identifier: BSD-3-Clause
/// Data files of a catalog directory (DataFile): found and read without following links, every refusal a finding.
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

/// Largest JSON file of a catalog: 16 MiB (certificates of a large patchset stay far below).
inline constexpr std::uint64_t kMaxJsonBytes = 16ull << 20;
/// Largest issue page: 256 KiB. cmark needs quadratic time for some inputs.
inline constexpr std::uint64_t kMaxPageBytes = 256ull << 10;
/// Largest patch, and largest file that a fix adds: 16 MiB.
inline constexpr std::uint64_t kMaxPatchBytes = 16ull << 20;

/// A data file as it was read: its digest, and its JSON, which knows the lines for findings made later.
struct DataFile {
  std::string path;
  Sha256 digest;
  Json json;
};

/// Returns the bytes of a regular file; a finding (and nothing) where it is absent, a link, a device, a pipe or over
/// `limit`. Like everything here raises environment where the machine does not let it be read.
std::optional<std::string> read_bytes(const std::string& path, std::uint64_t limit, Findings& findings);

/// The same for a file below `directory`, none of whose folders on the way may be a link.
std::optional<std::string> read_bytes_below(const std::string& directory, const std::string& name, std::uint64_t limit,
                                            Findings& findings);

/// Returns true where anything stands at a path, a dangling link too.
bool is_present(const std::string& path);

/// Returns a file's JSON; a finding (and nothing) where it is no such file or not strict JSON.
std::optional<DataFile> read_json_file(const std::string& path, Findings& findings);

/// Returns the names of the regular files of `directory` without `extension`, in bytewise order; nothing where the
/// directory is absent. Names that begin with a dot are passed over; anything else there is a finding.
std::vector<std::string> list_stems(const std::string& directory, std::string_view extension, Findings& findings);

/// Returns the names of the directories in `directory`, in bytewise order, by the same rules.
std::vector<std::string> list_folders(const std::string& directory, Findings& findings);

/// Returns what a file describes; what is wrong with it is findings.
template <typename Value>
Value read_value(const DataFile& file, Findings& findings) {
  Value value{};
  JsonReader::read({file.json, file.path, "", findings}, value);
  return value;
}

/// Adds a finding if the text at `key` is not what the file's path says.
inline void require_name(const DataFile& file, const std::string& key, const std::string& found,
                         const std::string& expected, Findings& findings) {
  if (!found.empty() && found != expected) {
    findings.add(file.path, line_of(file.json, key), key,
                 concat("is ", quote(found), ", but the file's path has ", quote(expected)));
  }
}

/// Adds a finding for every figure of the file that no note covers, and for every key of a note that names nothing in
/// the file. `figures` are patterns of key paths, "*" standing for any name: "images.*.glibc". An element of a list
/// goes by its id. A key covers what lies below it.
void check_figures(const Json& root, const std::string& file, const std::vector<SourceNote>& notes,
                   const std::vector<std::string>& figures, Findings& findings);

}  // namespace torchpatch::catalog

// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/data_file.h"

#include <cstring>
#include <filesystem>
#include <map>

#include "support/error.h"
#include "support/file.h"
#include "support/json.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

namespace fs = std::filesystem;

/// Raises environment if the path cannot be examined: then nothing is known about the catalog.
fs::file_type type_of(const std::string& path) {
  std::error_code failed;
  const fs::file_type type = fs::symlink_status(path, failed).type();
  if (type == fs::file_type::none)
    throw Error(ErrorKind::environment, concat("examining ", quote(path), ": ", std::strerror(failed.value())));
  return type;
}

/// Returns what a path is if something else was expected.
const char* type_name(fs::file_type type) {
  switch (type) {
    case fs::file_type::symlink:
      return "a symbolic link";
    case fs::file_type::directory:
      return "a directory";
    case fs::file_type::regular:
      return "a regular file";
    case fs::file_type::not_found:
      return "absent";
    default:
      return "a special file";
  }
}

/// Returns the names in a directory, if it exists and is not a link.
std::vector<std::string> visible_names(const std::string& directory, Findings& findings) {
  const fs::file_type type = type_of(directory);
  if (type == fs::file_type::not_found) return {};
  if (type != fs::file_type::directory) {
    findings.add(directory, 0, "", concat("must be a directory, but is ", type_name(type)));
    return {};
  }
  std::vector<std::string> names;
  for (const std::string& name : list_directory(directory))
    if (!starts_with(name, ".")) names.push_back(name);
  return names;
}

/// Returns the id of a list's element, or empty text.
std::string id_of(const Json& element) {
  for (const auto& [key, value] : element.members)
    if (key == "id" && value.kind == Json::Kind::string) return value.string;
  return {};
}

using Pattern = std::vector<std::string>;  ///< names from the root down; "*" is any

/// Walks a file: every figure must be covered by a key of its sources, and every such key must exist.
class FigureCheck {
 public:
  FigureCheck(const std::string& file, const std::vector<SourceNote>& notes, Findings& findings)
      : file_(file), findings_(findings) {
    for (const SourceNote& note : notes)
      for (const std::string& key : note.keys) is_known_.emplace(key, false);
  }

  /// Checks everything below `value`, which is at `path`. `patterns`: those whose first names, one per level, match
  /// `path`.
  void walk(const Json& value, const std::string& path, std::size_t depth, bool is_covered,
            const std::vector<const Pattern*>& patterns) {
    const auto descend = [&](const std::string& name, const Json& child) {
      const std::string below = path.empty() ? name : concat(path, ".", name);
      const auto key = is_known_.find(below);
      if (key != is_known_.end()) key->second = true;
      const bool is_below_covered = is_covered || key != is_known_.end();
      std::vector<const Pattern*> matching;
      for (const Pattern* pattern : patterns) {
        const std::string& wanted = (*pattern)[depth];
        if (wanted != "*" && wanted != name) continue;
        if (pattern->size() > depth + 1)
          matching.push_back(pattern);
        else if (!is_below_covered)
          findings_.add(file_, child.line, below, "no entry of 'sources' covers this figure");
      }
      walk(child, below, depth + 1, is_below_covered, matching);
    };
    for (const auto& [name, child] : value.members) descend(name, child);
    for (const Json& element : value.items)
      if (const std::string id = id_of(element); !id.empty()) descend(id, element);
  }

  void report_unknown_keys(int line) {
    for (const auto& [key, is_known] : is_known_)
      if (!is_known) findings_.add(file_, line, "sources", concat(quote(key), " does not match anything in this file"));
  }

 private:
  const std::string& file_;
  Findings& findings_;
  std::map<std::string, bool> is_known_;
};

}  // namespace

std::optional<std::string> read_bytes(const std::string& path, std::uint64_t limit, Findings& findings) {
  const fs::file_type type = type_of(path);
  if (type != fs::file_type::regular) {
    const char* problem = type == fs::file_type::not_found ? "does not exist" : type_name(type);
    findings.add(path, 0, "",
                 type == fs::file_type::not_found ? problem : concat("must be a regular file, but is ", problem));
    return std::nullopt;
  }
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(path, failed);
  if (!failed && size > limit) {
    findings.add(path, 0, "", concat("has ", size, " bytes; the limit is ", limit));
    return std::nullopt;
  }
  return read_file(path, limit);
}

std::optional<std::string> read_bytes_below(const std::string& directory, const std::string& name, std::uint64_t limit,
                                            Findings& findings) {
  for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string folder = concat(directory, '/', name.substr(0, slash));
    const fs::file_type type = type_of(folder);
    if (type != fs::file_type::directory && type != fs::file_type::not_found) {
      findings.add(folder, 0, "", concat("must be a directory, but is ", type_name(type)));
      return std::nullopt;
    }
  }
  return read_bytes(concat(directory, '/', name), limit, findings);
}

bool is_present(const std::string& path) { return type_of(path) != fs::file_type::not_found; }

std::optional<DataFile> read_json_file(const std::string& path, Findings& findings) {
  const std::optional<std::string> bytes = read_bytes(path, kMaxJsonBytes, findings);
  if (!bytes) return std::nullopt;
  std::optional<Json> json = parse_json(*bytes, path, 1, findings);
  if (!json) return std::nullopt;
  return DataFile{path, sha256(*bytes), std::move(*json)};
}

std::vector<std::string> list_stems(const std::string& directory, std::string_view extension, Findings& findings) {
  std::vector<std::string> stems;
  for (const std::string& name : visible_names(directory, findings)) {
    if (ends_with(name, extension)) {
      stems.push_back(name.substr(0, name.size() - extension.size()));
    } else {
      findings.add(concat(directory, '/', name), 0, "",
                   concat("is not a ", extension, " file; nothing else is allowed here"));
    }
  }
  return stems;
}

std::vector<std::string> list_folders(const std::string& directory, Findings& findings) {
  std::vector<std::string> folders;
  for (const std::string& name : visible_names(directory, findings)) {
    const std::string path = concat(directory, '/', name);
    const fs::file_type type = type_of(path);
    if (type == fs::file_type::directory)
      folders.push_back(name);
    else
      findings.add(path, 0, "", concat("must be a directory, but is ", type_name(type)));
  }
  return folders;
}

void check_figures(const Json& root, const std::string& file, const std::vector<SourceNote>& notes,
                   const std::vector<std::string>& figures, Findings& findings) {
  std::vector<Pattern> patterns;
  for (const std::string& figure : figures) patterns.push_back(split(figure, '.'));
  std::vector<const Pattern*> all;
  for (const Pattern& pattern : patterns) all.push_back(&pattern);
  FigureCheck check(file, notes, findings);
  check.walk(root, "", 0, false, all);
  check.report_unknown_keys(line_of(root, "sources"));
}

}  // namespace torchpatch::catalog

// SPDX-License-Identifier: BSD-3-Clause
#include "record/manifest_file.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "model/path_rule.h"
#include "support/error.h"
#include "support/json_fields.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

Json sorted_json(Manifest sorted) {
  std::ranges::sort(sorted.repositories, {}, &ManifestRepository::path);
  std::ranges::sort(sorted.links, {}, &OutLink::path);
  std::ranges::sort(sorted.executables);
  std::ranges::sort(sorted.side_files, {}, &ManifestSideFile::name);
  std::ranges::sort(sorted.origins, {}, &EntryOrigin::entry);
  return to_json(sorted);
}

constexpr std::size_t kHexLength = 64;

/// sha256sum marks a line whose name has a backslash with a leading backslash, and doubles those in the name.
std::string escaped(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// Returns nothing if a backslash is not doubled.
std::optional<std::string> unescaped(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && (++i == name.size() || name[i] != '\\')) return std::nullopt;
    out += name[i];
  }
  return out;
}

struct Row {
  std::string path;
  Sha256 sum;
};

std::optional<Row> parse_row(std::string_view line) {
  const bool is_escaped = starts_with(line, "\\");
  if (is_escaped) line.remove_prefix(1);
  if (line.size() <= kHexLength + 2 || line.substr(kHexLength, 2) != "  ") return std::nullopt;
  const std::optional<Sha256> sum = Sha256::parse(line.substr(0, kHexLength));
  const std::string_view name = line.substr(kHexLength + 2);
  const std::optional<std::string> path = is_escaped ? unescaped(name) : std::string(name);
  if (!sum || !path) return std::nullopt;
  if (is_escaped != (path->find('\\') != std::string::npos)) return std::nullopt;
  return Row{*path, *sum};
}

[[noreturn]] void refuse(const std::string& file, std::size_t line, const std::string& why) {
  throw Error(ErrorKind::data, concat(file, ":", line, ": ", why),
              "torchpatch writes this file; prepare the tree again");
}

void check_path(const std::string& path, const std::string& where) {
  if (const auto problem = output_path_problem(path))
    throw Error(ErrorKind::unsafe, concat(where, ": path ", quote(path), " ", *problem));
}

}  // namespace

std::string manifest_json(const Manifest& manifest) { return canonical_json(sorted_json(manifest), "manifest.json"); }

std::vector<std::string> differing_fields(const Manifest& left, const Manifest& right) {
  const auto values_of = [](const Manifest& manifest) {
    std::set<std::pair<std::string, std::string>> values;
    for (const JsonMember& member : sorted_json(manifest).members)
      values.emplace(member.name, canonical_json(member.value, member.name));
    return values;
  };
  std::set<std::pair<std::string, std::string>> differing;
  std::ranges::set_symmetric_difference(values_of(left), values_of(right), std::inserter(differing, differing.end()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : differing)
    if (keys.empty() || keys.back() != key) keys.push_back(key);
  return keys;
}

Manifest parse_manifest(std::string_view bytes, const std::string& file) {
  Findings findings;
  auto manifest = read_json<Manifest>(bytes, file, findings);
  if (!ends_with(bytes, "\n")) findings.add(file, 0, "", "the file is truncated: it does not end with a newline");
  findings.raise_if_any("reading the manifest", findings.has_refusal() ? ErrorKind::unsafe : ErrorKind::data,
                        "torchpatch writes this file; prepare the tree again instead of editing it");
  return manifest;
}

std::string sums_text(const Sums& sums) {
  std::string out;
  for (const auto& [path, sum] : sums) {
    check_path(path, "writing SHA256SUMS");
    const bool is_plain = path.find('\\') == std::string::npos;
    out += is_plain ? concat(sum.hex(), "  ", path, "\n") : concat("\\", sum.hex(), "  ", escaped(path), "\n");
  }
  return out;
}

Sums parse_sums(std::string_view bytes, const std::string& file) {
  Sums sums;
  for (std::size_t line = 1; !bytes.empty(); ++line) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) refuse(file, line, "the file is truncated: no newline at the end");
    std::optional<Row> row = parse_row(bytes.substr(0, end));
    if (!row) refuse(file, line, "not '<64 lower-case hex digits>  <path>'");
    check_path(row->path, concat(file, ":", line));
    if (!sums.empty() && row->path <= sums.rbegin()->first)
      refuse(file, line, concat(quote(row->path), " is listed twice or out of bytewise order"));
    sums.emplace_hint(sums.end(), std::move(row->path), row->sum);
    bytes.remove_prefix(end + 1);
  }
  return sums;
}

}  // namespace torchpatch::record

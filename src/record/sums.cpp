// SPDX-License-Identifier: BSD-3-Clause
#include "record/sums.h"

#include <optional>

#include "model/path_rule.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

constexpr std::size_t kHexLength = 64;

/// sha256sum marks a line whose name has a backslash with one in front, and doubles those in the name.
std::string escaped(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// Returns nothing where a backslash stands alone.
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
    if (end == std::string_view::npos) refuse(file, line, "the file is cut off: no newline at the end");
    std::optional<Row> row = parse_row(bytes.substr(0, end));
    if (!row) refuse(file, line, "not '<64 lower-case hex digits>  <path>'");
    check_path(row->path, concat(file, ":", line));
    if (!sums.empty() && row->path <= sums.rbegin()->first)
      refuse(file, line, concat(quote(row->path), " stands twice or not in bytewise order"));
    sums.emplace_hint(sums.end(), std::move(row->path), row->sum);
    bytes.remove_prefix(end + 1);
  }
  return sums;
}

}  // namespace torchpatch::record

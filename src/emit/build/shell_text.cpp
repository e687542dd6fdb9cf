// SPDX-License-Identifier: BSD-3-Clause
#include "emit/build/shell_text.h"

#include <algorithm>

#include "model/path_rule.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

std::string comment_text(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), is_control, ' ');
  return out;
}

std::string export_command(const std::string& name, const std::string& value) {
  return concat("export ", name, "=", shell_quote(value));
}

bool is_variable_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string subject(const Manifest& manifest) {
  const char* what = manifest.stand_in ? "a stand-in for PyTorch " : "PyTorch ";
  return comment_text(concat(what, manifest.release, " for ", manifest.board, " (", manifest.image, ")"));
}

std::string builder(const Manifest& manifest) {
  if (manifest.host.empty()) return comment_text(concat("image ", manifest.image));
  return comment_text(concat("host ", manifest.host.at("board"), " (", manifest.host.at("image"), ")"));
}

std::string list_function(std::string_view name, const std::vector<std::string>& lines) {
  if (lines.empty()) return concat(name, "() { :; }\n");
  // A here-document ends at the first line that is its word: take one that is none of the lines.
  std::string word = "END";
  while (std::find(lines.begin(), lines.end(), word) != lines.end()) word += "_";
  std::string out = concat(name, "() {\n  cat <<'", word, "'\n");
  for (const std::string& line : lines) out += line + "\n";
  return concat(out, word, "\n}\n");
}

std::optional<std::string> output_link_problem(std::string_view path, std::string_view target) {
  if (auto problem = output_path_problem(path)) return problem;
  return link_problem(path, target);
}

}  // namespace torchpatch::emit

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "record/matrix/parts.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

/// Text that no schema of YAML takes for anything else.
bool is_plain(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto may_stand = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || std::string_view("-_/.@ ").find(c) != std::string_view::npos;
  };
  constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  if (text.empty() || !is_letter(text[0]) || text.back() == ' ' || !std::ranges::all_of(text, may_stand)) return false;
  return std::ranges::none_of(kWords, [&](std::string_view word) { return lower_case(text) == word; });
}

std::string flat(const Json& value) {
  if (value.kind == Json::Kind::string && is_plain(value.string)) return value.string;
  return indented_json(value, -1);
}

class YamlPrinter {
 public:
  std::string take() && { return std::move(out_); }

  void members(const Json& object, std::size_t indent, bool is_behind_dash = false) {
    for (const JsonMember& member : object.members) {
      if (!is_behind_dash) out_ += std::string(indent, ' ');
      is_behind_dash = false;
      out_ += flat(member.name) + ":";
      value(member.value, indent + 2);
    }
  }

 private:
  void value(const Json& value, std::size_t indent) {
    if (value.kind == Json::Kind::object && !value.empty()) {
      out_ += "\n";
      members(value, indent);
    } else if (value.kind == Json::Kind::array && !value.empty()) {
      out_ += "\n";
      for (const Json& item : value.items) list_item(item, indent);
    } else if (value.kind == Json::Kind::string && value.string.find('\n') != std::string::npos) {
      literal(value.string, indent);
    } else {
      out_ += " " + flat(value) + "\n";
    }
  }

  void list_item(const Json& item, std::size_t indent) {
    out_ += std::string(indent, ' ') + "-";
    if (item.kind == Json::Kind::object && !item.empty()) {
      out_ += " ";
      members(item, indent + 2, true);
    } else {
      value(item, indent + 2);
    }
  }

  /// A text that ends with one line end, and whose first line is neither empty nor indented.
  void literal(const std::string& text, std::size_t indent) {
    const bool has_end = text.back() == '\n';
    out_ += has_end ? " |\n" : " |-\n";
    for (const std::string& line : split(has_end ? text.substr(0, text.size() - 1) : text, '\n'))
      out_ += (line.empty() ? "" : std::string(indent, ' ') + line) + "\n";
  }

  std::string out_;
};

}  // namespace

std::string yaml(std::string_view title, const Json& value) {
  YamlPrinter printer;
  printer.members(value, 0);
  return concat("# SPDX-License-Identifier: BSD-3-Clause\n# ", title, " Written by torchpatch.\n",
                std::move(printer).take());
}

}  // namespace torchpatch::record

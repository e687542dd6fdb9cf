// SPDX-License-Identifier: BSD-3-Clause
#include "model/release.h"
#include "support/text.h"
#include "trees/flags/read_script.h"

namespace torchpatch::trees {

namespace {

/// Makes shell of a recipe of make: "$$" is '$', "$(NAME)" "${NAME}".
std::string shell_of_recipe(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_dollar = text[at] == '$' && at + 1 < text.size();
    if (is_dollar && text[at + 1] == '$') {
      out += '$';
      ++at;
    } else if (is_dollar && text[at + 1] == '(') {
      const std::size_t end = text.find(')', at);
      const std::string_view name = text.substr(at + 2, std::min(end, text.size()) - at - 2);
      if (end == std::string_view::npos || !is_variable_name(name)) {
        out += '$';
        continue;
      }
      out += concat("${", name, "}");
      at = end;
    } else {
      out += text[at];
    }
  }
  return out;
}

class MakefileReader {
 public:
  explicit MakefileReader(ScriptBuilder& builder) : builder_(builder) { place_.shell = builder.add_shell(-1); }

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t line = ++line_;
      std::string words(take_script_line(text));
      while (words.ends_with('\\') && !text.empty()) {
        words += concat("\n", take_script_line(text));
        ++line_;
      }
      if (in_definition_)
        in_definition_ = trim(words) != "endef";
      else if (words.starts_with('\t') && in_rule_)
        read_recipe(words, line);
      else
        read_line(words, line);
    }
    // Whatever stands where, `export` without names is for all.
    for (ScriptStep& step : builder_.script.steps)
      if (exports_all_ && step.reach == Reach::assigned && step.shell == place_.shell) step.reach = Reach::exported;
  }

 private:
  void read_recipe(std::string_view text, std::size_t line) {
    while (!text.empty() && std::string_view("\t @-+").find(text.front()) < std::string_view::npos)
      text.remove_prefix(1);
    if (!is_one_shell_ || recipe_.shell < 0) {
      recipe_ = place_;
      recipe_.shell = builder_.add_shell(place_.shell);
    }
    builder_.read_shell(shell_of_recipe(text), line, recipe_);
  }

  void read_line(const std::string& text, std::size_t line) {
    note_reads(text);
    const std::string_view words = trim(std::string_view(text).substr(0, text.find('#')));
    if (words.empty()) return;
    const std::string first(words.substr(0, words.find_first_of(" \t(")));
    if (read_conditional(first)) return;
    if (first == "define") {
      in_definition_ = true;
      builder_.remarks.skipped.push_back({line, "a 'define' of make"});
      return;
    }
    if (first == "include" || first == "-include")
      builder_.remarks.skipped.push_back({line, "a file that is included"});
    bool is_exported = false;
    if (!read_assignment(words, line, is_exported)) read_rule(words, line, is_exported);
  }

  bool read_conditional(const std::string& first) {
    if (first == "ifeq" || first == "ifneq" || first == "ifdef" || first == "ifndef")
      place_.branches.emplace_back(builder_.add_group(), 0);
    else if (first == "else" && !place_.branches.empty())
      ++place_.branches.back().second;
    else if (first == "endif" && !place_.branches.empty())
      place_.branches.pop_back();
    else
      return false;
    return true;
  }

  void note_reads(std::string_view text) {
    const std::string as_shell = shell_of_recipe(text);
    for (std::size_t at = as_shell.find("${"); at < as_shell.size(); at = as_shell.find("${", at + 1))
      builder_.remarks.reads.insert(as_shell.substr(at + 2, as_shell.find('}', at) - at - 2));
  }

  /// [export|override] NAME = VALUE, and the same for a target. Sets `is_exported` for "export" alone, too.
  bool read_assignment(std::string_view words, std::size_t line, bool& is_exported) {
    for (const std::string_view each : {"override", "private", "export", "override"}) {
      if (!words.starts_with(each) || (words.size() > each.size() && words[each.size()] != ' ')) continue;
      is_exported |= each == "export";
      words = trim(words.substr(each.size()));
    }
    const std::size_t equals = words.find('=');
    if (equals == std::string_view::npos) return false;
    std::size_t end = equals;
    while (end > 0 && std::string_view(":?+!").find(words[end - 1]) < std::string_view::npos) --end;
    const std::string_view sign = words.substr(end, equals - end);
    std::string_view name = trim(words.substr(0, end));
    if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos) {
      name = trim(name.substr(colon + 1));  // target: export NAME = VALUE
      if (name.starts_with("export ")) {
        is_exported = true;
        name = trim(name.substr(7));
      }
      if (!is_variable_name(name)) return false;
    }
    in_rule_ = false;
    if (!is_variable_name(name)) return true;
    ShellToken value{.kind = ShellToken::Kind::word, .text = std::string(trim(words.substr(equals + 1))), .line = line};
    value.is_literal = value.text.find('$') == std::string::npos;
    if (sign.find('+') < std::string_view::npos) value.reads.insert(std::string(name));
    const std::size_t before = builder_.script.steps.size();
    builder_.set(place_, line, std::string(name), value, is_exported ? Reach::exported : Reach::assigned);
    for (std::size_t i = before; i < builder_.script.steps.size(); ++i)
      builder_.script.steps[i].is_default = sign.find('?') < std::string_view::npos;
    return true;
  }

  void read_rule(std::string_view words, std::size_t line, bool is_exported) {
    if (is_exported) {
      words = trim(words.substr(6));
      exports_all_ |= words.empty();
      for (const std::string& name : split(words, ' ')) builder_.script.exported.insert(name);
      return;
    }
    exports_all_ |= words.starts_with(".EXPORT_ALL_VARIABLES");
    is_one_shell_ |= words.starts_with(".ONESHELL");
    if (words.find(':') == std::string_view::npos) return;
    in_rule_ = true;
    recipe_.shell = -1;
    if (const std::size_t recipe = words.find(';'); recipe != std::string_view::npos)
      read_recipe(words.substr(recipe + 1), line);
  }

  ScriptBuilder& builder_;
  ShellPlace place_, recipe_{.shell = -1};
  std::size_t line_ = 0;
  bool in_rule_ = false, in_definition_ = false, exports_all_ = false, is_one_shell_ = false;
};

}  // namespace

void read_makefile(std::string_view text, ScriptBuilder& builder) { MakefileReader(builder).read(text); }

}  // namespace torchpatch::trees

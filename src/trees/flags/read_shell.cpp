// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "model/release.h"
#include "support/file.h"
#include "support/text.h"
#include "trees/flags/read_script.h"
#include "trees/flags/shell_commands.h"

namespace torchpatch::trees {

namespace {

constexpr int kMostDepth = 100;

class ShellReader {
 public:
  ShellReader(std::string_view text, std::size_t line, ScriptBuilder& builder, ShellPlace& place, int depth = 0)
      : words_(text, line, builder.remarks), builder_(builder), place_(place), depth_(depth) {}

  void read() {
    while (words_.peek().kind != ShellToken::Kind::end) {
      read_list(place_, {});
      if (words_.peek().kind != ShellToken::Kind::end) words_.take();  // a "fi" or ")" that closes nothing
    }
  }

 private:
  using Ends = std::vector<std::string_view>;

  bool is_at_end(const Ends& ends) {
    const ShellToken& next = words_.peek();
    if (next.kind == ShellToken::Kind::end) return true;
    return std::ranges::any_of(ends, [&](std::string_view end) { return next.is_bare(end) || next.is_sign(end); });
  }

  /// Reads commands up to one of the words or signs in `ends`, which is not taken.
  void read_list(ShellPlace& place, const Ends& ends) {
    if (++depth_ > kMostDepth) {
      builder_.remarks.skipped.push_back(
          {words_.peek().line, "commands that are nested too deep, and everything after them"});
      while (words_.peek().kind != ShellToken::Kind::end) words_.take();
    }
    ShellPlace here = place;
    while (!is_at_end(ends)) {
      const ShellToken& next = words_.peek();
      if (next.is_sign("&&") || next.is_sign("||")) {
        // What comes after "||", or after a test, may not run.
        const bool is_branch = next.is_sign("||") || is_test_;
        words_.take();
        if (is_branch) here.branches.emplace_back(builder_.add_group(), 0);
        while (words_.peek().is_sign("\n")) words_.take();
      } else if (next.kind == ShellToken::Kind::sign && !next.is_sign("(")) {
        const bool goes_on = next.is_sign("|") || next.is_sign("|&"), is_line_end = next.is_sign("\n");
        words_.take();
        if (is_line_end) read_documents(here);
        if (!goes_on) {
          here.branches = place.branches;
          is_test_ = false;
        }
      } else {
        read_command(here);
        place.component = here.component;
      }
    }
    --depth_;
  }

  /// Reads the here-documents of a line: for a shell commands, else text.
  void read_documents(const ShellPlace& place) {
    for (const HereDocument& each : words_.take_here_documents())
      if (feeds_shell_)
        read_nested(each.text, each.line, place);
      else if (has_assignment(each.text))
        skip(each.line, "a here-document");
    feeds_shell_ = false;
  }

  void read_nested(std::string_view text, std::size_t line, const ShellPlace& place) {
    ShellPlace inner = place;
    inner.shell = builder_.add_shell(place.shell);
    if (depth_ < kMostDepth) ShellReader(text, line, builder_, inner, depth_ + 1).read();
  }

  void read_command(ShellPlace& place) {
    const ShellToken& next = words_.peek();
    if (next.is_sign("(")) return read_subshell(place);
    if (next.is_bare("if")) return read_if(place);
    if (next.is_bare("while") || next.is_bare("until")) return read_while(place);
    if (next.is_bare("for") || next.is_bare("select")) return read_for(place);
    if (next.is_bare("case")) return read_case(place);
    if (next.is_bare("[[")) return read_test();
    if (next.is_bare("function")) {
      words_.take();
      return read_function(place, words_.peek().is_word() ? words_.take().text : "");
    }
    if (next.is_bare("{")) {
      words_.take();
      read_list(place, {"}"});
      take_if("}");
      return;
    }
    if (next.is_bare("!") || next.is_bare("time") || next.is_bare("then") || next.is_bare("do")) {
      words_.take();
      return;
    }
    if (next.is_word() && words_.peek(1).is_sign("("))  // NAME ()
      return read_function(place, words_.take().text);
    read_simple(place);
  }

  void take_if(std::string_view word) {
    if (words_.peek().is_bare(word) || words_.peek().is_sign(word)) words_.take();
  }

  ShellPlace branch(const ShellPlace& place, int group, int number) const {
    ShellPlace out = place;
    out.branches.emplace_back(group, number);
    return out;
  }

  void read_subshell(ShellPlace& place) {
    words_.take();
    if (words_.skip_arithmetic()) return;
    ShellPlace inner = place;
    inner.shell = builder_.add_shell(place.shell);
    read_list(inner, {")"});
    take_if(")");
  }

  void read_function(ShellPlace& place, const std::string& name) {
    take_if("(");
    take_if(")");
    while (words_.peek().is_sign("\n")) words_.take();
    ShellPlace inner = branch(place, builder_.add_group(), 0);
    const std::size_t before = builder_.script.steps.size();
    ++functions_;
    if (words_.peek().kind != ShellToken::Kind::end) read_command(inner);
    --functions_;
    for (std::size_t i = before; i < builder_.script.steps.size(); ++i)
      if (builder_.script.steps[i].is_build) builder_.building_functions.insert(name);
  }

  void read_test() {
    while (words_.peek().kind != ShellToken::Kind::end && !words_.peek().is_bare("]]")) note(words_.take());
    take_if("]]");
    is_test_ = true;
  }

  /// Remembers what a condition is about.
  void note(const ShellToken& word) {
    const auto names_version = [](const std::string& name) {
      const std::string lower = lower_case(name);
      return std::ranges::any_of(std::to_array({"ver", "tag", "release", "branch"}),
                                 [&](const char* part) { return lower.find(part) != std::string::npos; });
    };
    if (std::ranges::any_of(word.reads, names_version)) is_about_version_ = true;
  }

  void read_if(ShellPlace& place) {
    const int group = builder_.add_group();
    ShellPlace inner = place;
    for (int number = 0; words_.peek().kind != ShellToken::Kind::end; ++number) {
      const bool has_condition = !words_.peek().is_bare("else");
      words_.take();  // if, elif, else
      if (has_condition) {
        is_about_version_ = false;
        read_list(inner, {"then", "fi"});
        take_if("then");
        inner.is_for_release |= is_about_version_;
      }
      ShellPlace taken = branch(inner, group, number);
      read_list(taken, {"elif", "else", "fi"});
      if (!words_.peek().is_bare("elif") && !words_.peek().is_bare("else")) break;
    }
    take_if("fi");
    is_test_ = false;
  }

  void read_while(ShellPlace& place) {
    words_.take();
    read_list(place, {"do", "done"});
    read_loop(place);
  }

  void read_for(ShellPlace& place) {
    words_.take();
    if (words_.peek().is_sign("(")) {
      words_.take();
      words_.skip_arithmetic();
    }
    while (words_.peek().kind != ShellToken::Kind::end && !words_.peek().is_bare("do")) words_.take();
    read_loop(place);
  }

  void read_loop(ShellPlace& place) {
    take_if("do");
    ShellPlace inner = branch(place, builder_.add_group(), 0);
    read_list(inner, {"done"});
    take_if("done");
    is_test_ = false;
  }

  void read_case(ShellPlace& place) {
    words_.take();
    is_about_version_ = false;
    while (words_.peek().is_word() && !words_.peek().is_bare("in")) note(words_.take());
    while (words_.peek().is_sign("\n")) words_.take();
    take_if("in");
    const int group = builder_.add_group();
    ShellPlace inner = place;
    inner.is_for_release |= is_about_version_;
    for (int number = 0;; ++number) {
      while (words_.peek().is_sign("\n") || words_.peek().is_sign(";")) words_.take();
      if (words_.peek().kind == ShellToken::Kind::end || words_.peek().is_bare("esac")) break;
      while (words_.peek().kind != ShellToken::Kind::end && !words_.peek().is_sign(")")) words_.take();  // patterns
      take_if(")");
      ShellPlace taken = branch(inner, group, number);
      read_list(taken, {";;", ";&", ";;&", "esac"});
      if (words_.peek().kind == ShellToken::Kind::sign) words_.take();
    }
    take_if("esac");
    is_test_ = false;
  }

  void read_simple(ShellPlace& place) {
    ShellCommand words;
    while (words_.peek().is_word()) words.push_back(words_.take());
    // A parenthesis here is a form of bash that is not known: ends with its line.
    if (words.empty()) {
      words_.take();
      return;
    }
    std::size_t at = 0;
    ShellToken value;
    bool is_added = false;
    while (at < words.size() && !take_assignment(words[at], value, is_added).empty()) ++at;
    if (at == words.size()) return assign(place, words);
    std::vector<ShellToken> prefix(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
    at = skip_wrappers(words, at, prefix);
    for (const ShellToken& each : prefix) {
      const std::string name = take_assignment(each, value, is_added);
      builder_.set(place, each.line, name, value, Reach::command);
    }
    for (const ShellToken& each : words) note(each);
    if (at < words.size()) run(place, words, at);
  }

  /// Moves behind sudo, env and their like, whose assignments are the command's.
  static std::size_t skip_wrappers(const ShellCommand& words, std::size_t at, std::vector<ShellToken>& prefix) {
    ShellToken value;
    bool is_added = false;
    while (at < words.size() && is_wrapper(base_name(words[at].text))) {
      const bool takes_number = words[at].text == "timeout" || words[at].text == "travis_wait";
      ++at;
      while (at < words.size()) {
        const bool is_assignment = !take_assignment(words[at], value, is_added).empty();
        const bool is_number =
            !words[at].text.empty() && std::isdigit(static_cast<unsigned char>(words[at].text[0])) != 0;
        if (is_assignment) prefix.push_back(words[at]);
        if (!is_assignment && !words[at].text.starts_with("-") && !(takes_number && is_number) &&
            !(is_number && words[at - 1].text.starts_with("-")) && words[at].text != "linux32")
          break;
        ++at;
      }
    }
    return at;
  }

  void assign(const ShellPlace& place, const ShellCommand& words) {
    is_test_ = false;
    for (const ShellToken& word : words) {
      ShellToken value;
      bool is_added = false;
      std::string name = take_assignment(word, value, is_added);
      if (is_added) value.reads.insert(name);
      builder_.set(place, word.line, name, value, exports_all_ ? Reach::exported : Reach::assigned);
    }
  }

  void run(ShellPlace& place, const ShellCommand& words, std::size_t at) {
    const std::string program = base_name(words[at].text);
    is_test_ = is_test_command(program);
    const bool is_declaration =
        program == "declare" || program == "typeset" || program == "local" || program == "readonly";
    if (program == "export" || is_declaration) return declare(place, words, at, program);
    if (program == "unset") return unset(place, words, at);
    if (program == "set") return read_options(words, at);
    if (program == "cd" || program == "pushd") {
      place.component = at + 1 < words.size() ? component_of(words[at + 1].text, place.component) : "";
      return;
    }
    if (program == "eval") skip(words[at].line, "what 'eval' runs");
    if (is_shell(program) && read_inner(place, words, at)) return;
    feeds_shell_ |= is_shell(program) || is_remote_shell(program);
    if (program.ends_with("cmake") || program == "cmake3") define(place, words, at);
    if (is_harmless_command(program)) return;
    ScriptStep step = place.step(ScriptStep::Kind::run, words[at].line);
    step.is_source = program == "." || program == "source";
    step.is_build = !step.is_source && (is_building_command(words, at) || program == "eval" ||
                                        builder_.building_functions.contains(program));
    if (step.is_source) skip(step.line, "a file that is sourced");
    builder_.script.steps.push_back(std::move(step));
  }

  void skip(std::size_t line, std::string what) { builder_.remarks.skipped.push_back({line, std::move(what)}); }

  /// export, declare, typeset, local, readonly. What is local, or declared in a function, is the script's own.
  void declare(const ShellPlace& place, const ShellCommand& words, std::size_t at, const std::string& program) {
    bool is_exported = program == "export", is_own = program == "local";
    for (std::size_t i = at + 1; i < words.size(); ++i) {
      const ShellToken& word = words[i];
      if (word.text.starts_with("-")) {
        is_exported |= program != "export" && word.text.find('x') != std::string::npos;
        if (program == "export" && word.text == "-n") return;
        continue;
      }
      ShellToken value;
      bool is_added = false;
      std::string name = take_assignment(word, value, is_added);
      if (is_added) value.reads.insert(name);
      is_own |= !is_exported && program != "readonly" && functions_ > 0;
      if (is_own)
        builder_.remarks.reads.insert(name.empty() ? word.text : name);
      else if (!name.empty())
        builder_.set(place, word.line, name, value, is_exported || exports_all_ ? Reach::exported : Reach::assigned);
      else if (is_exported && is_variable_name(word.text))
        builder_.script.exported.insert(word.text);
      else if (is_exported && !word.is_literal)
        skip(word.line, "names that 'export' gets by expansion");
    }
  }

  void unset(const ShellPlace& place, const ShellCommand& words, std::size_t at) {
    for (std::size_t i = at + 1; i < words.size(); ++i) {
      ScriptStep step = place.step(ScriptStep::Kind::unset, words[i].line);
      step.name = words[i].text;
      builder_.script.steps.push_back(std::move(step));
    }
  }

  /// set -a and its like.
  void read_options(const ShellCommand& words, std::size_t at) {
    for (std::size_t i = at + 1; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      const bool is_on = text.starts_with("-"), is_off = text.starts_with("+");
      if (!is_on && !is_off) break;
      const bool is_named = text == "-o" || text == "+o";
      const bool is_it = is_named ? i + 1 < words.size() && words[i + 1].text == "allexport"
                                  : text.find('a') != std::string::npos && !text.starts_with("--");
      if (is_named) ++i;
      if (is_it) exports_all_ = is_on;
    }
  }

  /// bash -c 'commands'. Returns whether that is what it is.
  bool read_inner(ShellPlace& place, const ShellCommand& words, std::size_t at) {
    for (std::size_t i = at + 1; i + 1 < words.size(); ++i) {
      const std::string& text = words[i].text;
      if (!text.starts_with("-")) return false;
      if (text.ends_with("c")) {
        read_nested(words[i + 1].text, words[i + 1].line, place);
        return true;
      }
    }
    return false;
  }

  /// The definitions of a cmake.
  void define(const ShellPlace& place, const ShellCommand& words, std::size_t at) {
    ShellPlace here = place;
    here.shell = -builder_.add_group();
    const bool is_for_torch = place.component == "torch" || std::ranges::any_of(words, [](const ShellToken& word) {
                                return word.text.find("pytorch") != std::string::npos;
                              });
    for (std::size_t i = at + 1; i < words.size(); ++i) {
      ShellToken word = words[i];
      if (word.text == "-D" && i + 1 < words.size())
        word = words[++i];
      else if (word.text.starts_with("-D"))
        word.text.erase(0, 2);
      else
        continue;
      builder_.define(here, word, is_for_torch);
    }
  }

  ShellWords words_;
  ScriptBuilder& builder_;
  ShellPlace& place_;
  int depth_ = 0, functions_ = 0;
  bool exports_all_ = false, is_test_ = false, is_about_version_ = false, feeds_shell_ = false;
};

}  // namespace

std::string take_assignment(const ShellToken& word, ShellToken& value, bool& is_added) {
  const std::size_t equals = word.text.find('=');
  if (!word.is_word() || equals == std::string::npos || equals >= word.bare) return {};
  is_added = equals > 0 && word.text[equals - 1] == '+';
  std::string name = word.text.substr(0, equals - (is_added ? 1 : 0));
  const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 || !std::ranges::all_of(name, is_of_name))
    return {};
  value = word;
  value.text.erase(0, equals + 1);
  return name;
}

void ScriptBuilder::read_shell(std::string_view text, std::size_t line, ShellPlace& place) {
  ShellReader(text, line, *this, place).read();
}

}  // namespace torchpatch::trees

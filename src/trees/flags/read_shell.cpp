// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "model/release.h"
#include "support/file.h"
#include "support/text.h"
#include "trees/flags/read_script.h"

namespace torchpatch::trees {

namespace {

// Lists of words, each surrounded by blanks.

/// Commands that build nothing and ignore build variables.
constexpr std::string_view kHarmless =
    " : [ [[ add-apt-repository apk apt apt-get apt-key awk basename break cat chmod chown command cp curl cut"
    " date df dirname dnf dpkg du echo exit export false find free getconf git grep groups hash head hg id"
    " install ldconfig ln ls lsb_release lscpu mkdir mktemp mount mv nproc nvcc nvidia-smi patch popd printf ps pushd"
    " pwd read readlink realpath return rm rmdir rsync sed shift shopt sleep sort ssh-keyscan sync sysctl"
    " tail tar tee test touch tr trap true type ulimit umask uname uniq unzip update-alternatives wc wget which"
    " whoami yum zypper ";
constexpr std::string_view kBuilders = " bazel cmake cmake3 gmake make ninja ninja-build ";
/// Commands after which `&&` is a condition rather than a sequence.
constexpr std::string_view kTests = " [ [[ command dpkg false grep hash test type which ";
constexpr std::string_view kShells = " ash bash dash sh zsh ";
/// Commands that run a shell elsewhere, which reads commands from stdin.
constexpr std::string_view kRemoteShells = " chroot docker podman schroot ssh su systemd-nspawn vagrant ";
/// Words before a command; after `env` and `sudo` there may be assignments.
constexpr std::string_view kWrappers =
    " builtin ccache env exec ionice nice nohup setarch stdbuf sudo time timeout travis_wait xvfb-run ";

constexpr int kMostDepth = 100;

bool is_one(std::string_view word, std::string_view words) {
  return !word.empty() && words.find(concat(" ", word, " ")) != std::string_view::npos;
}

/// The words of a command.
using Words = std::vector<ShellToken>;

/// Returns whether pip installs or packs a directory, rather than packages by name.
bool is_pip_build(const Words& words, std::size_t from) {
  bool builds = false, is_local = false;
  for (std::size_t i = from; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    builds |= text == "install" || text == "wheel";
    is_local |= text == "." || text.starts_with("./") || text.starts_with("../") || text.starts_with(".[") ||
                text == "-e" || text == "--editable" || text == "--no-build-isolation" || text.starts_with("git+") ||
                text.starts_with("--no-binary");
  }
  return builds && is_local;
}

/// Returns whether a command, with its program at words[at], builds something, or runs a script that may.
bool is_building_command(const Words& words, std::size_t at) {
  const std::string program = base_name(words[at].text);
  if (is_one(program, kBuilders) || program.ends_with(".sh") || words[at].text.starts_with("./")) return true;
  if (program == "pip" || program == "pip3" || program == "uv") return is_pip_build(words, at + 1);
  const bool is_python = program.starts_with("python") || program == "pypy3" || program == "$";  // $PYTHON
  if (!is_python && !is_one(program, kShells) && !program.ends_with(".py")) return false;
  for (std::size_t i = at; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text.ends_with(".py") || text.ends_with(".sh")) return true;
    if (text == "-m" && i + 1 < words.size())
      return words[i + 1].text == "build" || (words[i + 1].text == "pip" && is_pip_build(words, i + 2));
    if (i > at && !text.starts_with("-")) return is_one(program, kShells);
  }
  return false;
}

/// Returns the index after sudo, env and similar, with their options and assignments.
std::size_t skip_wrappers(const Words& words, std::size_t at) {
  while (at < words.size() && is_one(base_name(words[at].text), kWrappers)) {
    const bool takes_number = words[at].text == "timeout" || words[at].text == "travis_wait";
    for (++at; at < words.size(); ++at) {
      const std::string& text = words[at].text;
      const bool is_number = !text.empty() && text[0] >= '0' && text[0] <= '9';
      if (words[at].name.empty() && !text.starts_with("-") && !(takes_number && is_number) &&
          !(is_number && words[at - 1].text.starts_with("-")) && text != "linux32")
        break;
    }
  }
  return at;
}

/// Returns whether a text contains NAME=VALUE, so that skipping it deserves a remark.
bool has_assignment(std::string_view text) {
  const auto is_of_name = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  for (std::size_t at = text.find('='); at < text.size(); at = text.find('=', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_of_name(text[begin - 1])) --begin;
    if (at - begin > 3) return true;
  }
  return false;
}

/// An open `if`, `case`, loop, group, function or subshell.
struct Block {
  std::string_view end;  ///< the word that closes it
  ShellPlace outer;
  std::size_t first_step = 0;
  std::string function{};  ///< its name if it is a function's body, or empty
  Branches branches{};     ///< of its commands
  int group = 0, branch = 0;
};

class ShellReader {
 public:
  ShellReader(Words tokens, ScriptBuilder& builder, ShellPlace& place)
      : tokens_(std::move(tokens)), builder_(builder), place_(place), outside_(place.branches) {}

  void read() {
    while (peek().kind != ShellToken::Kind::end)
      if (peek().kind == ShellToken::Kind::document)
        read_document(take());
      else if (peek().kind == ShellToken::Kind::sign)
        read_sign(take().text);
      else if (!read_keyword())
        read_simple();
    if (!blocks_.empty()) close(blocks_.front().end);
    place_.branches = outside_;
  }

 private:
  const ShellToken& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  ShellToken take() { return at_ + 1 < tokens_.size() ? std::move(tokens_[at_++]) : tokens_.back(); }
  /// Reads tokens until `is_last` holds for one, which is not consumed, or to the end; notes their subject.
  template <typename IsLast>
  void take_until(const IsLast& is_last) {
    while (peek().kind != ShellToken::Kind::end && !is_last(peek())) note(take());
  }
  void take_line_ends() {
    while (peek().is_sign("\n")) take();
  }

  /// Records what a condition is about.
  void note(const ShellToken& word) {
    is_about_version_ |= std::ranges::any_of(word.reads, [](const std::string& name) {
      const std::string lower = lower_case(name);
      const auto has = [&](const char* part) { return lower.find(part) != std::string::npos; };
      return has("ver") || has("tag") || has("release") || has("branch");
    });
  }

  void read_sign(const std::string& sign) {
    if (sign == "|" || sign == "|&") return;
    if (sign == "(") {
      open(")");
      place_.shell = builder_.add_shell(place_.shell);
    } else if (sign == ")") {
      close(")");
    } else if (sign == "&&" || sign == "||") {
      // Commands after "||", or after a test, may not run.
      if (sign == "||" || is_test_) place_.branches.emplace_back(builder_.add_group(), 0);
      take_line_ends();
    } else {
      place_.branches = blocks_.empty() ? outside_ : blocks_.back().branches;
      is_test_ = false;
      while (sign == "\n" && peek().kind == ShellToken::Kind::document) read_document(take());
      feeds_shell_ = feeds_shell_ && sign != "\n";
      if (sign.size() > 1 && !blocks_.empty() && blocks_.back().end == "esac") read_pattern();
    }
  }

  /// Reads a here-document: commands for a shell, otherwise text.
  void read_document(const ShellToken& document) {
    if (feeds_shell_)
      read_nested(document);
    else if (has_assignment(document.text))
      builder_.skip(document.line, "a here-document");
  }

  void read_nested(const ShellToken& commands) {
    ShellPlace inner = place_;
    inner.shell = builder_.add_shell(place_.shell);
    builder_.read_shell(commands.text, commands.line, inner);
  }

  void open(std::string_view end) {
    blocks_.push_back({end, place_, builder_.script.steps.size(), std::exchange(function_, ""), place_.branches});
    if (!blocks_.back().function.empty()) begin_branch();
  }

  /// Starts another branch of the innermost block.
  void begin_branch() {
    if (blocks_.empty()) return;
    Block& block = blocks_.back();
    if (block.group == 0) block.group = builder_.add_group();
    if (block.branch > 0) place_.component = block.outer.component;
    block.branches = block.outer.branches;
    block.branches.emplace_back(block.group, block.branch++);
    place_.branches = block.branches;
  }

  /// Closes the innermost block with this end, and all in it; returns whether there is one.
  bool close(std::string_view end) {
    if (std::ranges::count(blocks_, end, &Block::end) == 0) return false;
    for (bool is_done = false; !is_done;) {
      const Block block = std::move(blocks_.back());
      blocks_.pop_back();
      is_done = block.end == end;
      const bool is_group = block.end == "}", is_function = !block.function.empty();
      const auto& steps = builder_.script.steps;
      if (is_function && std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(block.first_step), steps.end(),
                                     [](const ScriptStep& step) { return step.is_build; }))
        builder_.building_functions.insert(block.function);
      const std::string component = is_group && !is_function ? place_.component : block.outer.component;
      place_ = block.outer;
      place_.component = component;
      is_test_ = is_test_ && (is_group || block.end == ")");
    }
    return true;
  }

  /// Reads a reserved word and the parts of its construct that are not commands; returns false if there is none.
  bool read_keyword() {
    const std::string word = peek().bare == peek().text.size() ? peek().text : "";
    if (is_one(word, " fi done esac } ")) {
      if (!close(word)) return false;
      take();
      return true;
    }
    if (!is_one(word, " ! [[ case do elif else for function if select then time until while { ")) {
      const bool is_function = peek(1).is_sign("(");  // NAME ()
      if (is_function) read_function(take().text);
      return is_function;
    }
    take();
    if (word == "function")
      read_function(peek().is_word() ? take().text : "");
    else if (word == "if" || word == "elif")
      begin_condition(word);
    else if (word == "then" || word == "else" || word == "do")
      end_condition(word);
    else if (word == "{")
      open("}");
    else if (word == "case")
      read_case();
    else if (word == "[[")
      read_test();
    else if (word != "!" && word != "time")
      open("done");
    if (word == "for" || word == "select") take_until([](const ShellToken& token) { return token.is_bare("do"); });
    return true;
  }

  void read_function(const std::string& name) {
    for (const char* sign : {"(", ")"})
      if (peek().is_sign(sign)) take();
    take_line_ends();
    function_ = name;
  }

  void read_test() {
    take_until([](const ShellToken& token) { return token.is_bare("]]"); });
    take();
    is_test_ = true;
  }

  void begin_condition(const std::string& word) {
    if (word == "if") open("fi");
    if (blocks_.empty()) return;
    place_.branches = blocks_.back().branches = blocks_.back().outer.branches;
    is_about_version_ = false;
  }

  void end_condition(const std::string& word) {
    place_.is_for_release |= word == "then" && is_about_version_;
    begin_branch();
  }

  void read_case() {
    open("esac");
    is_about_version_ = false;
    take_until([](const ShellToken& token) { return token.is_bare("in") || !token.is_word(); });
    place_.is_for_release |= is_about_version_;
    take_line_ends();
    if (peek().is_bare("in")) take();
    read_pattern();
  }

  /// Reads a pattern of `case`, or its end.
  void read_pattern() {
    while (peek().is_sign("\n") || peek().is_sign(";")) take();
    if (peek().is_bare("esac")) return;
    take_until([](const ShellToken& token) { return token.is_sign(")"); });
    take();
    begin_branch();
  }

  void read_simple() {
    function_.clear();
    Words words;
    while (peek().is_word()) words.push_back(take());
    std::size_t at = 0;
    while (at < words.size() && !words[at].name.empty()) ++at;
    is_test_ = is_test_ && at < words.size();
    if (at == words.size()) {
      for (const ShellToken& word : words) builder_.set(place_, word, exports_all_ ? Reach::exported : Reach::assigned);
      return;
    }
    at = skip_wrappers(words, at);
    for (std::size_t i = 0; i < at; ++i) builder_.set(place_, words[i], Reach::command);
    for (const ShellToken& word : words) note(word);
    if (at < words.size()) run(words, at);
  }

  void run(const Words& words, std::size_t at) {
    const std::string program = base_name(words[at].text);
    is_test_ = is_one(program, kTests);
    if (is_one(program, " declare export local readonly typeset ")) return declare(words, at, program);
    if (program == "unset") return unset(words, at);
    if (program == "set") return read_options(words, at);
    if (program == "cd" || program == "pushd") {
      place_.component = at + 1 < words.size() ? component_of(words[at + 1].text, place_.component) : "";
      return;
    }
    if (program == "eval") builder_.skip(words[at].line, "what 'eval' runs");
    const bool is_shell = is_one(program, kShells);
    if (is_shell && read_inner(words, at)) return;
    feeds_shell_ |= is_shell || is_one(program, kRemoteShells);
    if (program.ends_with("cmake") || program == "cmake3") define(words, at);
    if (is_one(program, kHarmless)) return;
    ScriptStep& step = add_step(ScriptStep::Kind::run, words[at].line);
    step.is_source = program == "." || program == "source";
    step.is_build = !step.is_source && (is_building_command(words, at) || program == "eval" ||
                                        builder_.building_functions.contains(program));
    if (step.is_source) builder_.skip(step.line, "a sourced file");
  }

  ScriptStep& add_step(ScriptStep::Kind kind, std::size_t line) {
    return builder_.script.steps.emplace_back(ScriptStep{place_, kind, line});
  }

  /// Reads export, declare, typeset, local, readonly. What is local or declared in a function is the script's own.
  void declare(const Words& words, std::size_t at, const std::string& program) {
    bool is_exported = program == "export";
    const bool is_in_function =
        std::ranges::any_of(blocks_, [](const Block& block) { return !block.function.empty(); });
    for (std::size_t i = at + 1; i < words.size(); ++i) {
      const ShellToken& word = words[i];
      if (word.text.starts_with("-")) {
        is_exported |= word.text.find('x') != std::string::npos;
        if (program == "export" && word.text == "-n") return;
        continue;
      }
      if (program == "local" || (is_in_function && !is_exported && program != "readonly"))
        builder_.script.reads.insert(word.name.empty() ? word.text : word.name);
      else if (!word.name.empty())
        builder_.set(place_, word, is_exported || exports_all_ ? Reach::exported : Reach::assigned);
      else if (is_exported && is_variable_name(word.text))
        builder_.script.exported.insert(word.text);
      else if (is_exported && !word.is_literal)
        builder_.skip(word.line, "names that 'export' gets by expansion");
    }
  }

  void unset(const Words& words, std::size_t at) {
    for (std::size_t i = at + 1; i < words.size(); ++i)
      add_step(ScriptStep::Kind::unset, words[i].line).name = words[i].text;
  }

  /// Reads set -a and similar.
  void read_options(const Words& words, std::size_t at) {
    for (std::size_t i = at + 1; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      if (!text.starts_with("-") && !text.starts_with("+")) break;
      const bool is_named = text == "-o" || text == "+o";
      const bool is_it = is_named ? i + 1 < words.size() && words[i + 1].text == "allexport"
                                  : text.find('a') != std::string::npos && !text.starts_with("--");
      if (is_it) exports_all_ = text.starts_with("-");
      if (is_named) ++i;
    }
  }

  /// Reads bash -c 'commands'; returns whether it is that.
  bool read_inner(const Words& words, std::size_t at) {
    for (std::size_t i = at + 1; i + 1 < words.size() && words[i].text.starts_with("-"); ++i) {
      if (!words[i].text.ends_with("c")) continue;
      read_nested(words[i + 1]);
      return true;
    }
    return false;
  }

  /// Reads the definitions of a cmake.
  void define(const Words& words, std::size_t at) {
    ShellPlace here = place_;
    here.shell = -builder_.add_group();
    const bool is_for_torch = place_.component == "torch" || std::ranges::any_of(words, [](const ShellToken& word) {
                                return word.text.find("pytorch") != std::string::npos;
                              });
    for (std::size_t i = at + 1; i < words.size(); ++i) {
      if (!words[i].text.starts_with("-D")) continue;
      ShellToken word = words[i];
      word.text.erase(0, 2);
      if (word.text.empty() && i + 1 < words.size()) word = words[++i];
      builder_.define(here, word, is_for_torch);
    }
  }

  Words tokens_;
  std::size_t at_ = 0;
  ScriptBuilder& builder_;
  ShellPlace& place_;
  const Branches outside_;  ///< of all blocks
  std::vector<Block> blocks_;
  std::string function_;  ///< whose body is next, or empty
  bool exports_all_ = false, is_test_ = false, is_about_version_ = false, feeds_shell_ = false;
};

}  // namespace

void ScriptBuilder::read_shell(std::string_view text, std::size_t line, ShellPlace& place) {
  if (depth_ == kMostDepth) return;
  ++depth_;
  ShellReader(shell_tokens(text, line, script), *this, place).read();
  --depth_;
}

}  // namespace torchpatch::trees

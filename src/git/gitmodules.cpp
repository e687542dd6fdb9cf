// SPDX-License-Identifier: BSD-3-Clause
#include "git/gitmodules.h"

#include <algorithm>
#include <set>

#include "git/config_text.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

[[noreturn]] void fail_at(int line, const std::string& reason) {
  throw Error(ErrorKind::unsafe, concat("line ", line, ": ", reason));
}

bool has_control_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// A name becomes a directory below .git/modules in every clone of this tree (CVE-2018-11235).
void check_name(const std::string& name, int line) {
  if (name.empty()) fail_at(line, "a submodule without a name");
  std::string slashed = name;
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  for (const std::string& component : split(slashed, '/')) {
    if (component == "..") fail_at(line, concat("the submodule name ", quote(name), " has a component '..'"));
  }
  if (has_control_byte(name)) fail_at(line, concat("the submodule name ", quote(name), " has a control byte"));
}

/// A path that begins with '-' is an option to git's commands (CVE-2018-17456); one that ends with CR is another path
/// for git after it has written it (CVE-2025-48384).
void check_path(const std::string& path, int line) {
  if (starts_with(path, "-")) fail_at(line, concat("the path ", quote(path), " begins with '-'"));
  if (has_control_byte(path)) fail_at(line, concat("the path ", quote(path), " has a control byte"));
  for (const std::string& component : split(path, '/')) {
    if (component.empty() || component == "." || component == "..") {
      fail_at(line, concat("the path ", quote(path), " is not a plain relative path"));
    }
  }
}

void check_url(const std::string& url, int line) {
  if (url.empty()) fail_at(line, "an empty url");
  if (starts_with(url, "-")) fail_at(line, "a url that begins with '-'");
  if (has_control_byte(url)) fail_at(line, "a url with a control byte");
}

/// `update = !command` would run the command (CVE-2019-19604).
void check_update(const std::string& update, int line) {
  for (const char* word : {"checkout", "rebase", "merge", "none"}) {
    if (update == word) return;
  }
  fail_at(line, concat("update = ", quote(update), " is not checkout, rebase, merge or none"));
}

Submodule read_section(const ConfigSection& section) {
  check_name(section.subsection, section.line);
  Submodule submodule{section.subsection, {}, {}, section.line};
  std::set<std::string> keys;
  for (const ConfigVariable& variable : section.variables) {
    if (!keys.insert(variable.key).second) fail_at(variable.line, concat("a second ", quote(variable.key)));
    if (variable.key == "path") {
      check_path(variable.value, variable.line);
      submodule.path = variable.value;
    } else if (variable.key == "url") {
      check_url(variable.value, variable.line);
      submodule.url = variable.value;
    } else if (variable.key == "update") {
      check_update(variable.value, variable.line);
    }
  }
  return submodule;
}

}  // namespace

std::vector<Submodule> parse_gitmodules(std::string_view bytes) {
  std::vector<Submodule> submodules;
  std::set<std::string> names, paths;
  for (const ConfigSection& section : parse_config_text(bytes)) {
    if (section.name == "include" || section.name == "includeif") fail_at(section.line, "an include");
    if (starts_with(section.name, "submodule.")) fail_at(section.line, "a section in the syntax that git gave up");
    if (section.name != "submodule") continue;
    Submodule submodule = read_section(section);
    if (!names.insert(submodule.name).second)
      fail_at(submodule.line, concat("a second submodule ", quote(submodule.name)));
    if (submodule.path.empty() || submodule.url.empty()) continue;
    if (!paths.insert(submodule.path).second) {
      fail_at(submodule.line, concat("a second submodule at the path ", quote(submodule.path)));
    }
    submodules.push_back(std::move(submodule));
  }
  return submodules;
}

}  // namespace torchpatch::git

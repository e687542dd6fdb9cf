// SPDX-License-Identifier: BSD-3-Clause
#include "support/git_traps.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "support/catch.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::test {

namespace {

/// Keys whose value is a program, or a line for the shell.
constexpr const char* kPrograms =
    "browser.trap.cmd core.alternateRefsCommand core.askPass core.editor core.fsmonitor core.gitProxy core.pager "
    "core.sshCommand credential.helper diff.external diff.trap.command diff.trap.textconv difftool.trap.cmd "
    "difftool.trap.path filter.trap.clean filter.trap.process filter.trap.smudge gpg.program gpg.openpgp.program "
    "gpg.ssh.defaultKeyCommand gpg.ssh.program gpg.x509.program guitool.trap.cmd imap.tunnel instaweb.browser "
    "instaweb.httpd instaweb.modulePath interactive.diffFilter man.trap.cmd man.trap.path merge.trap.driver "
    "mergetool.trap.cmd mergetool.trap.path pager.add pager.commit pager.diff pager.log "
    "remote.origin.receivepack remote.origin.vcs remote.origin.uploadpack sendemail.ccCmd sendemail.smtpServer "
    "sendemail.tocmd sequence.editor submodule.trap.update trailer.trap.cmd trailer.trap.command "
    "uploadpack.packObjectsHook web.browser";

/// Keys that let others count.
constexpr std::pair<const char*, const char*> kSwitches[] = {
    {"commit.gpgSign", "true"},
    {"diff.submodule", "diff"},
    {"extensions.partialClone", "origin"},
    {"extensions.worktreeConfig", "true"},
    {"log.showSignature", "true"},
    {"protocol.allow", "always"},
    {"protocol.ext.allow", "always"},
    {"remote.origin.promisor", "true"},
    {"status.submoduleSummary", "true"},
    {"submodule.recurse", "true"},
};

constexpr const char* kHooks =
    "applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change "
    "post-merge post-receive post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit "
    "pre-push pre-rebase pre-receive prepare-commit-msg proc-receive push-to-checkout reference-transaction "
    "sendemail-validate update";

/// Returns a line of configuration.
std::string setting(const std::string& key, const std::string& value) {
  const std::size_t first = key.find('.'), last = key.rfind('.');
  const std::string middle = first == last ? "" : concat(" \"", key.substr(first + 1, last - first - 1), "\"");
  return concat("[", key.substr(0, first), middle, "]\n\t", key.substr(last + 1), " = \"", value, "\"\n");
}

void append(const std::string& file, const std::string& text) {
  write_file_atomically(file, (file_exists(file) ? read_file(file) : "") + text);
}

}  // namespace

std::string GitTraps::canary(const std::string& name) const {
  const std::string path = concat(folder_.path(), "/", name);
  make_directories(parent_path(path));
  write_file_atomically(path, "#!/bin/sh\n: >\"$0.ran\"\n");
  std::filesystem::permissions(path, std::filesystem::perms(0755));
  return path;
}

void GitTraps::lay(const std::string& repository) const {
  std::string text;
  for (const std::string& key : split(kPrograms, ' ')) text += setting(key, canary(key));
  for (const auto& [key, value] : kSwitches) text += setting(key, value);
  text += setting("remote.origin.url", "ext::" + canary("ext"));
  for (const std::string& hook : split(kHooks, ' ')) {
    canary(concat("hooks/", hook));
    make_directories(repository + "/hooks");
    write_file_atomically(concat(repository, "/hooks/", hook), concat("#!/bin/sh\nexec ", canary(hook), "\n"));
    std::filesystem::permissions(concat(repository, "/hooks/", hook), std::filesystem::perms(0755));
  }
  text += setting("core.hooksPath", folder_.path() + "/hooks");
  for (const std::string key : {"include.path", "includeIf.gitdir:/.path", "includeIf.onbranch:**.path"}) {
    const std::string name = key.substr(0, key.find(':')), included = concat(folder_.path(), "/", name, ".txt");
    write_file_atomically(included, setting("core.fsmonitor", canary(name)));
    text += setting(key, included);
  }
  const char* const attributes = "* filter=trap diff=trap merge=trap\n";
  write_file_atomically(folder_.path() + "/attributes", attributes);
  text += setting("core.attributesFile", folder_.path() + "/attributes");
  append(repository + "/config", text);
  append(repository + "/config.worktree", setting("core.fsmonitor", canary("config.worktree")));
  make_directories(repository + "/info");
  write_file_atomically(repository + "/info/attributes", attributes);
}

void GitTraps::spoil(const std::string& configuration) const {
  std::string text;
  const ProgramResult known = run_program({{"git", "help", "--config"}, {{"HOME", folder_.path()}}, folder_.path()});
  for (std::string key : split(known.out, '\n')) {
    if (key.find('.') == std::string::npos || key.find(' ') != std::string::npos) continue;
    for (std::size_t begin; (begin = key.find('<')) != std::string::npos;)
      key.replace(begin, key.find('>', begin) + 1 - begin, "trap");
    std::ranges::replace(key, '*', 'x');
    text += setting(key, canary("any"));
  }
  REQUIRE(text.find("fsmonitor") != std::string::npos);
  append(configuration, text);
}

std::vector<std::string> GitTraps::sprung() const {
  std::vector<std::string> names;
  for (const std::string& name : list_files_below(folder_.path()))
    if (name.ends_with(".ran")) names.push_back(name.substr(0, name.size() - 4));
  return names;
}

}  // namespace torchpatch::test

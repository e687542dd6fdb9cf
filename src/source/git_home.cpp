// SPDX-License-Identifier: BSD-3-Clause
#include "source/git_home.h"

#include <map>

#include "model/url.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

/// What no configuration outranks: ssh takes the first value that it meets. Nothing is asked of the user, nothing is
/// written (UpdateHostKeys), run (LocalCommand) or left behind (ControlMaster).
constexpr const char* kSshRules =
    "BatchMode yes\n"
    "StrictHostKeyChecking yes\n"
    "UpdateHostKeys no\n"
    "PermitLocalCommand no\n"
    "ControlMaster no\n"
    "ControlPath none\n"
    "ClearAllForwardings yes\n"
    "ForwardAgent no\n"
    "ForwardX11 no\n";
constexpr const char* kNoLogin =
    "PubkeyAuthentication no\n"
    "PasswordAuthentication no\n"
    "KbdInteractiveAuthentication no\n"
    "GSSAPIAuthentication no\n"
    "HostbasedAuthentication no\n"
    "IdentityAgent none\n"
    "IdentitiesOnly yes\n";

/// Returns the user's directory for ssh, or empty text where a configuration could not name it.
std::string ssh_directory(const FetchOptions& options) {
  const bool is_plain =
      starts_with(options.home, "/") && options.home.find_first_of("\"\\%$*?[]\r\n") == std::string::npos;
  return is_plain ? options.home + "/.ssh" : std::string();
}

void add_logins(const std::string& directory, std::string& text) {
  if (!directory.empty()) text += concat("Include \"", directory, "/config\"\n");
  text += "Include /etc/ssh/ssh_config\nMatch all\n";
  if (directory.empty()) return;
  for (const char* key : {"id_ed25519", "id_ecdsa", "id_ecdsa_sk", "id_ed25519_sk", "id_rsa"}) {
    text += concat("IdentityFile \"", directory, "/", key, "\"\n");
  }
}

/// Settings outrank those of the repository. Not as arguments (-c): those anyone on the machine can read.
void add_settings(const std::vector<std::pair<std::string, std::string>>& settings,
                  std::map<std::string, std::string>& environment) {
  environment["GIT_CONFIG_COUNT"] = concat(settings.size());
  for (std::size_t i = 0; i < settings.size(); ++i) {
    environment[concat("GIT_CONFIG_KEY_", i)] = settings[i].first;
    environment[concat("GIT_CONFIG_VALUE_", i)] = settings[i].second;
  }
}

}  // namespace

std::string ssh_configuration(const FetchOptions& options) {
  const std::string directory = ssh_directory(options);
  std::string text = concat("Match all\n", kSshRules, "ConnectTimeout ", options.timeouts.connect.count(), "\n");
  if (options.credentials) {
    add_logins(directory, text);
  } else {
    text += kNoLogin;
  }
  if (!directory.empty())
    text += concat("UserKnownHostsFile \"", directory, "/known_hosts\" \"", directory, "/known_hosts2\"\n");
  return text;
}

GitHome::GitHome(const FetchOptions& options) : options_(options) {
  write_file_atomically(path() + "/ssh_config", ssh_configuration(options));
}

std::vector<std::pair<std::string, std::string>> GitHome::environment(const std::string& url,
                                                                      const std::string& trace) const {
  std::map<std::string, std::string> environment = options_.network;
  environment["PATH"] = "/usr/local/bin:/usr/bin:/bin";  // for ssh; git finds its own parts
  environment["HOME"] = path();
  environment["XDG_CONFIG_HOME"] = path();
  std::vector<std::pair<std::string, std::string>> settings = {{"credential.helper", ""}};  // forgets the repository's
  if (options_.credentials) {
    for (const auto& [name, value] : options_.credentials->variables) environment[name] = value;
    const auto& users = options_.credentials->settings;
    settings.insert(settings.end(), users.begin(), users.end());
  }
  // Nothing above outranks these.
  add_settings(settings, environment);
  environment["LC_ALL"] = "C";
  environment["GIT_CONFIG_NOSYSTEM"] = "1";
  environment["GIT_CONFIG_GLOBAL"] = "/dev/null";
  environment["GIT_ATTR_NOSYSTEM"] = "1";
  environment["GIT_TERMINAL_PROMPT"] = "0";
  environment["GIT_ASKPASS"] = "";  // there, and no program: nothing asks
  environment["SSH_ASKPASS_REQUIRE"] = "never";
  environment["GIT_SSH_COMMAND"] = "ssh -F " + shell_quote(path() + "/ssh_config");
  environment["GIT_SSH_VARIANT"] = "ssh";
  environment["GIT_ALLOW_PROTOCOL"] = url_scheme(url);
  environment["GIT_TRACE_CURL"] = trace;
  environment["GIT_TRACE_CURL_NO_DATA"] = "1";
  environment["GIT_TRACE_REDACT"] = "1";
  return {environment.begin(), environment.end()};
}

}  // namespace torchpatch::source

// SPDX-License-Identifier: BSD-3-Clause
#include "source/user_environment.h"

#include <array>
#include <initializer_list>

#include "source/git_words.h"
#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

constexpr std::array kHelperVariables = {
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "SSH_AUTH_SOCK",
    "GNUPGHOME",
    "GH_TOKEN",
    "DBUS_SESSION_BUS_ADDRESS",
};
constexpr int kNoSuchSetting = 1;  // git config --get-regexp

std::string value_of(const Variables& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

/// Returns the first of `names` that is set to something.
std::string first_of(const Variables& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::string value = value_of(environment, name);
    if (!value.empty()) return value;
  }
  return {};
}

/// Splits "key\nvalue" items that end with NUL; an item without a newline is a key that is merely there.
std::vector<std::pair<std::string, std::string>> parse_settings(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& item : split(text, '\0')) {
    const std::size_t newline = item.find('\n');
    if (newline != std::string::npos) settings.emplace_back(item.substr(0, newline), item.substr(newline + 1));
  }
  return settings;
}

}  // namespace

Variables network_variables(const Variables& environment) {
  Variables variables;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) variables[name] = value;
  };
  const bool is_cgi = environment.contains("REQUEST_METHOD");
  add("http_proxy", is_cgi ? value_of(environment, "http_proxy") : first_of(environment, {"http_proxy", "HTTP_PROXY"}));
  add("https_proxy", first_of(environment, {"https_proxy", "HTTPS_PROXY"}));
  add("all_proxy", first_of(environment, {"all_proxy", "ALL_PROXY"}));
  add("no_proxy", first_of(environment, {"no_proxy", "NO_PROXY"}));
  const auto add_path = [&](const char* name, const std::string& path) {
    if (!path.empty()) variables[name] = absolute_path(path);
  };
  add_path("GIT_SSL_CAINFO", first_of(environment, {"GIT_SSL_CAINFO", "CURL_CA_BUNDLE", "SSL_CERT_FILE"}));
  add_path("GIT_SSL_CAPATH", first_of(environment, {"GIT_SSL_CAPATH", "SSL_CERT_DIR"}));
  add_path("GIT_PROXY_SSL_CAINFO", value_of(environment, "GIT_PROXY_SSL_CAINFO"));
  return variables;
}

Credentials read_credentials(const Variables& environment) {
  if (value_of(environment, "HOME").empty()) {
    throw Error(ErrorKind::environment, "--credentials: HOME is not set, so there is no configuration of the user's");
  }
  Credentials credentials;
  for (const char* name : kHelperVariables) {
    const std::string value = value_of(environment, name);
    if (!value.empty()) credentials.variables[name] = value;
  }
  const TempDir nowhere;  // in no repository
  ProgramRun run;
  run.argv = {"git", "config", "--null", "--includes", "--get-regexp", "^credential\\."};
  run.environment.assign(credentials.variables.begin(), credentials.variables.end());
  run.environment.insert(
      run.environment.end(),
      {{"GIT_CONFIG_NOSYSTEM", "1"}, {"LC_ALL", "C"}, {"GIT_CEILING_DIRECTORIES", parent_path(nowhere.path())}});
  const std::string global = value_of(environment, "GIT_CONFIG_GLOBAL");
  if (!global.empty()) run.environment.emplace_back("GIT_CONFIG_GLOBAL", absolute_path(global));
  run.directory = nowhere.path();
  run.timeout = std::chrono::seconds(10);
  const ProgramResult result = run_program(run);
  if (result.exit_code != 0 && result.exit_code != kNoSuchSetting) {
    throw Error(ErrorKind::environment,
                concat("--credentials: reading the user's configuration of git: ", quote(errors_in(result.err))));
  }
  credentials.settings = parse_settings(result.out);
  return credentials;
}

}  // namespace torchpatch::source

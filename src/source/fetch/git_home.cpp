// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/git_home.h"

#include <initializer_list>
#include <optional>

#include "git/git_program.h"
#include "model/url.h"
#include "support/error.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::source {

namespace {

/// Settings that no other configuration overrides, since ssh uses the first value it reads. Never prompts, and never
/// writes (UpdateHostKeys), runs (LocalCommand) or leaves anything behind (ControlMaster).
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

constexpr const char* kHelperVariables[] = {"HOME",
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
                                            "DBUS_SESSION_BUS_ADDRESS"};
constexpr int kNoSuchSetting = 1;  // git config --get-regexp

std::string value_of(const Variables& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

/// Returns the first of `names` that is set and not empty.
std::string first_of(const Variables& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::string value = value_of(environment, name);
    if (!value.empty()) return value;
  }
  return {};
}

/// Splits "key\nvalue" items that end with NUL; an item without a newline is a key without value.
std::vector<std::pair<std::string, std::string>> parse_settings(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& item : split(text, '\0')) {
    const std::size_t newline = item.find('\n');
    if (newline != std::string::npos) settings.emplace_back(item.substr(0, newline), item.substr(newline + 1));
  }
  return settings;
}

constexpr std::uint64_t kMostBytes = 16u << 20;  ///< Mozilla's list has 0.2 MB

constexpr const char* kSystemPlaces[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
};

/// Returns the text of a file of certificates; one that is empty, not a file or unreadable counts as absent.
std::optional<std::string> certificates_in(const std::string& path) {
  try {
    std::string text = read_file(path, kMostBytes);
    if (text.find("-----BEGIN CERTIFICATE-----") != std::string::npos) return text;
  } catch (const Error&) {
  }
  return std::nullopt;
}

/// Returns the comment at the start of the list.
std::string title_of(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  return line.starts_with("# ") ? line.substr(2) : line;
}

}  // namespace

std::string ssh_configuration(const FetchOptions& options) {
  // A configuration cannot contain a home with such characters.
  const bool is_plain =
      starts_with(options.home, "/") && options.home.find_first_of("\"\\%$*?[]\r\n") == std::string::npos;
  const std::string directory = is_plain ? options.home + "/.ssh" : "";
  std::string text = concat("Match all\n", kSshRules, "ConnectTimeout ", options.timeouts.connect.count(), "\n");
  if (options.credentials) {
    if (!directory.empty()) text += concat("Include \"", directory, "/config\"\n");
    text += "Include /etc/ssh/ssh_config\nMatch all\n";
    for (const char* key : {"id_ed25519", "id_ecdsa", "id_ecdsa_sk", "id_ed25519_sk", "id_rsa"})
      if (!directory.empty()) text += concat("IdentityFile \"", directory, "/", key, "\"\n");
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
  environment["PATH"] = "/usr/local/bin:/usr/bin:/bin";  // for ssh; git finds its own programs
  environment["HOME"] = path();
  environment["XDG_CONFIG_HOME"] = path();
  std::vector<std::pair<std::string, std::string>> settings = {{"credential.helper", ""}};  // clears the repository's
  if (options_.credentials) {
    for (const auto& [name, value] : options_.credentials->variables) environment[name] = value;
    const auto& users = options_.credentials->settings;
    settings.insert(settings.end(), users.begin(), users.end());
  }
  // These override everything else. As variables, not arguments (-c), which anyone on the machine can read.
  environment["GIT_CONFIG_COUNT"] = concat(settings.size());
  for (std::size_t i = 0; i < settings.size(); ++i) {
    environment[concat("GIT_CONFIG_KEY_", i)] = settings[i].first;
    environment[concat("GIT_CONFIG_VALUE_", i)] = settings[i].second;
  }
  for (const auto& [name, value] : git::git_environment()) environment[name] = value;
  environment["GIT_ASKPASS"] = "";  // set, but empty: no prompts
  environment["SSH_ASKPASS_REQUIRE"] = "never";
  environment["GIT_SSH_COMMAND"] = "ssh -F " + shell_quote(path() + "/ssh_config");
  environment["GIT_SSH_VARIANT"] = "ssh";
  environment["GIT_ALLOW_PROTOCOL"] = url_scheme(url);
  environment["GIT_TRACE_CURL"] = trace;
  environment["GIT_TRACE_CURL_NO_DATA"] = "1";
  environment["GIT_TRACE_REDACT"] = "1";
  return {environment.begin(), environment.end()};
}

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
  if (value_of(environment, "HOME").empty())
    throw Error(ErrorKind::environment,
                "--credentials: HOME is not set, so the user's git configuration cannot be found");
  Credentials credentials;
  for (const char* name : kHelperVariables) {
    const std::string value = value_of(environment, name);
    if (!value.empty()) credentials.variables[name] = value;
  }
  const TempDir nowhere;  // not inside any repository
  ProgramRun run = git::git_run({"config", "--null", "--includes", "--get-regexp", "^credential\\."});
  Variables own = git::git_environment();
  own.erase("GIT_CONFIG_GLOBAL");
  const std::string global = value_of(environment, "GIT_CONFIG_GLOBAL");
  if (!global.empty()) own["GIT_CONFIG_GLOBAL"] = absolute_path(global);
  own["GIT_CEILING_DIRECTORIES"] = parent_path(nowhere.path());
  own.insert(credentials.variables.begin(), credentials.variables.end());
  run.environment.assign(own.begin(), own.end());
  run.directory = nowhere.path();
  run.timeout = std::chrono::seconds(10);
  const ProgramResult result = run_program(run);
  if (result.exit_code != 0 && result.exit_code != kNoSuchSetting) {
    throw Error(ErrorKind::environment,
                concat("--credentials: reading the user's git configuration: ", quote(errors_in(result.err))));
  }
  credentials.settings = parse_settings(result.out);
  return credentials;
}

CertificateAuthorities find_certificate_authorities(const std::string& data, const std::string& root) {
  for (const char* place : kSystemPlaces)
    if (certificates_in(root + place)) return {root + place};
  const std::string list = data + "/ca-certificates.crt";
  if (const auto text = certificates_in(list)) return {list, title_of(*text)};
  return {};
}

CertificateAuthorities settle_certificate_authorities(std::map<std::string, std::string>& network,
                                                      const std::string& data, const std::string& root) {
  for (const char* name : {"GIT_SSL_CAINFO", "GIT_SSL_CAPATH"})
    if (const auto named = network.find(name); named != network.end()) return {named->second};
  CertificateAuthorities found = find_certificate_authorities(data, root);
  if (!found.path.empty()) network[found.title.empty() ? "SSL_CERT_FILE" : "GIT_SSL_CAINFO"] = found.path;
  return found;
}

}  // namespace torchpatch::source

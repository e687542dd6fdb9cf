// SPDX-License-Identifier: BSD-3-Clause
#include "source/fetch/git_home.h"

#include "support/catch.h"
#include "support/file.h"
#include "support/text.h"
#include "unit/source/closure_fixture.h"

using namespace torchpatch;
using namespace torchpatch::source;

TEST_CASE("network_variables: proxies and authorities, under the names that git reads", "[source]") {
  CHECK(network_variables({{"HTTP_PROXY", "http://p"},
                           {"https_proxy", "http://q"},
                           {"HTTPS_PROXY", "http://r"},
                           {"NO_PROXY", "h"},
                           {"LD_PRELOAD", "x"},
                           {"GIT_SSL_NO_VERIFY", "1"}}) ==
        Variables{{"http_proxy", "http://p"}, {"https_proxy", "http://q"}, {"no_proxy", "h"}});
  CHECK(network_variables({{"HTTP_PROXY", "http://p"}, {"REQUEST_METHOD", "GET"}}).empty());
  CHECK(network_variables({{"SSL_CERT_FILE", "/a"}, {"CURL_CA_BUNDLE", "/b"}, {"SSL_CERT_DIR", "/c"}}) ==
        Variables{{"GIT_SSL_CAINFO", "/b"}, {"GIT_SSL_CAPATH", "/c"}});
  CHECK(network_variables({{"SSL_CERT_FILE", "a"}}).at("GIT_SSL_CAINFO") == absolute_path("a"));
}

TEST_CASE("find_certificate_authorities: the system's, else the list beside the catalog, by its first line",
          "[source]") {
  const TempDir system, data;
  CHECK(find_certificate_authorities(data.path(), system.path()).path.empty());
  write_file_atomically(data.path() + "/ca-certificates.crt",
                        "# Mozilla's list of 2023-03-11\n-----BEGIN CERTIFICATE-----\n");
  const CertificateAuthorities brought = find_certificate_authorities(data.path(), system.path());
  CHECK(brought.path == data.path() + "/ca-certificates.crt");
  CHECK(brought.title == "Mozilla's list of 2023-03-11");
  make_directories(system.path() + "/etc/pki/tls/certs");
  write_file_atomically(system.path() + "/etc/pki/tls/certs/ca-bundle.crt", "");
  CHECK(find_certificate_authorities(data.path(), system.path()).path == brought.path);
  write_file_atomically(system.path() + "/etc/pki/tls/certs/ca-bundle.crt", "-----BEGIN CERTIFICATE-----\n");
  const CertificateAuthorities own = find_certificate_authorities(data.path(), system.path());
  CHECK(own.path == system.path() + "/etc/pki/tls/certs/ca-bundle.crt");
  CHECK(own.title.empty());

  Variables named = {{"GIT_SSL_CAPATH", "/c"}};
  CHECK(settle_certificate_authorities(named, data.path(), system.path()).path == "/c");
  CHECK(named == Variables{{"GIT_SSL_CAPATH", "/c"}});
  Variables of_system, of_archive;
  settle_certificate_authorities(of_system, data.path(), system.path());
  CHECK(of_system == Variables{{"SSL_CERT_FILE", own.path}});
  settle_certificate_authorities(of_archive, data.path(), data.path());
  CHECK(of_archive == Variables{{"GIT_SSL_CAINFO", brought.path}});
}

TEST_CASE("read_credentials: credential.* of the user's configuration, in its order, and nothing else", "[source]") {
  const TempDir home;
  write_file_atomically(home.path() + "/.gitconfig",
                        "[credential]\n\thelper =\n\thelper = store\n[user]\n\tname = me\n[include]\n\tpath = more\n");
  write_file_atomically(home.path() + "/more", "[credential \"https://h\"]\n\tusername = me\n");
  const Credentials credentials = read_credentials(
      {{"HOME", home.path()}, {"PATH", "/usr/bin:/bin"}, {"SSH_AUTH_SOCK", "/s"}, {"LD_PRELOAD", "x"}});
  CHECK(credentials.settings ==
        std::vector<std::pair<std::string, std::string>>{
            {"credential.helper", ""}, {"credential.helper", "store"}, {"credential.https://h.username", "me"}});
  CHECK(credentials.variables == Variables{{"HOME", home.path()}, {"PATH", "/usr/bin:/bin"}, {"SSH_AUTH_SOCK", "/s"}});
}

TEST_CASE("read_credentials: a configuration that git cannot read is an error", "[source]") {
  const TempDir home;
  write_file_atomically(home.path() + "/.gitconfig", "[credential\n");
  CHECK(test::message_of(ErrorKind::environment,
                         [&] {
                           read_credentials({{"HOME", home.path()}, {"PATH", "/usr/bin:/bin"}});
                         }) ==
        concat("--credentials: reading the user's git configuration: 'bad config line 1 in file ", home.path(),
               "/.gitconfig'"));
  CHECK(test::message_of(ErrorKind::environment, [] { read_credentials({}); }) ==
        "--credentials: HOME is not set, so the user's git configuration cannot be found");
}

TEST_CASE("ssh_configuration: only with credentials are keys used and the user's configuration read", "[source]") {
  FetchOptions options;
  options.home = "/home/me";
  const std::string without = ssh_configuration(options);
  CHECK(without.find("StrictHostKeyChecking yes\n") != std::string::npos);
  CHECK(without.find("PubkeyAuthentication no\n") != std::string::npos);
  CHECK(without.find("Include") == std::string::npos);
  CHECK(without.find("UserKnownHostsFile \"/home/me/.ssh/known_hosts\"") != std::string::npos);
  options.credentials.emplace();
  const std::string with = ssh_configuration(options);
  // The first value counts.
  CHECK(with.find("StrictHostKeyChecking yes\n") < with.find("Include \"/home/me/.ssh/config\"\n"));
  CHECK(with.find("PubkeyAuthentication no") == std::string::npos);
  options.home = "/home/\"me";
  CHECK(ssh_configuration(options).find("/home") == std::string::npos);
}

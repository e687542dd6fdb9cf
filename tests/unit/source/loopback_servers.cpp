// SPDX-License-Identifier: BSD-3-Clause
#include "unit/source/loopback_servers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "support/catch.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::test {

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

/// Binds to a port that the system chooses; returns it.
int bind_to_free_port(const UniqueFd& socket_fd) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(bind(socket_fd.get(), generic, size) == 0);
  REQUIRE(getsockname(socket_fd.get(), generic, &size) == 0);
  return ntohs(address.sin_port);
}

int find_free_port() { return bind_to_free_port(UniqueFd(socket(AF_INET, SOCK_STREAM, 0))); }

bool can_connect(int port) {
  const UniqueFd socket_fd(socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in address = loopback(port);
  return connect(socket_fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

std::string daemon_program() {
  const ProgramResult result = run_program({{"git", "--exec-path"}, {{"PATH", "/usr/bin:/bin"}}, "", {}});
  return std::string(trim(result.out)) + "/git-daemon";
}

}  // namespace

bool GitDaemon::is_installed() { return file_exists(daemon_program()); }

GitDaemon::GitDaemon(const std::string& directory) : port_(find_free_port()) {
  const std::string program = daemon_program();
  const std::string port = concat("--port=", port_);
  const std::string base = "--base-path=" + directory;
  pid_ = fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    setenv("HOME", directory.c_str(), 1);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDERR_FILENO);
    execl(program.c_str(), program.c_str(), "--listen=127.0.0.1", port.c_str(), base.c_str(), "--export-all",
          "--reuseaddr", static_cast<char*>(nullptr));
    _exit(127);
  }
  for (int i = 0; i < 500 && !can_connect(port_); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  REQUIRE(can_connect(port_));
}

GitDaemon::~GitDaemon() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

std::string GitDaemon::url(const std::string& repository) const {
  return concat("git://127.0.0.1:", port_, "/", repository);
}

SilentServer::SilentServer() : socket_(socket(AF_INET, SOCK_STREAM, 0)), port_(bind_to_free_port(socket_)) {
  REQUIRE(listen(socket_.get(), 8) == 0);
}

std::string SilentServer::url() const { return concat("git://127.0.0.1:", port_, "/silent"); }

}  // namespace torchpatch::test

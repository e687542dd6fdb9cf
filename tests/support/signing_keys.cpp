// SPDX-License-Identifier: BSD-3-Clause
#include "support/signing_keys.h"

#include "support/catch.h"

namespace torchpatch::test {

SigningKeys::SigningKeys() {
  for (const char* program : {"ssh-keygen", "ssh-agent", "minisign"}) {
    INFO(program);
    REQUIRE_FALSE(find_program(program).empty());
  }
  for (const std::string name : {"alice", "mallory"})
    run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name + "@example.org", "-f", path(name)});
  for (const std::string name : {"mini", "other"})
    run({"minisign", "-G", "-W", "-p", path(name + ".pub"), "-s", path(name + ".key")});
  write_file_atomically(path("allowed"),
                        "# who may sign\nalice@example.org,a@example.org " + read_file(path("alice.pub")));
}

std::vector<std::pair<std::string, std::string>> SigningKeys::environment() const {
  return {{"PATH", "/usr/bin:/bin"}, {"HOME", temp_.path()}};
}

ProgramResult SigningKeys::run(std::vector<std::string> argv) const {
  ProgramRun run;
  run.argv = std::move(argv);
  run.environment = environment();
  return run_program(run);
}

}  // namespace torchpatch::test

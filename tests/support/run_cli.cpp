// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_cli.h"

#include <cstdlib>
#include <sstream>

#include "cli/run.h"
#include "support/catch.h"

namespace torchpatch::test {

TestWorkspace::TestWorkspace() {
  const char* path = std::getenv("PATH");
  variables_ = {{"PATH", path == nullptr ? "/usr/bin:/bin" : path},
                {"HOME", temp_.path()},
                {"XDG_CACHE_HOME", temp_.path() + "/cache"},
                {"XDG_STATE_HOME", temp_.path() + "/state"}};
  replaced_ = {{temp_.path(), "$TMP"}};
}

void TestWorkspace::write(const std::string& name, const std::string& bytes) const {
  make_directories(parent_path(path(name)));
  write_file_atomically(path(name), bytes);
}

CliResult TestWorkspace::run(const std::vector<std::string>& args) const {
  cli::Environment environment;
  environment.variables = variables_;
  environment.out_width = width_;
  std::ostringstream out, err;
  const int exit_code = cli::run(args, out, err, environment);
  return {exit_code, normalized(out.str()), normalized(err.str())};
}

std::string TestWorkspace::normalized(std::string text) const {
  for (const auto& [from, to] : replaced_)
    for (std::size_t place = 0; (place = text.find(from, place)) != std::string::npos; place += to.size())
      text.replace(place, from.size(), to);
  return text;
}

void edit(const std::string& file, const std::string& from, const std::string& to) {
  std::string text = read_file(file);
  REQUIRE(text.find(from) != std::string::npos);
  write_file_atomically(file, text.replace(text.find(from), from.size(), to));
}

}  // namespace torchpatch::test

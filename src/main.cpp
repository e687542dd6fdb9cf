// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>

#include <iostream>

#include "cli/run.h"
#include "support/program.h"

int main(int argc, char** argv) {
  using namespace torchpatch;
  ::umask(::umask(0) & 077);  // who makes a directory has to use it
  cli::secure_standard_streams();
  keep_to_own_code();
  install_signal_handlers();
  char** const first = argc > 0 ? argv + 1 : argv;
  return cli::end_process(cli::run({first, argv + argc}, std::cout, std::cerr, cli::process_environment()));
}

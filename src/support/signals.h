// SPDX-License-Identifier: BSD-3-Clause
/// Ctrl-C and its kin: noted by a handler, acted on at safe points, so that staging is cleaned up before we die.
#pragma once

#include <exception>

namespace torchpatch {

/// Thrown at a safe point after SIGINT, SIGTERM or SIGHUP. Not an Error: cli::run re-raises the signal after clean-up,
/// so that the shell sees 128+n.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

/// Installs the handlers (once, from cli::run); SIGPIPE is ignored so that writes fail with EPIPE, and
/// SIGXFSZ, here and in children, so that one over a limit of file size fails with EFBIG.
void install_signal_handlers();
/// Raises Interrupted if a signal has arrived.
void check_interrupted();
/// Restores default handling (in children) .
void restore_signal_handlers();

}  // namespace torchpatch

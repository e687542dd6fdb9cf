// SPDX-License-Identifier: BSD-3-Clause
#include "support/signals.h"

#include <csignal>

namespace torchpatch {
namespace {

constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t g_arrived = 0;

extern "C" void note_signal(int signal) { g_arrived = signal; }

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;  // no SA_RESTART: a waiting poll must return
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : kStopSignals) {
    // nohup and the shell's background jobs start us with signals ignored, and mean it.
    if (!is_ignored(signal)) set_handler(signal, note_signal);
  }
  set_handler(SIGPIPE, SIG_IGN);
  set_handler(SIGXFSZ, SIG_IGN);
}

void check_interrupted() {
  if (g_arrived != 0) throw Interrupted(g_arrived);
}

void restore_signal_handlers() {
  for (const int signal : kStopSignals) set_handler(signal, SIG_DFL);
  set_handler(SIGPIPE, SIG_DFL);
}

}  // namespace torchpatch

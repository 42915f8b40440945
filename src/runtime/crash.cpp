#include "runtime/crash.h"

#include <csignal>
#include <cstdio>
#include <cstring>

#include <unistd.h>

namespace bsgp::runtime {

std::atomic<const bsgp_site*> Running::now{nullptr};

namespace {

// Nothing that takes memory or a lock may be called in a signal handler.
void say(const char* text) {
  (void)!write(STDERR_FILENO, text, std::strlen(text));
}

void say(uint32_t number) {
  char digits[11] = {};
  char* at = digits + sizeof digits - 1;
  do
    *--at = char('0' + number % 10);
  while (number /= 10);
  say(at);
}

void onCrash(int signal_number) {
  fflush_unlocked(stdout); // a second fault in it ends the process: nothing is worse than without
  const bsgp_site* superstep = Running::now.load(std::memory_order_relaxed);
  if (superstep && superstep->file) {
    say(superstep->file);
    say(":");
    say(superstep->line);
    say(": ");
  }
  say("error: segmentation fault: ");
  say(superstep ? "a thread of the superstep that begins here" : "host code");
  say(" reached memory that is not there\n");
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

} // namespace

void tellCrashes() {
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

} // namespace bsgp::runtime

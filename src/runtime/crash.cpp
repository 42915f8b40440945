#include "runtime/crash.h"

#include <csignal>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "runtime/last_words.h"

namespace bsgp::runtime {

std::atomic<const Running*> Running::now{nullptr};

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

void sayWhere(const bsgp_kernel& kernel) {
  say("  superstep: ");
  say(kernel.superstep);
  say(", lines ");
  say(kernel.first_line);
  say(" to ");
  say(kernel.last_line);
  say(", kernel ");
  say(kernel.name);
  say("\n");
}

// SEGV_ACCERR: the memory is there, but not for this access: it may only be read, or guards the end of a stack.
const char* faultOf(int signal_number, const siginfo_t* info) {
  bool is_kept_out = signal_number == SIGSEGV && info && info->si_code == SEGV_ACCERR;
  return is_kept_out ? " may not use this memory so; the characters of a string literal can only be read\n"
                     : " reached memory that is not there\n";
}

void onCrash(int signal_number, siginfo_t* info, void*) {
  fflush_unlocked(stdout); // a second fault in it ends the process: nothing is worse than without
  const Running* running = Running::now.load(std::memory_order_relaxed);
  if (running && running->file) {
    say(running->file);
    say(":");
    say(running->kernel.first_line);
    say(": ");
  }
  say("error: segmentation fault: ");
  say(running ? "a thread of the superstep that begins here" : "host code");
  say(faultOf(signal_number, info));
  if (running)
    sayWhere(running->kernel);
  if (!hasLastWords())
    say("  help: compiled with --check, the program names the access\n");
  tellLastWords(signal_number);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

} // namespace

void tellCrashes() {
  struct sigaction action = {};
  action.sa_sigaction = onCrash;
  action.sa_flags = SA_RESETHAND | SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

} // namespace bsgp::runtime

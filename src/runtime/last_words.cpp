#include "runtime/last_words.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <exception>
#include <thread>

#include <poll.h>
#include <unistd.h>

namespace bsgp::runtime {
namespace {

constexpr int kMostMilliseconds = 20000;

void (*teller)(const char*) = nullptr;
int wake[2], done[2]; // pipes
std::atomic<bool> is_ending{false};

const char* nameOf(int signal_number) {
  switch (signal_number) {
  case SIGINT:
    return "SIGINT";
  case SIGTERM:
    return "SIGTERM";
  case SIGHUP:
    return "SIGHUP";
  case SIGABRT:
    return "SIGABRT";
  case SIGFPE:
    return "SIGFPE";
  case SIGILL:
    return "SIGILL";
  case SIGBUS:
    return "SIGBUS";
  default:
    return "SIGSEGV";
  }
}

bool isWish(int signal_number) {
  return signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP;
}

void endBy(int signal_number) {
  std::signal(signal_number, SIG_DFL);
  kill(getpid(), signal_number);
}

// All signals are blocked here: a fault ends the process.
void waitForSignals() {
  unsigned char number = 0;
  while (read(wake[0], &number, 1) != 1) {
  }
  teller(nameOf(number));
  if (isWish(number))
    endBy(number);
  (void)!write(done[1], &number, 1);
}

// The program goes on meanwhile: it may hold locks that the report needs. A signal more than a second later ends it at
// once.
void onWish(int signal_number) {
  static std::atomic<time_t> first{0};
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (is_ending.exchange(true)) // a signal to a group of processes may come twice
    return now.tv_sec - first.load() > 1 ? endBy(signal_number) : void();
  first.store(now.tv_sec);
  auto number = static_cast<unsigned char>(signal_number);
  (void)!write(wake[1], &number, 1);
}

void onFault(int signal_number) {
  tellLastWords(signal_number);
  endBy(signal_number);
}

void handle(int signal_number, void (*handler)(int)) {
  struct sigaction action = {}, before = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  if (sigaction(signal_number, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
    sigaction(signal_number, &action, nullptr);
}

} // namespace

void tellBeforeEnd(void (*tell)(const char* signal)) {
  if (teller || pipe(wake) != 0 || pipe(done) != 0)
    return;
  teller = tell;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(waitForSignals).detach();
  } catch (const std::exception&) { // no such thread can be had: a signal ends the program as it does without checks
    teller = nullptr;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!teller)
    return;
  for (int fault : {SIGABRT, SIGFPE, SIGILL})
    handle(fault, onFault);
  for (int wish : {SIGINT, SIGTERM, SIGHUP})
    handle(wish, onWish);
}

bool hasLastWords() {
  return teller != nullptr;
}

void tellLastWords(int signal_number) {
  if (!teller)
    return;
  if (is_ending.exchange(true)) // of another thread, which ends the process
    poll(nullptr, 0, kMostMilliseconds);
  auto number = static_cast<unsigned char>(signal_number);
  (void)!write(wake[1], &number, 1);
  pollfd told = {done[0], POLLIN, 0};
  if (poll(&told, 1, kMostMilliseconds) == 1)
    return;
  constexpr char kText[] = "check: what was found cannot be told any more\n";
  (void)!write(STDERR_FILENO, kText, sizeof kText - 1);
}

} // namespace bsgp::runtime

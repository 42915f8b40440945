#include "interrupts.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <cxxabi.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bsgp::python {

namespace {

constexpr char kStuck[] =
    "\nbsgp: the call does not end: one thread of a program runs in a loop. The second Ctrl-C ends the process.\n";

constexpr int64_t kPatience = 500; // ms, for the first Ctrl-C to end a call

std::atomic<int> running{0};    // calls
std::atomic<int64_t> unseen{0}; // when a Ctrl-C came that no handler of Python has seen yet; 0: there is none
struct sigaction handler_before;

// Raised by a handler of a signal in a call of this thread that may not yet have failed.
thread_local PyObject* interruption = nullptr;

int64_t msNow() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000 + 1;
}

void passOn(int number, siginfo_t* info, void* context) {
  if (handler_before.sa_flags & SA_SIGINFO)
    handler_before.sa_sigaction(number, info, context);
  else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN)
    handler_before.sa_handler(number);
}

void onInterrupt(int number, siginfo_t* info, void* context) {
  int64_t now = msNow(), first = 0;
  bool is_second = running.load(std::memory_order_relaxed) > 0 && !unseen.compare_exchange_strong(first, now);
  if (is_second && now - first > kPatience) {
    ssize_t written = write(STDERR_FILENO, kStuck, sizeof kStuck - 1);
    static_cast<void>(written);
    _exit(130);
  }
  passOn(number, info, context);
}

// In front of Python's handler, and behind nobody's: a program that ignores the signal, or has it end the process, keeps that.
void standInFront() {
  struct sigaction now{};
  if (sigaction(SIGINT, nullptr, &now) != 0)
    return;
  bool is_ours = (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == onInterrupt;
  bool is_plain = !(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN);
  if (is_ours || is_plain)
    return;
  handler_before = now;
  struct sigaction ours = now;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = onInterrupt;
  sigaction(SIGINT, &ours, nullptr);
}

// Python has its handlers run by the process's first thread. Another one must not wait for the interpreter's lock here: who has that may
// wait for this thread's evaluation.
bool isMainThread() {
  thread_local const bool is_main = syscall(SYS_gettid) == getpid();
  return is_main;
}

// ---- calls over a second, for who looks at a terminal ----

int64_t began = 0; // the main thread's call
bool is_shown = false;

void showProgress() {
  static const bool is_terminal = isatty(STDERR_FILENO);
  int64_t ms = msNow() - began;
  if (!is_terminal || ms < 1000)
    return;
  int64_t done = 0, all = 0;
  bsgp_arrays_progress(&done, &all);
  if (all > 1)
    dprintf(STDERR_FILENO, "\rbsgp: %lld s, kernel %lld of %lld ", static_cast<long long>(ms / 1000),
            static_cast<long long>(done + 1), static_cast<long long>(all));
  else
    dprintf(STDERR_FILENO, "\rbsgp: %lld s ", static_cast<long long>(ms / 1000));
  is_shown = true;
}

void hideProgress() {
  if (is_shown)
    dprintf(STDERR_FILENO, "\r\033[K");
  is_shown = false;
}

// Runs what Python has for signals. Not 0: one of them raised an exception, which is kept.
int asked() {
  if (!isMainThread())
    return 0;
  showProgress();
  PyGILState_STATE lock = PyGILState_Ensure();
  unseen.store(0);
  standInFront();
  if (!interruption && PyErr_CheckSignals() != 0) {
    PyObject *type = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &interruption, &trace);
    PyErr_NormalizeException(&type, &interruption, &trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
  }
  bool ends = interruption != nullptr;
  PyGILState_Release(lock);
  return ends;
}

// When the interpreter ends meanwhile, Python ends a daemon thread by unwinding its stack, which functions that do not throw would answer
// by ending the process. The thread waits for the process's end instead, as of Python 3.14.
void takeLock(PyThreadState* state) {
  try {
    PyEval_RestoreThread(state);
  } catch (abi::__forced_unwind&) {
    for (;;)
      pause();
  }
}

} // namespace

void watchSignals() {
  standInFront();
  bsgp_set_interrupt(asked);
}

LongCall::LongCall() {
  if (running.fetch_add(1, std::memory_order_relaxed) == 0)
    unseen.store(0, std::memory_order_relaxed);
  is_main_ = isMainThread();
  if (is_main_)
    began = msNow();
  state_ = PyEval_SaveThread();
}

LongCall::~LongCall() {
  takeLock(state_);
  if (is_main_)
    hideProgress();
  running.fetch_sub(1, std::memory_order_relaxed);
}

bool isInterrupted() {
  return asked() != 0;
}

bool raiseInterruption() {
  if (!interruption)
    return false;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(interruption)), interruption);
  Py_CLEAR(interruption);
  return true;
}

} // namespace bsgp::python

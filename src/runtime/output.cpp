#include "runtime/output.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace bsgp::runtime {
namespace {

std::atomic<int> print_error{0};        // errno of the last print that failed: stdio keeps only that there was one
std::atomic<bool> is_incomplete{false}; // something was not even given to stdio
std::atomic<bool> told{false};

} // namespace

void holdStandardStreams() {
  for (int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(number, F_GETFD) < 0) // the lowest free number is this one
      (void)!open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void flush() {
  errno = 0;
  if (std::fflush(stdout) != 0)
    print_error.store(errno);
}

Result<void> flushOutput() {
  flush();
  if ((!std::ferror(stdout) && !is_incomplete.load()) || told.exchange(true))
    return {};
  int why = print_error.load();
  return Error{std::string("cannot write to the standard output") + (why ? ": " : "") +
               (why ? std::strerror(why) : "")};
}

void notPrinted(int why) {
  print_error.store(why);
  is_incomplete.store(true);
}

// One fwrite, which locks the stream: lines of several threads do not mix.
void print(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    print_error.store(errno);
}

} // namespace bsgp::runtime

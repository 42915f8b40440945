// bsgpc.
#include <csignal>

#include "driver/command_line.h"
#include "runtime/output.h"
#include "target/common/out_of_memory.h"

using namespace bsgp;

// In front of all constructors: those of LLVM's library take memory, too.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_constructors)(int, char**, char**) =
    [](int, char**, char**) { target::endWithoutMemory(); };

int main(int argc, char** argv) {
  runtime::holdStandardStreams();
  std::signal(SIGXFSZ, SIG_IGN); // a write beyond the limit fails, which is reported
  int status = driver::runCommandLine(argc, argv);
  if (Result<void> written = runtime::flushOutput(); !written)
    return driver::failure(written.message());
  return status;
}

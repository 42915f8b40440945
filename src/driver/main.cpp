// bsgpc.
#include "driver/command_line.h"
#include "driver/on_deep_stack.h"
#include "runtime/output.h"

using namespace bsgp;

int main(int argc, char** argv) {
  runtime::holdStandardStreams();
  int status = 1;
  if (!driver::onDeepStack([&] { status = driver::runCommandLine(argc, argv); }))
    return driver::failure("cannot create a thread with a stack of 512 MiB");
  if (Result<void> written = runtime::flushOutput(); !written)
    return driver::failure(written.message());
  return status;
}

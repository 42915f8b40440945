// bsgpc.
#include "driver/command_line.h"
#include "driver/on_deep_stack.h"

int main(int argc, char** argv) {
  int status = 1;
  if (!bsgp::driver::onDeepStack([&] { status = bsgp::driver::runCommandLine(argc, argv); }))
    return bsgp::driver::failure("cannot create a thread with a stack of 512 MiB");
  return status;
}

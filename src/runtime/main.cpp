// main of a program compiled ahead of time.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include <unistd.h>

#include "runtime/check/checks.h"
#include "runtime/context.h"
#include "runtime/crash.h"
#include "runtime/guarded.h"
#include "runtime/last_words.h"
#include "runtime/output.h"

using namespace bsgp::runtime;

namespace {

int say(const char* message) {
  flush();
  std::fprintf(stderr, "%s\n", message);
  return 1;
}

// The watch of the context that runs main, until its findings are printed.
Watch* watch_of_main = nullptr;

void tellEarly(const char* why) {
  if (watch_of_main)
    (void)watch_of_main->reportAll(why);
}

// Prints the findings whatever ends the program before its main returns.
void tellWhenever(Watch& watch) {
  watch.reportAtEndOnly();
  watch_of_main = &watch;
  tellBeforeEnd(tellEarly);
  std::atexit([] { tellEarly("exit"); });
}

// Prints an error of a function of the C API, which has no form.
int sayError(const char* message) {
  flush();
  std::fprintf(stderr, "error: %s\n", message);
  return 1;
}

std::terminate_handler terminate_before = nullptr;

// If there is no memory for an exception that reports just that, it is not thrown, and the program ends here.
void endWithoutMemoryToThrow() {
  constexpr char kText[] = "error: there is no memory left\n";
  void* probe = std::malloc(1 << 10);
  if (std::current_exception() || probe)
    return terminate_before();
  (void)!write(STDERR_FILENO, kText, sizeof kText - 1);
  _exit(1);
}

using MainFunction = int32_t(bsgp_call*, int32_t argc, char** argv, int32_t* result);

int runMain(int argc, char** argv, MainFunction* main_fn) {
  terminate_before = std::set_terminate(endWithoutMemoryToThrow);
  holdStandardStreams();
  tellCrashes();
  bsgp_context* context = bsgp_context_create(nullptr);
  if (!context)
    return sayError(bsgp_error_message());
  if (context->watch) {
    std::set_new_handler(check::endWithoutMemoryForChecks);
    tellWhenever(*context->watch);
  }
  int32_t result = 0;
  bsgp_call* call = bsgp_rt_begin(context);
  if (!call)
    return sayError(bsgp_error_message());
  int32_t status = bsgp_rt_end(call, main_fn(call, argc, argv, &result));
  int code = status == BSGP_OK ? result : say(bsgp_error_message());
  if (auto written = flushOutput(); !written)
    code = sayError(written.message().c_str());
  context->memory.lookForDamage();
  std::string damage = context->memory.takeDamage();
  bool has_damage = !damage.empty();
  if (has_damage)
    code = say(damage.c_str());
  bool was_told = status != BSGP_OK || has_damage;
  const char* ended_by = status == BSGP_OK ? nullptr : kEndedByFailure;
  if (context->watch && (!context->watch->reportAll(ended_by, was_told) || context->watch->foundErrors()))
    code = 1;
  watch_of_main = nullptr;
  if (reportProfile(*context) != BSGP_OK)
    code = sayError(bsgp_error_message());
  bsgp_context_destroy(context);
  return code;
}

} // namespace

extern "C" int bsgp_rt_main(int argc, char** argv, MainFunction* main_fn) {
  return guarded([=] { return runMain(argc, argv, main_fn); },
                 [] { return sayError("there is no memory left for the end of the program"); });
}

// main of a program compiled ahead of time.
#include <cstdio>
#include <cstdlib>

#include "runtime/context.h"
#include "runtime/crash.h"
#include "runtime/last_words.h"
#include "runtime/output.h"

using namespace bsgp::runtime;

namespace {

int say(const std::string& message) {
  flush();
  std::fprintf(stderr, "%s\n", message.c_str());
  return 1;
}

// Of the context that runs main, as long as nothing was told.
check::Checker* checker_of_main = nullptr;

void tellEarly(const char* why) {
  if (checker_of_main)
    (void)checker_of_main->tellAll(why);
}

// Whatever ends the program before its main returns.
void tellWhenever(check::Checker& checker) {
  checker.tellAtEndOnly();
  checker_of_main = &checker;
  tellBeforeEnd(tellEarly);
  std::atexit([] { tellEarly("exit"); });
}

// What a function of the C API has said, which knows no form.
int sayError(const std::string& message) {
  return say(errorAt(nullptr) + message);
}

} // namespace

extern "C" int bsgp_rt_main(int argc, char** argv,
                            int32_t (*main_fn)(bsgp_call*, int32_t argc, char** argv, int32_t* result)) {
  holdStandardStreams();
  tellCrashes();
  bsgp_context* context = bsgp_context_create(nullptr);
  if (!context)
    return sayError(bsgp_error_message());
  if (context->checker)
    tellWhenever(*context->checker);
  int32_t result = 0;
  bsgp_call* call = bsgp_rt_begin(context);
  int32_t status = bsgp_rt_end(call, main_fn(call, argc, argv, &result));
  int code = status == BSGP_OK ? result : say(bsgp_error_message());
  if (auto written = flushOutput(); !written)
    code = sayError(written.message());
  context->memory.lookForDamage();
  std::string damage = context->memory.takeDamage();
  bool has_damage = !damage.empty();
  if (has_damage)
    code = say(damage);
  bool was_told = status != BSGP_OK || has_damage;
  const char* ended_by = status == BSGP_OK ? nullptr : check::kByFailure;
  if (context->checker && (!context->checker->tellAll(ended_by, was_told) || context->checker->reports.errors() > 0))
    code = 1;
  checker_of_main = nullptr;
  if (reportProfile(*context) != BSGP_OK)
    code = sayError(bsgp_error_message());
  bsgp_context_destroy(context);
  return code;
}

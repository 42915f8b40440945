// bsgp.h: contexts, options and the environment, memory for callers.
#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bsgp/bsgp.h"
#include "runtime/check/checks.h"
#include "runtime/context.h"
#include "runtime/environment.h"
#include "runtime/given_options.h"
#include "runtime/guarded.h"
#include "runtime/handles.h"
#include "runtime/thread_state.h"

namespace bsgp::runtime {
namespace {

constexpr uint32_t kMostThreads = 4096;

thread_local bsgp_status error_status = BSGP_OK;
// The last message of a thread, where there was no memory to keep it otherwise; "": it is in its state.
thread_local char plain_message[1024] = "";

// Never destroyed: contexts may be used while the process ends.
Handles& contexts() {
  static auto* const all = new Handles;
  return *all;
}

// Says which option is wrong; "": all are right. Where the option is left open, its variable is looked at elsewhere.
std::string wrongOption(const bsgp_options& given) {
  if (given.poison < -1 || given.poison > 1)
    return formatted("poison is %d; it may be 1, -1, or 0 for what BSGP_POISON says", given.poison);
  if (given.threads > kMostThreads)
    return formatted("%u threads were asked for; %u are the most", given.threads, kMostThreads);
  return {};
}

// Fills in what the options leave open.
Result<bsgp_options> completed(const bsgp_options* given) {
  warnOfUnknownVariables();
  auto taken = givenOptions(given, "bsgp_options", "BSGP_OPTIONS_INIT");
  if (!taken)
    return taken.error();
  bsgp_options options = *taken;
  if (std::string wrong = wrongOption(options); !wrong.empty())
    return Error{wrong};
  auto threads = numberFrom("BSGP_THREADS", 0, kMostThreads), shuffle = numberFrom("BSGP_SHUFFLE"),
       poison = numberFrom("BSGP_POISON", 0, 1);
  for (auto* number : {&threads, &shuffle, &poison})
    if (!*number)
      return number->error();
  if (!options.target)
    options.target = environment("BSGP_TARGET");
  if (!options.target)
    options.target = "auto";
  if (options.threads == 0)
    options.threads = uint32_t(*threads);
  if (options.shuffle == 0)
    options.shuffle = *shuffle;
  if (options.poison == 0)
    options.poison = *poison ? 1 : -1;
  if (!options.profile)
    options.profile = environment("BSGP_PROFILE");
  return options;
}

Result<FormRule> formRule() {
  const char* names[] = {"measured", "lanes", "alone", "wavefront", "mixed"}; // in the order of FormRule
  const char* wanted = environment("BSGP_FORM");
  for (uint8_t i = 0; i < std::size(names); ++i)
    if (!wanted || std::strcmp(wanted, names[i]) == 0)
      return FormRule(i);
  return Error{formatted(
      "the environment variable BSGP_FORM is '%s'; it may be measured, lanes, alone, wavefront or mixed", wanted)};
}

// The parts of a context that are known before there is a device.
struct Wanted {
  bsgp_options options;
  FormRule form;
  std::unique_ptr<Watch> watch;
};

// An error says which option, or variable of the environment, makes no sense.
Result<Wanted> wantedBy(const bsgp_options* given) {
  auto options = completed(given);
  if (!options)
    return options.error();
  auto form = formRule();
  if (!form)
    return form.error();
  std::string_view target = options->target;
  if (target != "reference" && given && options->shuffle && options->shuffle == given->shuffle)
    return Error{
        formatted("shuffle is set, and target %s has no order to shuffle\n  help: make the context with target "
                  "\"reference\", or leave shuffle 0",
                  options->target)};
  auto watch = check::makeChecks(options->check);
  if (!watch)
    return watch.error();
  return Wanted{*options, *form, watch.take()};
}

// An error says why there is no such device.
Result<bsgp_context*> create(Wanted wanted) {
  const bsgp_options& options = wanted.options;
  auto device = createDevice(options.target,
                             {.threads = options.threads, .cache_bytes = options.cache_bytes, .form = wanted.form});
  if (!device)
    return device.error();
  auto context =
      std::make_unique<bsgp_context>(device.take(), options.poison > 0, options.shuffle, std::move(wanted.watch));
  std::string profile = options.profile ? options.profile : "0";
  if (profile != "0")
    context->profile = std::make_unique<Profile>();
  if (profile != "0" && profile != "1")
    context->trace_path = profile;
  return publish(std::move(context));
}

bsgp_status writeTrace(const bsgp_context& context, const char* trace) {
  if (!context.profile->writeTrace(trace))
    return setError(BSGP_UNAVAILABLE, formatted("cannot write the trace to '%s': %s", trace, std::strerror(errno)));
  return BSGP_OK;
}

bsgp_status report(const bsgp_context& context, const char* trace) {
  context.profile->print(stderr);
  return trace && *trace ? writeTrace(context, trace) : BSGP_OK;
}

void reportAtEnd(bsgp_context& context) {
  if (reportProfile(context) != BSGP_OK)
    std::fprintf(stderr, "bsgp: error: %s\n", bsgp_error_message());
}

// An environment that makes no sense must not keep a program from running: said once, then the plain target.
bsgp_context* createDefault() {
  auto wanted = wantedBy(nullptr);
  auto context = wanted ? create(wanted.take()) : Result<bsgp_context*>(wanted.error());
  if (!context) {
    std::fprintf(stderr, "bsgp: error: %s; the cpu is used\n", context.message().c_str());
    return new bsgp_context(createCpuDevice({}), false, 0);
  }
  if ((*context)->watch)
    std::atexit([] { (void)defaultContext().watch->reportAll(); });
  if ((*context)->profile)
    std::atexit([] { reportAtEnd(defaultContext()); });
  return *context;
}

bsgp_status copy(bsgp_context* context, void* to, Space to_space, const void* from, Space from_space, uint64_t bytes) {
  if (!context)
    return BSGP_INVALID;
  if (bytes == 0)
    return BSGP_OK;
  if (!to || !from)
    return setError(BSGP_INVALID,
                    formatted("cannot copy %" PRIu64 " bytes: the %s is null", bytes, to ? "source" : "target"));
  Device& device = *context->device;
  for (auto [memory, space] : {std::pair(static_cast<const void*>(to), to_space), {from, from_space}})
    if (uint64_t room = context->memory.roomAt(memory, space); bytes > room)
      return setError(BSGP_INVALID,
                      formatted("cannot copy %" PRIu64 " bytes: from %p to the end of its allocation there are "
                                "%" PRIu64,
                                bytes, memory, room));
  auto copied = device.copy(to, to_space, from, from_space, size_t(bytes));
  if (copied)
    copied = device.wait(nullptr);
  if (copied && context->watch) [[unlikely]]
    context->watch->copied(to, to_space, from, bytes, nullptr);
  return copied ? BSGP_OK : setError(BSGP_FAILED, copied.message());
}

} // namespace

// Never destroyed: its threads may run while the process ends.
bsgp_context& defaultContext() {
  static bsgp_context* const context = createDefault();
  return *context;
}

// A thread that calls again and again looks once, as long as no context goes.
bsgp_context* contextOf(bsgp_context* given, const char* what) {
  thread_local const bsgp_context* seen = nullptr;
  thread_local uint64_t removals_then = 0;
  if (!given)
    return guarded([] { return &defaultContext(); },
                   [] {
                     noMemoryFor("a context");
                     return static_cast<bsgp_context*>(nullptr);
                   });
  uint64_t removals = contexts().removals();
  if (given == seen && removals == removals_then) [[likely]]
    return given;
  if (!contexts().has(given)) {
    setPlainError(BSGP_INVALID, "%s: %p is no context, or it was destroyed before", what, static_cast<void*>(given));
    return nullptr;
  }
  seen = given, removals_then = removals;
  return given;
}

bsgp_context* publish(std::unique_ptr<bsgp_context> context) {
  contexts().add(context.get());
  return context.release();
}

bsgp_status reportProfile(bsgp_context& context) {
  if (!context.profile)
    return BSGP_OK;
  bsgp_status status = report(context, context.trace_path.c_str());
  context.profile.reset();
  return status;
}

bsgp_status setError(bsgp_status status, std::string message) noexcept {
  ThreadState* state = threadState();
  if (!state)
    return setPlainError(status, "%s", message.c_str());
  state->message = std::move(message);
  plain_message[0] = 0;
  error_status = status;
  return status;
}

bsgp_status setPlainError(bsgp_status status, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(plain_message, sizeof plain_message, format, arguments);
  va_end(arguments);
  error_status = status;
  return status;
}

bsgp_status noMemoryFor(const char* what) noexcept {
  return setPlainError(BSGP_OUT_OF_MEMORY, "there is no memory left for %s", what);
}

bsgp_status lastStatus() {
  return error_status;
}

} // namespace bsgp::runtime

using namespace bsgp::runtime;

extern "C" {

const char* bsgp_error_message(void) {
  ThreadState* state = threadState();
  return plain_message[0] || !state ? plain_message : state->message.c_str();
}

bsgp_status bsgp_error_status(void) {
  return lastStatus();
}

bsgp_context* bsgp_context_create(const bsgp_options* options) {
  bsgp_context* made = nullptr;
  guardedCall("a context", [&] {
    auto wanted = wantedBy(options);
    if (!wanted)
      return setError(BSGP_INVALID, wanted.message());
    auto context = create(wanted.take());
    if (!context)
      return setError(BSGP_UNAVAILABLE, context.message());
    made = *context;
    return BSGP_OK;
  });
  return made;
}

bsgp_status bsgp_context_destroy(bsgp_context* context) {
  if (!context)
    return BSGP_OK;
  if (!contexts().remove(context))
    return setPlainError(BSGP_INVALID, "bsgp_context_destroy: %p is no context, or it was destroyed before",
                         static_cast<void*>(context));
  bsgp_status told = guardedCall("the reports of a context", [&] {
    if (context->watch)
      (void)context->watch->reportAll();
    reportAtEnd(*context);
    context->memory.lookForDamage();
    if (std::string damage = context->memory.takeDamage(); !damage.empty())
      std::fprintf(stderr, "bsgp: %s\n", damage.c_str());
    return BSGP_OK;
  });
  delete context;
  return told;
}

const char* bsgp_context_target(bsgp_context* given) {
  bsgp_context* context = contextOf(given, "bsgp_context_target");
  return context ? context->device->name() : "";
}
uint32_t bsgp_context_threads(bsgp_context* given) {
  bsgp_context* context = contextOf(given, "bsgp_context_threads");
  return context ? context->device->threads() : 0;
}

bsgp_status bsgp_alloc(bsgp_context* given, uint64_t bytes, void** out) {
  if (!out)
    return setPlainError(BSGP_INVALID, "bsgp_alloc: there is no place for the result");
  *out = nullptr;
  bsgp_context* context = contextOf(given, "bsgp_alloc");
  if (!context)
    return BSGP_INVALID;
  return guarded(
      [&] {
        std::string why;
        *out = context->memory.allocate(size_t(bytes), {}, why).block;
        return *out ? BSGP_OK
                    : setError(context->device->isLost() ? BSGP_FAILED : BSGP_OUT_OF_MEMORY,
                               formatted("cannot allocate %" PRIu64 " bytes of device memory", bytes) +
                                   (why.empty() ? "" : ": " + why));
      },
      [&] { return setPlainError(BSGP_OUT_OF_MEMORY, "cannot allocate %" PRIu64 " bytes of device memory", bytes); });
}

bsgp_status bsgp_free(bsgp_context* given, void* memory) {
  if (!memory)
    return BSGP_OK;
  bsgp_context* context = contextOf(given, "bsgp_free");
  if (!context)
    return BSGP_INVALID;
  return guardedCall("the records of what is freed", [&] {
    Memory& all = context->memory;
    if (all.release(memory) || all.releaseHost(memory)) {
      std::string damage = all.takeDamage();
      return damage.empty() ? BSGP_OK : setError(BSGP_FAILED, std::move(damage));
    }
    return setError(BSGP_INVALID, formatted("bsgp_free of %p, which is not allocated in this context", memory));
  });
}

bsgp_status bsgp_copy_to_device(bsgp_context* given, void* device, const void* host, uint64_t bytes) {
  return guardedCall("a copy", [&] {
    return copy(contextOf(given, "bsgp_copy_to_device"), device, Space::Device, host, Space::Host, bytes);
  });
}

bsgp_status bsgp_copy_to_host(bsgp_context* given, void* host, const void* device, uint64_t bytes) {
  return guardedCall("a copy", [&] {
    return copy(contextOf(given, "bsgp_copy_to_host"), host, Space::Host, device, Space::Device, bytes);
  });
}

void bsgp_memory(bsgp_context* given, bsgp_memory_info* out) {
  if (!out)
    return;
  *out = {};
  bsgp_context* context = contextOf(given, "bsgp_memory");
  if (!context)
    return;
  MemoryCounts counts = context->memory.counts();
  *out = {counts.live_bytes, counts.peak_bytes, counts.live_blocks, context->device->cachedBytes()};
}

bsgp_status bsgp_profile_report(bsgp_context* given, const char* trace) {
  bsgp_context* context = contextOf(given, "bsgp_profile_report");
  if (!context)
    return BSGP_INVALID;
  if (!context->profile)
    return setPlainError(BSGP_INVALID, "the context was created without a profile");
  return guardedCall("a report of the profile", [&] { return report(*context, trace); });
}

bsgp_status bsgp_profile_end(bsgp_context* given, const char* trace) {
  bsgp_context* context = contextOf(given, "bsgp_profile_end");
  if (!context)
    return BSGP_INVALID;
  if (!context->profile || !trace || !*trace)
    return setPlainError(BSGP_INVALID, "bsgp_profile_end: %s",
                         context->profile ? "a file for the trace must be named" : "the context has no profile");
  return guardedCall("the end of a profile", [&] {
    bsgp_status status = writeTrace(*context, trace);
    context->profile.reset();
    return status;
  });
}

} // extern "C"

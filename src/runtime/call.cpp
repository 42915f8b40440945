// Calls from outside into compiled code, and their parts beside memory: scopes, depth, failure.
#include <cinttypes>
#include <cstdio>
#include <new>

#include "runtime/context.h"
#include "runtime/guarded.h"
#include "runtime/machine.h"
#include "runtime/thread_state.h"

namespace bsgp::runtime {
namespace {

constexpr uint32_t kDepthOffStack = 1000; // for stacks that are not the thread's own (fibers), whose end is unknown

constexpr const char* kMessage = "the message of a failure";

bool stackEnds(uint32_t depth) {
  auto here = uintptr_t(__builtin_frame_address(0));
  const StackBounds& stack = stackBounds();
  return here <= stack.top ? here < stack.floor : depth > kDepthOffStack;
}

int32_t endOfCall(bsgp_call& call, int32_t status) {
  call.spawn_temps.freeFrom(0, call.context->memory);
  call.function_temps.freeFrom(0, call.context->memory);
  // A failed thread of a launch comes before an error of the host after the launch.
  if (status == BSGP_OK || !call.context->device->isLost())
    if (int32_t of_work = call.wait())
      status = of_work;
  if (int32_t of_memory = call.checkMemory())
    status = of_memory;
  call.on_device.reset();
  if (call.watched) [[unlikely]]
    status = call.endOfWatch(status);
  if (status != BSGP_OK)
    setError(bsgp_status(status), call.message.empty() ? "the program failed" : std::move(call.message));
  return status;
}

int32_t sayOutOfMemory(const bsgp_call& call) {
  const bsgp_site* site = call.lacks_memory_at;
  char at[512] = "", bytes[40] = "";
  if (site && site->file)
    std::snprintf(at, sizeof at, "%s:%u:%u: ", site->file, site->line, site->column);
  if (call.lacks_bytes > 0)
    std::snprintf(bytes, sizeof bytes, " of %" PRId64 " bytes", call.lacks_bytes);
  return setPlainError(BSGP_OUT_OF_MEMORY, "%serror: there is no memory left for %s%s", at, call.lacks_memory_for,
                       bytes);
}

} // namespace
} // namespace bsgp::runtime

using namespace bsgp::runtime;

void bsgp_call::failsAt(const bsgp_site* site) {
  failed_at = errorAt(site);
  failed_in_library = site && site->of_library;
}

int32_t bsgp_call::fail(int32_t status, const bsgp_site* site, const std::string& words) {
  failsAt(site);
  message = failed_at + words;
  return status;
}

int32_t bsgp_call::allocationFailed(const bsgp_site* site, int64_t count, int64_t element_bytes, const char* what,
                                    const std::string& why) {
  const char* type = site && site->text ? site->text : nullptr;
  std::string elements = type ? formatted("%" PRId64 " x %s", count, type)
                              : formatted("%" PRId64 " x %" PRId64 " bytes", count, element_bytes);
  int64_t bytes = 0;
  if (__builtin_mul_overflow(count, element_bytes, &bytes))
    return fail(BSGP_OUT_OF_MEMORY, site, formatted("%s of %s is larger than any memory", what, elements.c_str()));
  return fail(context->device->isLost() ? BSGP_FAILED : BSGP_OUT_OF_MEMORY, site,
              formatted("cannot allocate %" PRId64 " bytes for %s of %s", bytes, what, elements.c_str()) +
                  (why.empty() ? "" : ": " + why));
}

// Notes the place and the purpose; the message is made at the end of the call.
int32_t bsgp_call::outOfMemory(const bsgp_site* site, const char* what, int64_t bytes) noexcept {
  lacks_memory_for = what;
  lacks_bytes = bytes;
  lacks_memory_at = site;
  return BSGP_OUT_OF_MEMORY;
}

int32_t bsgp_call::wait() {
  auto waited = context->device->wait(on_device.get());
  if (waited)
    return BSGP_OK;
  message = waited.message();
  return BSGP_FAILED;
}

// The error that was found may be the cause of the failure, so it comes first.
int32_t bsgp_call::endOfWatch(int32_t status) {
  std::string error = context->watch->callEnds(*watched);
  watched.reset();
  if (error.empty())
    return status;
  message = error + (message.empty() ? "" : "\n") + message;
  return BSGP_FAILED;
}

int32_t bsgp_call::checkMemory() {
  std::string damage = context->memory.takeDamage();
  if (damage.empty()) [[likely]]
    return BSGP_OK;
  message += (message.empty() ? "" : "\n") + damage; // the damage may be the reason why it had failed
  return BSGP_FAILED;
}

extern "C" {

bsgp_call* bsgp_rt_begin(bsgp_context* given) {
  bsgp_context* context = contextOf(given, "a call of a compiled function");
  if (!context) [[unlikely]]
    return nullptr;
  ThreadState* state = threadState();
  bsgp_call* call = !state || !state->call.in_use ? (state ? &state->call : nullptr) : new (std::nothrow) bsgp_call;
  if (!call) [[unlikely]] {
    noMemoryFor("a call of a compiled function");
    return nullptr;
  }
  call->in_use = true;
  call->lacks_memory_for = nullptr;
  call->context = context;
  call->depth = 0;
  call->looks = {};
  call->message.clear();
  call->failed_at.clear();
  call->failed_in_library = false;
  call->watched.reset();
  if (!context->watch) [[likely]]
    return call;
  return guarded(
      [=] {
        call->watched = context->watch->callBegins();
        return call;
      },
      [=] {
        call->in_use = false;
        noMemoryFor("a call of a compiled function");
        return static_cast<bsgp_call*>(nullptr);
      });
}

int32_t bsgp_rt_end(bsgp_call* call, int32_t status) {
  if (!call) [[unlikely]]
    return lastStatus();
  status = guardedIn(call, nullptr, "the end of a call", [=] { return endOfCall(*call, status); });
  if (call->lacks_memory_for) [[unlikely]]
    status = sayOutOfMemory(*call);
  ThreadState* state = threadState();
  if (state && call == &state->call)
    call->in_use = false;
  else
    delete call;
  return status;
}

int32_t bsgp_rt_fail(bsgp_call* call, uint32_t failure_kind, const bsgp_site* site) {
  return guardedIn(call, site, kMessage, [=] {
    call->failsAt(site);
    call->message = failureMessage(failure_kind, -1, site);
    return int32_t(BSGP_FAILED);
  });
}

int32_t bsgp_rt_fail_saying(bsgp_call* call, const char* text, const bsgp_site* site) {
  int32_t status = bsgp_rt_fail(call, BSGP_FAIL_ASSERT, site);
  return guardedIn(call, site, kMessage, [=] {
    if (text)
      call->message += std::string(": ") + text;
    return status;
  });
}

void bsgp_rt_failed_in_library(bsgp_call* call, const bsgp_site* site) {
  if (call->lacks_memory_for && call->lacks_memory_at && call->lacks_memory_at->of_library)
    call->lacks_memory_at = site;
  if (!call->failed_in_library)
    return;
  (void)guardedIn(call, site, kMessage, [=] {
    size_t place = call->failed_at.size();
    call->failsAt(site);
    call->message.replace(0, place, call->failed_at);
    return 0;
  });
}

int64_t bsgp_rt_scope_open(bsgp_call* call) {
  return int64_t(call->function_temps.count());
}

void bsgp_rt_scope_close(bsgp_call* call, int64_t mark) {
  call->function_temps.freeFrom(size_t(mark), call->context->memory);
}

int32_t bsgp_rt_enter(bsgp_call* call, const bsgp_site* site) {
  if (stackEnds(++call->depth)) [[unlikely]] {
    --call->depth;
    return bsgp_rt_fail(call, BSGP_FAIL_RECURSION, site);
  }
  return BSGP_OK;
}

void bsgp_rt_leave(bsgp_call* call) {
  --call->depth;
}

int32_t bsgp_rt_call_on_gpu(bsgp_call* call) {
  return call->context->device->isGpu();
}

// Without such a context there is no message here: the function that is entered reports it.
int32_t bsgp_rt_context_on_gpu(bsgp_context* given) {
  bsgp_context* context = contextOf(given, "a call of a compiled function");
  return context && context->device->isGpu();
}

int32_t bsgp_rt_worker_count(bsgp_call* call) {
  return int32_t(call->context->device->threads());
}

} // extern "C"

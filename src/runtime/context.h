// A context: a device, its memory, and the options a program runs under. A call: one call from outside into compiled
// code.
//
// The folder `runtime` takes what compiled code and its callers ask for by the functions of plan_abi.h and of
// include/bsgp/bsgp.h; runs Plans (executor.cpp), owns device memory (memory.h), keeps failures until they are asked
// for. How work and copies are done is left to a Device (device.h): `cpu`, `cuda` or `reference`. It is linked into
// programs, so it knows neither LLVM nor the compiler, and needs the C++ library and POSIX threads alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bsgp/bsgp.h"
#include "runtime/device.h"
#include "runtime/failure.h"
#include "runtime/interrupt.h"
#include "runtime/memory.h"
#include "runtime/profile.h"
#include "runtime/temps.h"
#include "runtime/watch.h"

struct bsgp_context {
  bsgp_context(std::unique_ptr<bsgp::runtime::Device> device, bool poison, uint64_t shuffle,
               std::unique_ptr<bsgp::runtime::Watch> watch = nullptr)
      : device(std::move(device)), watch(std::move(watch)), memory(*this->device, poison, this->watch.get()),
        shuffle(shuffle) {}

  const std::unique_ptr<bsgp::runtime::Device> device;
  const std::unique_ptr<bsgp::runtime::Watch> watch; // null: nobody observes it
  bsgp::runtime::Memory memory;
  std::unique_ptr<bsgp::runtime::Profile> profile; // null: not asked for
  std::string trace_path;                          // "": no trace
  const uint64_t shuffle;                          // seed; 0: in order
  std::atomic<uint64_t> launches{0};               // so far, only counted where they are shuffled
};

namespace bsgp::runtime {

// The context made on first use where a caller gives none.
bsgp_context& defaultContext();

// The context that a caller in C means: null is the default one. Null where it is none that is live; `what` is for the
// message, the name of the caller's function.
bsgp_context* contextOf(bsgp_context* given, const char* what);

// Makes the context a handle that callers in C may pass, until bsgp_context_destroy.
bsgp_context* publish(std::unique_ptr<bsgp_context> context);

// The profile's table to stderr, its trace to the file that was named; once, and nothing without a profile.
bsgp_status reportProfile(bsgp_context& context);

// Keeps the message for bsgp_error_message and returns the status. It takes no memory of its own.
bsgp_status setError(bsgp_status status, std::string message) noexcept;
// The message is `format`, cut to what a thread has room for where there is no memory.
[[gnu::format(printf, 2, 3)]] bsgp_status setPlainError(bsgp_status status, const char* format, ...) noexcept;

// The status of this thread's last failure.
bsgp_status lastStatus();

} // namespace bsgp::runtime

struct bsgp_call {
  bsgp_context* context = nullptr;
  std::string message;                              // of the failure; "" as long as there is none
  std::string failed_at;                            // the place that the message begins with, or ""
  bool failed_in_library = false;                   // that place is in a text of the library
  const char* lacks_memory_for = nullptr;           // where there was none left for a message either; else null
  const bsgp_site* lacks_memory_at = nullptr;       // its place; null: unknown
  int64_t lacks_bytes = 0;                          // 0: unknown
  bsgp::runtime::Temps function_temps, spawn_temps; // stacks: calls and runs nest
  uint32_t depth = 0;                               // of host functions
  bool in_use = false;
  bsgp::runtime::Looks looks;                           // at whether it has to end
  std::unique_ptr<bsgp::runtime::CallWatch> watched;    // null: nobody observes the context
  std::unique_ptr<bsgp::runtime::DeviceCall> on_device; // null: the device keeps nothing of it

  void failsAt(const bsgp_site* site); // sets the place of the failure
  // Records the failure: the place, then the words. Returns the status.
  int32_t fail(int32_t status, const bsgp_site* site, const std::string& words);
  int32_t allocationFailed(const bsgp_site* site, int64_t count, int64_t element_bytes, const char* what,
                           const std::string& why); // of the device; "": no more is known
  // Needs no memory for its message. `bytes`: that were asked for; 0: unknown.
  int32_t outOfMemory(const bsgp_site* site, const char* what, int64_t bytes = 0) noexcept;
  int32_t wait();                     // until the device has done all work; the status of that
  int32_t endOfWatch(int32_t status); // fails if an error was found since the call began
  int32_t checkMemory();              // fails where released memory was found to be written past its ends
};

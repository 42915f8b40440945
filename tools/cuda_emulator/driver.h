// State of the emulated driver behind the entry points of the API, and the types of that API. All of it is guarded by
// one lock: kernels and copies run inside of the call that waits for them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>

#include "memory.h"
#include "module.h"
#include "races.h"

namespace bsgp::emulator {

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801
};

struct Stream {
  bool blocking = true; // waits for the default stream and it for this one
};

struct Event {
  bool timed = true, recorded = false;
  unsigned pending = 0; // records that have not run
  const Stream* stream = nullptr;
  std::chrono::steady_clock::time_point time;
};

struct Pool {
  uint64_t threshold = 0, used = 0, used_high = 0, reserved = 0, reserved_high = 0;
  int32_t flags[4] = {0, 1, 1, 1}; // attributes 1 to 3
};

// What cuLink makes: text that is not checked again.
struct Link {
  std::string image;
};

struct Command {
  const Stream* stream; // null: the default one
  std::function<CUresult()> run;
};

class Driver {
public:
  static Driver& get();

  std::mutex mutex;
  bool initialized = false;
  int retained = 0;               // of the primary context
  CUresult sticky = CUDA_SUCCESS; // what went wrong in a kernel; stays
  unsigned sm = 80;
  std::unique_ptr<DeviceMemory> memory;
  std::unique_ptr<Races> races; // null: nobody looks for them
  std::set<Stream*> streams;
  std::set<Event*> events;
  std::set<Pool*> pools;
  std::set<Module*> modules;
  std::set<Link*> links;
  std::map<uint64_t, Pool*> pool_of; // memory taken from pools
  std::set<uint64_t> freeing;        // cuMemFreeAsync has been called, but not run
  Pool default_pool;

  void initialize();
  CUresult enqueue(const Stream*, std::function<CUresult()>);
  CUresult finish(const Stream*); // runs what was enqueued to it
  CUresult finishAll();
  bool runOne(const Stream*); // false: nothing was pending
  bool pending(const Stream*) const;
  CUresult allocate(uint64_t bytes, Pool*, uint64_t* out);
  bool releaseMemory(uint64_t address);
  CUresult fault(CUresult, const std::string& message);
  void reportLeaks() const;
  void tearDown();

private:
  static bool ordered(const Stream* waits, const Stream* runs);

  std::deque<Command> commands_;
  bool lazy_ = true, leaks_ = false;
};

// The context that the calling thread has made current.
void*& currentContext();

// A setting of the environment, or the default.
uint64_t setting(const char* name, uint64_t otherwise);

// Runs the body of an entry point under the lock, once it is sure that there is a context and that it is sound.
template <class F> CUresult inContext(F body) {
  Driver& driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  if (!driver.initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!currentContext() || driver.retained == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (driver.sticky != CUDA_SUCCESS)
    return driver.sticky;
  try {
    return body(driver);
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}

template <class T> T* known(const std::set<T*>& all, void* handle) {
  auto found = all.find(static_cast<T*>(handle));
  return found == all.end() ? nullptr : *found;
}

// Calls body with the stream of a handle; null is the default stream.
template <class F> CUresult onStream(void* handle, F body) {
  return inContext([&](Driver& driver) {
    Stream* stream = known(driver.streams, handle);
    return handle && !stream ? CUDA_ERROR_INVALID_HANDLE : body(driver, stream);
  });
}

} // namespace bsgp::emulator

#define BSGP_EXPORT extern "C" __attribute__((visibility("default")))

// Observes a context: its memory, copies, calls and launches. A context has no watch by default; --check makes one
// (check/checks.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plan/plan_abi.h"
#include "runtime/device.h"
#include "runtime/origin.h"

namespace bsgp::runtime {

// Memory that the program allocated: a device's, or the host's by `new`.
struct WatchedBlock {
  void* begin = nullptr;
  size_t bytes = 0;
  Space space = Space::Device;
};

// Belongs to one call from outside, and is destroyed after its end.
class CallWatch {
public:
  virtual ~CallWatch() = default;
};

// Belongs to one launch, which has ended when this is destroyed.
class LaunchWatch {
public:
  virtual ~LaunchWatch() = default;
  virtual bsgp_check_launch* record() = 0; // is handed to the kernel
};

inline constexpr const char* kEndedByFailure = "the error above"; // a call of the runtime has failed, with a message

// Any thread may call any function at any time.
class Watch {
public:
  virtual ~Watch() = default;

  // A freed block is held by the watch, unless it is damaged. The blocks that these return are given back now.
  virtual std::vector<WatchedBlock> allocated(const WatchedBlock& block, const Origin& origin) = 0;
  virtual std::vector<WatchedBlock> freed(const WatchedBlock& block, bool is_damaged, const bsgp_site* at,
                                          uint64_t peak_bytes) = 0;
  virtual std::vector<WatchedBlock> releaseAll() = 0;

  // The program may reach `bytes` of the memory behind a list: by its elements, or because it reserved them.
  virtual void listHas(void* data, uint64_t bytes) = 0;
  virtual void listReserves(void* data, uint64_t bytes) = 0;
  virtual std::string whyNotFreed(const void* block, Space space) const = 0; // a sentence; "": not known

  // Whether host code may copy from there, or to there (bsgp_check_access); if not, that was reported.
  // `is_mapped_here`: the memory is this process's, not a GPU's. `call` may be null.
  virtual bool mayCopy(const void* pointer, uint64_t bytes, uint8_t access, bool is_mapped_here, const bsgp_site* site,
                       bsgp_call* call) = 0;
  virtual void copied(const void* to, Space to_space, const void* from, uint64_t bytes, const bsgp_site* site,
                      bsgp_call* call = nullptr) = 0;

  virtual std::unique_ptr<CallWatch> callBegins() = 0;
  virtual std::string callEnds(CallWatch& call) = 0; // the first error that was found in it; "": none
  virtual std::unique_ptr<LaunchWatch> launchBegins(const bsgp_call& call, const bsgp_plan& plan,
                                                    const bsgp_kernel& kernel, const char* frame, int64_t threads) = 0;

  // Prints all reports to stderr, once, and returns false if they cannot be written where they shall be. `ended_by`: what
  // ended the program before its time, or null. `was_reported`: there was an error that is none of the reports.
  virtual bool reportAll(const char* ended_by = nullptr, bool was_reported = false) = 0;
  virtual void reportAtEndOnly() = 0; // and no longer at the end of each call
  virtual bool foundErrors() const = 0;
};

} // namespace bsgp::runtime

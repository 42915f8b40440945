// The reports of threads to the host: a record in device memory for each call from outside, so that the failure of
// one call is reported to that one, and stops its kernels alone.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cuda/copies.h"
#include "runtime/cuda/gpu_memory.h"

namespace bsgp::runtime::cuda {

struct Record {
  CUdeviceptr address = 0;
  bsgp_gpu_record* said = nullptr; // its contents when it was last fetched; pinned, so that fetching does not wait
  CUdeviceptr slots = 0;           // of printf; 0: none yet
  uint64_t capacity = 0;           // slots

  // The state last fetched, by copies that need not be done. It is the first word of the record.
  bool hasFailed() const { return std::atomic_ref(said->failed).load(std::memory_order_relaxed) != 0; }
};

class Records {
public:
  Records(Gpu& gpu, GpuMemory& memory, Copies& copies) : gpu_(gpu), memory_(memory), copies_(copies) {}
  ~Records();
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  Result<Record> take(); // returns an empty one
  void give(const Record& record);
  size_t taken() const { return taken_.load(std::memory_order_acquire); }

  // Before a kernel that prints: room for `threads` threads.
  Result<void> makeRoom(Record& record, int64_t threads);
  // After it, when the record was fetched: prints, and empties the slots.
  Result<void> print(const Record& record, const bsgp_gpu_code& code);
  Result<void> clear(const Record& record); // of a failure

private:
  Result<Record> freeOrNew();
  Result<void> fill(CUdeviceptr to, uint8_t byte, size_t bytes);
  void destroy(const Record& record);
  Result<void> makeSlots(Record& record, uint64_t capacity);

  Gpu& gpu_;
  GpuMemory& memory_;
  Copies& copies_;
  std::atomic<size_t> taken_{0};
  std::mutex mutex_; // of the records that are free
  std::vector<Record> free_;
};

// A call and its record.
class CudaCall final : public DeviceCall {
public:
  CudaCall(Records& records, Record record, uint64_t generation)
      : record(record), generation(generation), records_(records) {}
  ~CudaCall() override { records_.give(record); }

  Record record;
  const uint64_t generation;           // of code, when the call came
  const bsgp_gpu_code* code = nullptr; // of the launches since the last wait, whose sites and formats it has
  bool unseen = false;                 // a thread may have written to the record since it was last fetched
  bool fetched = false;                // the record was asked for, and has not been looked at yet

private:
  Records& records_;
};

// The lines in the slots of a record, and the number of those that did not fit.
struct Lines {
  struct Line {
    const char* format;
    uint32_t count;
    const uint64_t* arguments;
  };
  std::vector<Line> lines;
  uint64_t lost_slots = 0;
};
Lines linesIn(const std::vector<uint64_t>& slots, const bsgp_gpu_record& said, const bsgp_gpu_code& code);

} // namespace bsgp::runtime::cuda

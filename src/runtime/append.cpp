#include "runtime/append.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sched.h>

#include "runtime/cpu/copy.h"
#include "runtime/pause.h"

namespace bsgp::runtime {
namespace {

constexpr int64_t kBuffered = 128 << 10; // bytes of a range: with what it reads, part of a second-level cache
constexpr int kPausesBeforeYield = 2'000;

bsgp_append* appendOf(uint64_t param) {
  return reinterpret_cast<bsgp_append*>(uintptr_t(param));
}

// One of this thread of the machine for each append of a kernel, kept for the next range.
class Buffers {
public:
  Buffers() = default;
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() {
    for (Buffer& buffer : buffers_)
      std::free(buffer.data);
  }

  // Null: there is no memory, or there are too many appends.
  char* take(uint32_t number, size_t bytes) {
    if (number >= kMost)
      return nullptr;
    Buffer& buffer = buffers_[number];
    if (buffer.bytes >= bytes)
      return buffer.data;
    std::free(buffer.data);
    buffer.bytes = (bytes + kLine - 1) / kLine * kLine;
    buffer.data = static_cast<char*>(std::aligned_alloc(kLine, buffer.bytes));
    if (!buffer.data)
      buffer.bytes = 0;
    return buffer.data;
  }

private:
  static constexpr uint32_t kMost = 8;
  static constexpr size_t kLine = 64;
  struct Buffer {
    char* data = nullptr;
    size_t bytes = 0;
  };
  Buffer buffers_[kMost];
};

thread_local Buffers buffers;

} // namespace

Appending::Appending(const Work& work) : work_(work) {
  int64_t bytes = 0;
  for (uint32_t i = 0; i < work.kernel.param_count; ++i)
    if (work.kernel.params[i].kind == BSGP_PARAM_APPEND)
      ++appends_, bytes += appendOf(work.launch.params[i])->value_bytes;
  if (any())
    most_blocks_ = std::max<int64_t>(kBuffered / std::max<int64_t>(bytes * work.launch.block, 1), 1);
}

bool Appending::isPastCaches(const bsgp_append& to, int64_t threads) {
  return uint64_t(threads) * uint64_t(to.value_bytes) >= kPastCaches;
}

Appending::Range::Range(Appending& all, int64_t first, int64_t end)
    : all_(all), first_(first), end_(end), params_(all.work_.kernel.param_count), parts_(all.appends_) {
  const bsgp_kernel& kernel = all.work_.kernel;
  uint32_t number = 0;
  for (uint32_t i = 0; i < kernel.param_count; ++i) {
    params_[i] = all.work_.launch.params[i];
    if (kernel.params[i].kind != BSGP_PARAM_APPEND)
      continue;
    Part& part = parts_[number];
    part = {appendOf(params_[i])};
    begin(part, number++);
    params_[i] = uint64_t(uintptr_t(&part.end));
  }
}

void Appending::Range::begin(Part& part, uint32_t number) {
  int64_t threads = (end_ - first_) * all_.work_.launch.block;
  part.in_place = isTurn() && !isPastCaches(*part.to, all_.work_.launch.size);
  if (!part.in_place)
    part.begin = buffers.take(number, size_t(threads * part.to->value_bytes) + BSGP_APPEND_SLACK);
  if (!part.begin) {
    awaitTurn();
    part.in_place = true;
    part.begin = reinterpret_cast<char*>(uintptr_t(part.to->to)) + part.to->bytes;
  }
  part.end = part.begin;
}

void Appending::Range::awaitTurn() const {
  for (int i = 0; !isTurn(); ++i)
    if (i < kPausesBeforeYield)
      pause();
    else
      sched_yield();
}

// The next range may go on as soon as it is known where it goes; copies are done side by side.
void Appending::Range::finish() {
  awaitTurn();
  Few<char*, 4> places(all_.appends_);
  for (uint32_t i = 0; i < all_.appends_; ++i) {
    bsgp_append& to = *parts_[i].to;
    places[i] = reinterpret_cast<char*>(uintptr_t(to.to)) + to.bytes;
    to.bytes += parts_[i].end - parts_[i].begin;
  }
  all_.next_.store(end_, std::memory_order_release);
  for (uint32_t i = 0; i < all_.appends_; ++i)
    if (const Part& part = parts_[i]; !part.in_place) {
      auto bytes = size_t(part.end - part.begin);
      if (isPastCaches(*part.to, all_.work_.launch.size))
        streamCopy(places[i], part.begin, bytes);
      else
        std::memcpy(places[i], part.begin, bytes);
    }
}

} // namespace bsgp::runtime

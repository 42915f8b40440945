#include "trace.h"

#include <cinttypes>
#include <cstdlib>
#include <string>

#include "block.h"
#include "lanes.h"

namespace bsgp::emulator {

Trace* Trace::get() {
  static const char* path = std::getenv("BSGP_CUDA_EMULATOR_TRACE");
  static Trace* trace = path && *path ? new Trace(path) : nullptr; // never destroyed: a launch may outlive main
  return trace;
}

Trace::Trace(const char* path) : file_(std::fopen(path, "w")) {
  if (file_)
    return;
  std::perror(path);
  std::exit(1);
}

void Trace::allocated(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  std::fprintf(file_, "a %" PRIx64 " %" PRIu64 "\n", address, bytes);
  std::fflush(file_);
}

void Trace::freed(uint64_t address) {
  std::lock_guard lock(mutex_);
  std::fprintf(file_, "f %" PRIx64 "\n", address);
  std::fflush(file_);
}

void Trace::begins(const Launch& launch) {
  std::lock_guard lock(mutex_);
  std::fprintf(file_, "l %s %" PRIu64 " %u\n", launch.kernel->name.c_str(), launch.blocks(), launch.threads());
  for (const SharedVariable& variable : launch.kernel->shared)
    std::fprintf(file_, "v %s %x %u\n", variable.name.c_str(), variable.offset, variable.bytes);
}

void Trace::ends() {
  std::lock_guard lock(mutex_);
  std::fflush(file_);
}

void Trace::fence(Warp& w) {
  std::lock_guard lock(mutex_);
  std::fprintf(file_, "m %" PRIu64 " %u %x\n", w.block().number(), w.index(), w.exec);
}

void Trace::access(Warp& w, const Op& op, Space space, uint32_t address_operand, unsigned bytes, char kind) {
  if (space == Space::local)
    return;
  const uint64_t* addresses = w.at<uint64_t>(address_operand);
  bool is_shared = space == Space::shared;
  uint32_t lanes = 0;
  std::string places;
  char text[96];
  forLanes(w.exec, [&](unsigned lane) {
    uint64_t address = addresses[lane] + op.imm;
    bool in_window = space == Space::generic && address - kSharedBase < kSlotBase + kWindow - kSharedBase;
    if (in_window && address - kSharedBase >= kWindow) // parameters, what belongs to the thread
      return;
    is_shared |= in_window;
    lanes |= uint32_t(1) << lane;
    std::snprintf(text, sizeof text, " %" PRIx64, in_window ? address - kSharedBase : address);
    places += text;
  });
  if (!lanes)
    return;
  Block& block = w.block();
  std::snprintf(text, sizeof text, "%c %c %u %" PRIu64 " %u %u %u %x", kind, is_shared ? 's' : 'g', bytes,
                block.number(), w.index(), block.races().barriers, w.syncs, lanes);
  std::lock_guard lock(mutex_);
  std::fprintf(file_, "%s%s\n", text, places.c_str());
}

} // namespace bsgp::emulator

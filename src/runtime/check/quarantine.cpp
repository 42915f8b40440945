#include "runtime/check/quarantine.h"

#include <utility>

namespace bsgp::runtime::check {

uint64_t Quarantine::footprintOf(const Block& block) {
  constexpr uint64_t kOfDevice = 5 << 10, kOfHost = 768;
  return block.bytes + block.bytes / 8 + (block.space == Space::Device ? kOfDevice : kOfHost);
}

std::vector<Quarantine::Block> Quarantine::add(const Block& block, uint64_t most) {
  std::lock_guard lock(mutex_);
  std::vector<Block> left;
  blocks_.push_back(block);
  footprint_ += footprintOf(block);
  while (blocks_.size() > 1 && (footprint_ > most || blocks_.size() > kMostBlocks)) {
    left.push_back(blocks_.front());
    footprint_ -= footprintOf(blocks_.front());
    blocks_.pop_front();
  }
  return left;
}

std::vector<Quarantine::Block> Quarantine::takeAll() {
  std::lock_guard lock(mutex_);
  footprint_ = 0;
  std::deque<Block> all = std::exchange(blocks_, {});
  return {all.begin(), all.end()};
}

uint64_t Quarantine::footprint() const {
  std::lock_guard lock(mutex_);
  return footprint_;
}

} // namespace bsgp::runtime::check

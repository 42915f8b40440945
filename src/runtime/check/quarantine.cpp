#include "runtime/check/quarantine.h"

#include <utility>

namespace bsgp::runtime::check {

std::vector<Quarantine::Block> Quarantine::add(const Block& block, uint64_t most) {
  std::lock_guard lock(mutex_);
  std::vector<Block> left;
  blocks_.push_back(block);
  bytes_ += block.bytes;
  while (bytes_ > most && blocks_.size() > 1) {
    left.push_back(blocks_.front());
    bytes_ -= blocks_.front().bytes;
    blocks_.pop_front();
  }
  return left;
}

std::vector<Quarantine::Block> Quarantine::takeAll() {
  std::lock_guard lock(mutex_);
  bytes_ = 0;
  std::deque<Block> all = std::exchange(blocks_, {});
  return {all.begin(), all.end()};
}

uint64_t Quarantine::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

} // namespace bsgp::runtime::check

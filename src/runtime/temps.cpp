#include "runtime/temps.h"

#include <algorithm>
#include <utility>

namespace bsgp::runtime {

void Temps::freeFrom(size_t mark, Memory& memory) {
  while (temps_.size() > mark) {
    memory.release(temps_.back().block, temps_.back().serial);
    temps_.pop_back();
  }
}

size_t Temps::beginRun() {
  return std::exchange(run_begin_, temps_.size());
}

void Temps::endRun(size_t outer_begin, Memory& memory) {
  freeFrom(run_begin_, memory);
  run_begin_ = outer_begin;
}

void Temps::endScope(uint32_t scope, bool in_loop, Memory& memory) {
  size_t left = run_begin_;
  for (size_t i = run_begin_; i < temps_.size(); ++i) {
    Temp temp = temps_[i];
    bool ends = temp.scope == scope;
    bool kept = in_loop && temp.block && temp.bytes <= kLargest && !memory.freesAtOnce();
    if (ends && !kept) {
      memory.release(temp.block, temp.serial);
      continue;
    }
    temp.scope = ends ? kKept : temp.scope;
    temps_[left++] = temp;
  }
  temps_.resize(left);
}

// One of another size is given back: the next iterations will ask for this size.
void* Temps::takeKept(const bsgp_site* site, size_t bytes, uint32_t scope, Memory& memory) {
  for (size_t i = run_begin_; i < temps_.size(); ++i) {
    Temp& temp = temps_[i];
    if (temp.scope != kKept || temp.site != site)
      continue;
    if (temp.bytes == bytes) {
      temp.scope = scope;
      return temp.block;
    }
    memory.release(temp.block, temp.serial);
    temps_.erase(temps_.begin() + ptrdiff_t(i--));
  }
  return nullptr;
}

bool Temps::forget(const void* block) {
  auto temp = std::find_if(temps_.begin(), temps_.end(), [&](const Temp& one) { return one.block == block; });
  if (temp == temps_.end())
    return true;
  if (temp->scope == kKept)
    return false;
  temp->block = nullptr;
  return true;
}

} // namespace bsgp::runtime

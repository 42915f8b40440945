#include "arrays/fold.h"

#include <algorithm>
#include <cstring>

#include "arrays/loops/loops.h"

namespace bsgp::arrays {

namespace {

constexpr int64_t kGroup = 4096; // results of blocks

void combine(FoldLoops fold, void* to, const void* a, const void* b, int64_t count) {
  loops().apply[fold.combines][fold.type](to, a, b, nullptr, count);
}

} // namespace

Lanes::Lanes(FoldLoops fold, int64_t width) : fold_(fold), width_(width), bytes_(width * info(fold.type).bytes) {
  lanes_.resize(size_t(kFoldLanes * bytes_));
}

void Lanes::add(const void* rows, int64_t count) {
  const char* from = static_cast<const char*>(rows);
  while (count > 0) {
    int64_t lane = count_ % kFoldLanes, rows_here = std::min(count, kFoldLanes - lane);
    char* to = lanes_.data() + lane * bytes_;
    if (count_ < kFoldLanes)
      std::memcpy(to, from, size_t(rows_here * bytes_));
    else
      combine(fold_, to, to, from, rows_here * width_);
    from += rows_here * bytes_;
    count_ += rows_here, count -= rows_here;
  }
}

void Lanes::addAt(int64_t number, int64_t first, const void* values, int64_t count) {
  int64_t bytes = info(fold_.type).bytes;
  char* to = lanes_.data() + number % kFoldLanes * bytes_ + first * bytes;
  if (number < kFoldLanes)
    std::memcpy(to, values, size_t(count * bytes));
  else
    combine(fold_, to, to, values, count);
  count_ = std::max(count_, number + 1);
}

void Lanes::finish(void* to) {
  int64_t filled = std::min<int64_t>(count_, kFoldLanes);
  if (filled == 0)
    for (int64_t i = 0; i < width_; ++i)
      identityOf(fold_.combines, fold_.type, lanes_.data() + i * info(fold_.type).bytes);
  foldLanes(fold_, lanes_.data(), filled, width_);
  std::memcpy(to, lanes_.data(), size_t(bytes_));
  count_ = 0;
}

void foldLanes(FoldLoops fold, char* lanes, int64_t count, int64_t width) {
  int64_t bytes = width * info(fold.type).bytes;
  for (int64_t half = kFoldLanes / 2; half > 0; half /= 2)
    if (int64_t above = std::min(count - half, half); above > 0) {
      combine(fold, lanes, lanes, lanes + half * bytes, above * width);
      count = half;
    }
}

void foldBlocks(FoldLoops fold, char* rows, int64_t blocks, int64_t width, void* to) {
  int64_t bytes = width * info(fold.type).bytes;
  Lanes lanes(fold, width);
  do {
    int64_t groups = std::max<int64_t>((blocks + kGroup - 1) / kGroup, 1);
    for (int64_t group = 0; group < groups; ++group) {
      lanes.add(rows + group * kGroup * bytes, std::min(kGroup, blocks - group * kGroup));
      lanes.finish(rows + group * bytes);
    }
    blocks = groups;
  } while (blocks > 1);
  std::memcpy(to, rows, size_t(bytes));
}

} // namespace bsgp::arrays

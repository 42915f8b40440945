// Reductions in a fixed order: the bits depend on the shape alone, not on threads, on what is computed together, or on the machine.
//
// The order is that of the language's reduce: values in blocks of 256 by 64 interleaved lanes that are halved; then the results of
// blocks in groups of 4,096 in the same way, until one is left.
#pragma once

#include "arrays/kernel.h"

namespace bsgp::arrays {

struct FoldLoops {
  bsgp_operation combines;
  bsgp_dtype type;
};

// `width` values side by side that are reduced independently of each other: a row of results for each of `count` rows of values.
// Block by block, of rows of any length: lanes are added a row at a time.
class Lanes {
public:
  Lanes(FoldLoops fold, int64_t width);
  // Rows of values, side by side.
  void add(const void* rows, int64_t count);
  // `count` values from `first` on of one of the rows, by its number; those of a lane ascending.
  void addAt(int64_t number, int64_t first, const void* values, int64_t count);
  // The result of all that was added since the last one, or of nothing.
  void finish(void* to);

private:
  FoldLoops fold_;
  int64_t width_, bytes_;
  int64_t count_ = 0; // rows so far
  std::vector<char> lanes_;
};

// Combines `count` lanes, rows of `width` values, 64 at most: the first one has the results.
void foldLanes(FoldLoops fold, char* lanes, int64_t count, int64_t width);

// The results of `blocks` blocks, rows of `width`, to one row. They are overwritten.
void foldBlocks(FoldLoops fold, char* rows, int64_t blocks, int64_t width, void* to);

} // namespace bsgp::arrays

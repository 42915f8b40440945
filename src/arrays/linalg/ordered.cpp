// Products of matrices in the order of a sum of products, and of integers and bools, whose order does not matter: strips of a row of the
// result, for which rows of b are multiplied and added to the lanes of a reduction (fold.h).
#include "arrays/fold.h"
#include "arrays/linalg/matrices.h"
#include "arrays/linalg/product.h"
#include "arrays/loops/loops.h"

#include <bit>

namespace bsgp::arrays {

namespace {

constexpr int64_t kStrip = 128, kRows = kFoldLanes; // columns, and rows that are multiplied at once

class Ordered {
public:
  Ordered(const WholeCall& call, const ProductShape& shape)
      : call_(call), shape_(shape), bytes_(info(call.type).bytes), log2_(std::countr_zero(uint64_t(bytes_))),
        strips_((shape.n + kStrip - 1) / kStrip),
        parts_(std::max<int64_t>((shape.k + kFoldBlock - 1) / kFoldBlock, 1)) {}

  int64_t count() const { return shape_.leading.elements() * shape_.m * strips_; }

  // Strips of the result by their numbers.
  void compute(int64_t first, int64_t end) const {
    Memory memory(*this);
    for (int64_t i = first; i < end; ++i)
      strip(memory, i / strips_ / shape_.m, i / strips_ % shape_.m, i % strips_ * kStrip);
  }

private:
  struct Memory {
    explicit Memory(const Ordered& of)
        : products(size_t(kRows * kStrip * of.bytes_)), factors(products.size()), row(size_t(kStrip * of.bytes_)),
          parts(size_t(of.parts_ * kStrip * of.bytes_)) {}
    std::vector<char> products, factors, row, parts;
  };

  FoldLoops fold() const { return {BSGP_OP_ADD, call_.type}; }
  const char* matrixOf(int operand, int64_t number, int64_t elements) const {
    const WholeOperand& from = call_.operands[operand];
    return from.as<char>() + broadcastNumber(leadingOf(from.shape, 2), shape_.leading, number) * elements * bytes_;
  }

  void strip(Memory& memory, int64_t number, int64_t row, int64_t column) const {
    int64_t width = std::min(kStrip, shape_.n - column);
    const char *a = matrixOf(0, number, shape_.m * shape_.k), *b = matrixOf(1, number, shape_.k * shape_.n);
    Lanes lanes(fold(), width);
    for (int64_t part = 0; part < parts_; ++part) {
      for (int64_t k = part * kFoldBlock, end = std::min(shape_.k, k + kFoldBlock); k < end; k += kRows) {
        int64_t rows = std::min(kRows, end - k);
        multiply(memory, a, b, row, k, rows, column, width);
        lanes.add(memory.products.data(), rows);
      }
      lanes.finish(memory.parts.data() + part * width * bytes_);
    }
    char* to = call_.result<char>() + ((number * shape_.m + row) * shape_.n + column) * bytes_;
    if (parts_ == 1)
      std::memcpy(to, memory.parts.data(), size_t(width * bytes_));
    else
      foldBlocks(fold(), memory.parts.data(), parts_, width, to);
  }

  // Rows [k, k + rows) of b, each times its element of row `row` of a.
  void multiply(Memory& memory, const char* a, const char* b, int64_t row, int64_t k, int64_t rows, int64_t column,
                int64_t width) const {
    for (int64_t i = 0; i < rows; ++i) {
      int64_t at_a = shape_.trans_a ? (k + i) * shape_.m + row : row * shape_.k + k + i;
      loops().fill[log2_](memory.factors.data() + i * width * bytes_, a + at_a * bytes_, width);
      char* to = memory.products.data() + i * width * bytes_;
      if (shape_.trans_b)
        loops().copy[log2_](to, b + (column * shape_.k + k + i) * bytes_, shape_.k * bytes_, width);
      else
        std::memcpy(to, b + ((k + i) * shape_.n + column) * bytes_, size_t(width * bytes_));
    }
    loops().apply[BSGP_OP_MULTIPLY][call_.type](memory.products.data(), memory.factors.data(), memory.products.data(),
                                                nullptr, rows * width);
  }

  const WholeCall& call_;
  const ProductShape& shape_;
  int64_t bytes_;
  int log2_;
  int64_t strips_, parts_;
};

} // namespace

Result<void> runOrdered(const WholeCall& call, const ProductShape& shape) {
  Ordered product(call, shape);
  std::atomic<bool> lacks_memory{false};
  call.pool.forRanges(product.count(), [&](int64_t first, int64_t end) {
    try {
      product.compute(first, end);
    } catch (const std::bad_alloc&) {
      lacks_memory = true;
    }
  });
  if (lacks_memory)
    return Error{fmt::format("there is no memory for intermediate values of {}", call.name), Mistake::Memory};
  return {};
}

} // namespace bsgp::arrays

#include "arrays/run.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "arrays/fold.h"
#include "arrays/loops/loops.h"
#include "arrays/origin.h"

namespace bsgp::arrays {

namespace {

constexpr int64_t kWideStrip = 4096,
                  kStrip = 1024; // results of a wide reduction that are made together; where there are few blocks
constexpr int64_t kManyParts = 8;
constexpr int64_t kShortParts = 4; // reductions of a few neighbours that are made side by side

// A reduction's memory: a row of results for each block of 256 places; where there is one block, the output itself.
struct FoldMemory {
  FoldLoops fold;
  std::shared_ptr<Buffer> rows, to;
  int64_t bytes; // of an element
};

// The places of a kernel with reductions: outer × reduced × inner.
struct FoldShape {
  int64_t outer, reduced, inner;
  int64_t parts() const {
    return std::max<int64_t>((reduced + kFoldBlock - 1) / kFoldBlock, 1);
  } // blocks for one output
};

// Places of which a block is made: the middles of rows are cut into pieces of equal length, or, where rows are short, taken together.
struct Pieces {
  int64_t places, row, first = 0, middle, piece, per_row;

  explicit Pieces(const Prepared& prepared) : places(prepared.layout.shape.elements()) {
    const Shape& shape = prepared.layout.shape;
    bool by_rows = shape.rank > 1 && shape[shape.rank - 1] >= kLeastRow;
    row = by_rows ? shape[shape.rank - 1] : places;
    middle = by_rows ? prepared.middle.end - prepared.middle.first : row;
    first = by_rows ? prepared.middle.first : 0;
    per_row = (middle + prepared.block - 1) / prepared.block;
    piece = by_rows ? (middle + per_row - 1) / std::max<int64_t>(per_row, 1) : prepared.block;
  }
  int64_t count() const { return row ? places / row * per_row : 0; }
  int64_t begin(int64_t block) const { return block / per_row * row + first + block % per_row * piece; }
  int32_t size(int64_t block) const { return int32_t(std::min(piece, middle - block % per_row * piece)); }
};

// The body of a worker, which ends early where it lacks memory.
template <class Body> auto withMemory(const Prepared& prepared, Body body) {
  return [&prepared, body = std::move(body)](int64_t first, int64_t end) {
    try {
      body(first, end);
    } catch (const std::bad_alloc&) {
      prepared.lacks_memory = true;
    }
  };
}

void runRowsOf(const Prepared& prepared, runtime::Pool& pool) {
  const Shape& shape = prepared.layout.shape;
  int64_t row = shape[shape.rank - 1], rows = row ? shape.elements() / row : 0,
          at_once = std::max<int64_t>(kDirectBlock / row, 1);
  pool.forRanges((rows + at_once - 1) / at_once, withMemory(prepared, [&](int64_t first, int64_t end) {
                   Block block(prepared);
                   block.computeRows(first * at_once, std::min(end * at_once, rows));
                 }));
}

void runElements(const Prepared& prepared, runtime::Pool& pool) {
  if (prepared.row_steps.exist)
    return runRowsOf(prepared, pool);
  Pieces pieces(prepared);
  pool.forRanges(pieces.count(), withMemory(prepared, [&](int64_t first, int64_t end) {
                   Block block(prepared);
                   for (int64_t i = first; i < end; ++i)
                     if (int32_t size = pieces.size(i); size > 0)
                       block.compute(pieces.begin(i), size);
                 }));
}

// The ends of rows, many rows at a time.
void runEdges(const Prepared& prepared, runtime::Pool& pool) {
  int64_t row = prepared.layout.shape.rank ? prepared.layout.shape[prepared.layout.shape.rank - 1] : 0;
  for (const auto& edge : prepared.edges) {
    int64_t places = edge->layout.shape.elements();
    pool.forRanges((places + kBlock - 1) / kBlock, withMemory(prepared, [&](int64_t first, int64_t end) {
                     Block block(*edge);
                     for (int64_t i = first; i < end; ++i)
                       block.computeEdge(i * kBlock, int32_t(std::min(kBlock, places - i * kBlock)), row);
                   }));
  }
}

// A worker's reductions: parts are added one after the other.
class Folder {
public:
  Folder(const Prepared& prepared, const std::vector<FoldMemory>& folds, const std::vector<int32_t>& values,
         const FoldShape& shape, int64_t width)
      : block_(prepared), folds_(folds), values_(values), shape_(shape), width_(width) {
    for (const FoldMemory& fold : folds)
      lanes_.emplace_back(fold.fold, width);
  }

  // Whole rows: parts [first, end) are places side by side.
  void parts(int64_t first, int64_t end) {
    for (int64_t part = first; part < end;) {
      int64_t until = part + 1, places = rowsOf(part) * shape_.inner;
      if (places > kBlock) {
        if (shape_.inner < kLeastRow)
          inPieces(part++);
        else
          strip(part++, 0);
        continue;
      }
      while (until < end && places + rowsOf(until) * shape_.inner <= kBlock)
        places += rowsOf(until++) * shape_.inner;
      block_.compute(beginOf(part) * shape_.inner, int32_t(places));
      if (isShort() && until - part >= kShortParts) {
        foldShort(part, until - part);
        part = until;
      }
      for (int64_t done = 0; part < until; done += rowsOf(part++) * shape_.inner)
        foldPart(part, done, rowsOf(part));
    }
  }

  // `width` of the inner places from `inner` on.
  void strip(int64_t part, int64_t inner) {
    int64_t width = std::min(width_, shape_.inner - inner);
    std::vector<Lanes> narrow;
    if (width < width_)
      for (const FoldMemory& fold : folds_)
        narrow.emplace_back(fold.fold, width);
    std::vector<Lanes>& lanes = width < width_ ? narrow : lanes_;
    byLanes(part, inner, width, lanes);
    for (size_t i = 0; i < lanes.size(); ++i)
      lanes[i].finish(resultOf(i, part) + inner * folds_[i].bytes);
  }

private:
  int64_t beginOf(int64_t part) const {
    return part / shape_.parts() * shape_.reduced + part % shape_.parts() * kFoldBlock;
  }
  int64_t rowsOf(int64_t part) const {
    return std::min<int64_t>(kFoldBlock, shape_.reduced - part % shape_.parts() * kFoldBlock);
  }
  char* resultOf(size_t fold, int64_t part) const {
    return folds_[fold].rows->data() + part * shape_.inner * folds_[fold].bytes;
  }

  // Reductions of few neighbours are made side by side: rows of the language's tree are columns of many parts.
  bool isShort() const { return shape_.inner == 1 && shape_.reduced <= kFoldLanes; }

  void foldShort(int64_t part, int64_t parts) {
    for (size_t i = 0; i < folds_.size(); ++i) {
      int64_t bytes = folds_[i].bytes, row = parts * bytes;
      columns_.resize(size_t(shape_.reduced * row));
      const auto* from = static_cast<const char*>(block_.value(values_[i]));
      for (int64_t k = 0; k < shape_.reduced; ++k)
        loops().copy[std::countr_zero(uint64_t(bytes))](columns_.data() + k * row, from + k * bytes,
                                                        shape_.reduced * bytes, parts);
      foldLanes(folds_[i].fold, columns_.data(), shape_.reduced, parts);
      std::memcpy(resultOf(i, part), columns_.data(), size_t(row));
    }
  }

  // `places` of the block are in front of it.
  void foldPart(int64_t part, int64_t places, int64_t rows) {
    for (size_t i = 0; i < folds_.size(); ++i) {
      const char* from = static_cast<const char*>(block_.value(values_[i])) + places * folds_[i].bytes;
      if (shape_.inner == 1) {
        loops().fold[folds_[i].fold.combines][folds_[i].fold.type](resultOf(i, part), from, rows);
      } else {
        lanes_[i].add(from, rows);
        lanes_[i].finish(resultOf(i, part));
      }
    }
  }

  // The rows of a lane after each other: the lane stays in cache.
  void byLanes(int64_t part, int64_t inner, int64_t width, std::vector<Lanes>& lanes) {
    for (int64_t lane = 0, rows = rowsOf(part); lane < std::min<int64_t>(kFoldLanes, rows); ++lane)
      for (int64_t row = lane; row < rows; row += kFoldLanes)
        for (int64_t first = 0; first < width; first += kBlock) {
          int64_t count = std::min(kBlock, width - first);
          block_.compute((beginOf(part) + row) * shape_.inner + inner + first, int32_t(count));
          for (size_t i = 0; i < lanes.size(); ++i)
            lanes[i].addAt(row, first, block_.value(values_[i]), count);
        }
  }

  void inPieces(int64_t part) {
    int64_t at_once = kBlock / shape_.inner;
    for (int64_t done = 0, rows = rowsOf(part); done < rows; done += at_once) {
      int64_t here = std::min(at_once, rows - done);
      block_.compute((beginOf(part) + done) * shape_.inner, int32_t(here * shape_.inner));
      for (size_t i = 0; i < folds_.size(); ++i)
        lanes_[i].add(block_.value(values_[i]), here);
    }
    for (size_t i = 0; i < folds_.size(); ++i)
      lanes_[i].finish(resultOf(i, part));
  }

  Block block_;
  const std::vector<FoldMemory>& folds_;
  const std::vector<int32_t>& values_;
  FoldShape shape_;
  int64_t width_;
  std::vector<Lanes> lanes_;
  std::vector<char> columns_;
};

void runParts(const Prepared& prepared, const std::vector<FoldMemory>& folds, const std::vector<int32_t>& values,
              const FoldShape& shape, runtime::Pool& pool) {
  int64_t parts = shape.outer * shape.parts();
  if (shape.inner <= kBlock) {
    pool.forRanges(parts, withMemory(prepared, [&](int64_t first, int64_t end) {
                     Folder(prepared, folds, values, shape, shape.inner).parts(first, end);
                   }));
    return;
  }
  int64_t width = parts >= kManyParts ? kWideStrip : kStrip, strips = (shape.inner + width - 1) / width;
  pool.forRanges(parts * strips, withMemory(prepared, [&](int64_t first, int64_t end) {
                   Folder folder(prepared, folds, values, shape, width);
                   for (int64_t i = first; i < end; ++i)
                     folder.strip(i / strips, i % strips * width);
                 }));
}

void joinParts(const Prepared& prepared, const std::vector<FoldMemory>& folds, const FoldShape& shape,
               runtime::Pool& pool) {
  if (shape.parts() == 1)
    return;
  for (const FoldMemory& fold : folds)
    pool.forRanges(shape.outer, withMemory(prepared, [&](int64_t first, int64_t end) {
                     for (int64_t i = first; i < end; ++i)
                       foldBlocks(fold.fold, fold.rows->data() + i * shape.parts() * shape.inner * fold.bytes,
                                  shape.parts(), shape.inner, fold.to->data() + i * shape.inner * fold.bytes);
                   }));
}

// Reductions of no values.
void fillIdentities(const std::vector<FoldMemory>& folds, const FoldShape& shape) {
  for (const FoldMemory& fold : folds)
    for (int64_t i = 0; i < shape.outer * shape.inner; ++i)
      identityOf(fold.fold.combines, fold.fold.type, fold.to->data() + i * fold.bytes);
}

Result<void> takeMemory(const Kernel& kernel, const FoldShape& shape, std::vector<std::shared_ptr<Buffer>>& memory,
                        std::vector<FoldMemory>& folds, std::vector<int32_t>& values) {
  for (const Output& output : kernel.outputs) {
    auto buffer = allocate(output.node->bytes(), describeResult(*output.node));
    if (!buffer)
      return buffer.error();
    memory.push_back(*buffer);
    if (!output.is_fold)
      continue;
    FoldMemory fold{
        {info(output.node->fold).combines, output.node->type}, *buffer, *buffer, info(output.node->type).bytes};
    if (shape.parts() > 1) {
      auto rows =
          allocate(size_t(shape.outer * shape.parts() * shape.inner * fold.bytes), describeResult(*output.node));
      if (!rows)
        return rows.error();
      fold.rows = *rows;
    }
    folds.push_back(fold), values.push_back(output.value);
  }
  return {};
}

Error wrongIndex(const Prepared& prepared) {
  const Instruction& gather = prepared.kernel->code[prepared.failed.load()];
  return at(prepared.kernel->loads[gather.index].origin,
            {fmt::format("gather: index {} in an axis of {} elements", prepared.wrong_index,
                         prepared.layout.addresses[gather.index].gathered_extent),
             Mistake::Index});
}

// An output with the value of an earlier one.
void copyEqualOutputs(const Kernel& kernel, const std::vector<std::shared_ptr<Buffer>>& memory) {
  for (size_t i = 0; i < kernel.outputs.size(); ++i)
    for (size_t before = 0; before < i && !kernel.outputs[i].is_fold; ++before)
      if (!kernel.outputs[before].is_fold && kernel.outputs[before].value == kernel.outputs[i].value) {
        std::memcpy(memory[i]->data(), memory[before]->data(), memory[i]->bytes());
        break;
      }
}

} // namespace

void makeReady(Prepared& prepared, const Kernel& kernel, Compile compile) {
  bool is_new = prepared.kernel == nullptr;
  if (is_new)
    prepared.kernel = &kernel, prepared.layout = layOut(kernel);
  if (!is_new && prepared.plan.isWhole())
    return;
  Plan plan = planOf(kernel, kernel.places.shape.elements(), compile);
  if (!is_new && plan.compiled() == prepared.plan.compiled())
    return;
  prepared.plan = std::move(plan);
  prepare(prepared);
}

Result<void> run(Prepared& prepared, runtime::Pool& pool) {
  const Kernel& kernel = *prepared.kernel;
  FoldShape shape{kernel.places.outerElements(), kernel.places.reducedElements(), kernel.places.innerElements()};
  std::vector<std::shared_ptr<Buffer>> memory;
  std::vector<FoldMemory> folds;
  std::vector<int32_t> values;
  if (auto taken = takeMemory(kernel, shape, memory, folds, values); !taken)
    return taken.error();
  std::vector<char*> outputs;
  for (size_t i = 0; i < memory.size(); ++i)
    outputs.push_back(kernel.outputs[i].is_fold ? nullptr : memory[i]->data<char>());
  setMemory(prepared, outputs);
  runtime::Interrupt interrupt;
  if (!folds.empty() && shape.reduced == 0) {
    fillIdentities(folds, shape);
  } else if (!folds.empty() && shape.outer * shape.inner > 0) {
    runParts(prepared, folds, values, shape, pool);
    joinParts(prepared, folds, shape, pool);
  } else if (folds.empty()) {
    runElements(prepared, pool);
    runEdges(prepared, pool);
  }
  if (interrupt.isEnded())
    return runtime::interruption();
  if (prepared.lacks_memory)
    return Error{
        fmt::format("there is no memory for intermediate values of {}", describeResult(*kernel.outputs[0].node)),
        Mistake::Memory};
  for (const auto& edge : prepared.edges)
    if (edge->failed.load() >= 0)
      return wrongIndex(*edge);
  if (prepared.failed.load() >= 0)
    return wrongIndex(prepared);
  copyEqualOutputs(kernel, memory);
  for (size_t i = 0; i < memory.size(); ++i)
    kernel.outputs[i].node->values = memory[i];
  return {};
}

} // namespace bsgp::arrays

// Rows of at least kLongRow elements are sorted and scanned one after the other by the primitives of the language, which use all threads;
// shorter ones beside each other, each by one thread.
#include "arrays/rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <type_traits>

#include <fmt/format.h>

#include "arrays/device/memory.h"
#include "arrays/loops/loops.h"
#include "arrays_rows.h" // made by bsgpc from rows.bsgp
#include "runtime/context.h"

namespace bsgp::arrays {

namespace {

// The primitives' context with as many threads; never destroyed, as are the pools. Only one evaluation runs at a time.
bsgp_context* contextOf(unsigned threads) {
  static auto* const all = new std::map<unsigned, bsgp_context*>;
  bsgp_context*& context = (*all)[threads];
  if (!context) {
    bsgp_options options = BSGP_OPTIONS_INIT;
    options.target = "cpu", options.threads = threads;
    context = bsgp_context_create(&options);
  }
  return context;
}

// NaNs are behind all numbers, and equal.
template <class T> bool isBefore(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a < b || (std::isnan(b) && !std::isnan(a));
  else
    return a < b;
}

// For argmin and argmax a NaN is better than all numbers.
template <class T> bool isBetter(T a, T b, bool least) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) && !std::isnan(b);
  return least ? a < b : b < a;
}

// The functions of rows.bsgp of one type.
template <class T> struct Primitives {
  bsgp_status (*sort)(bsgp_context*, T*, int64_t) = nullptr;
  bsgp_status (*argsort)(bsgp_context*, T*, int32_t*, int32_t) = nullptr;
  bsgp_status (*sum)(bsgp_context*, T*, int64_t) = nullptr;
  bsgp_status (*prod)(bsgp_context*, T*, int64_t) = nullptr;
};
template <class T> Primitives<T> primitives();
template <> Primitives<int32_t> primitives() {
  return {arrays_sort_int, arrays_argsort_int};
}
template <> Primitives<int64_t> primitives() {
  return {arrays_sort_long, arrays_argsort_long, arrays_sum_long, arrays_prod_long};
}
template <> Primitives<uint64_t> primitives() {
  return {arrays_sort_ulong, arrays_argsort_ulong, arrays_sum_ulong, arrays_prod_ulong};
}
template <> Primitives<float> primitives() {
  return {arrays_sort_float, arrays_argsort_float, arrays_sum_float, arrays_prod_float};
}
template <> Primitives<double> primitives() {
  return {arrays_sort_double, arrays_argsort_double, arrays_sum_double, arrays_prod_double};
}

// Few elements are moved one by one; std::stable_sort takes memory for each row.
template <class T> void sortRow(T* row, int64_t n) {
  constexpr int64_t kFew = 24;
  if (n > kFew) {
    std::stable_sort(row, row + n, isBefore<T>);
    return;
  }
  for (int64_t i = 1; i < n; ++i) {
    T value = row[i];
    int64_t to = i;
    for (; to > 0 && isBefore(value, row[to - 1]); --to)
      row[to] = row[to - 1];
    row[to] = value;
  }
}

template <class T> void argsortRow(const T* from, int64_t* to, int64_t n) {
  std::iota(to, to + n, 0);
  std::stable_sort(to, to + n, [from](int64_t a, int64_t b) { return isBefore(from[a], from[b]); });
}

// From left to right. Integers wrap.
template <class T>
using Wraps = std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

template <class T> T foldRow(bool sums, const T* from, int64_t n) {
  Wraps<T> total = sums ? 0 : 1;
  for (int64_t i = 0; i < n; ++i)
    total = sums ? total + Wraps<T>(from[i]) : total * Wraps<T>(from[i]);
  return T(total);
}

template <class T> void scanRow(bool sums, const T* from, T* to, int64_t n, Wraps<T> before) {
  Wraps<T> total = before;
  for (int64_t i = 0; i < n; ++i) {
    total = sums ? total + Wraps<T>(from[i]) : total * Wraps<T>(from[i]);
    to[i] = T(total);
  }
}

constexpr int64_t kSearchBlock = 512;

template <class T> void bestSoFar(const T* from, T* to, int64_t n, bool least) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = i == 0 || isBetter(from[i], to[i - 1], least) ? from[i] : to[i - 1];
}

// Most blocks of a row have nothing better, which vectors find out.
template <class T> bool hasBetter(const T* block, T than, bool least) {
  if (than != than)
    return false; // the first NaN is the best
  int found = 0;
  if (least)
    for (int64_t i = 0; i < kSearchBlock; ++i)
      found |= int(block[i] < than) | int(block[i] != block[i]);
  else
    for (int64_t i = 0; i < kSearchBlock; ++i)
      found |= int(block[i] > than) | int(block[i] != block[i]);
  return found;
}

template <class T> int64_t bestOf(const T* row, int64_t n, bool least) {
  int64_t best = 0;
  for (int64_t first = 0; first < n; first += kSearchBlock) {
    bool is_whole = first + kSearchBlock <= n;
    if (is_whole && !hasBetter(row + first, row[best], least))
      continue;
    for (int64_t i = first; i < std::min(first + kSearchBlock, n); ++i)
      if (isBetter(row[i], row[best], least))
        best = i;
  }
  return best;
}

template <class T> class RowsOf {
public:
  RowsOf(const Kernel& kernel, runtime::Pool& pool, void* to)
      : kind_(kernel.alone->rows), pool_(pool), from_(kernel.loads[0].array->values->template data<const T>()), to_(to),
        n_(kernel.loads[0].shape[kernel.loads[0].shape.rank - 1]),
        count_(n_ ? kernel.loads[0].shape.elements() / n_ : 0) {}

  Result<void> run() {
    switch (kind_) {
    case BSGP_ROWS_SORT:
      std::memcpy(to_, from_, size_t(count_ * n_) * sizeof(T));
      return isLong()
                 ? longRows([this](int64_t row) { return primitives<T>().sort(context(), values() + row * n_, n_); })
                 : eachRow([this](int64_t row) { sortRow(values() + row * n_, n_); });
    case BSGP_ROWS_ARGSORT:
      return isLong() && n_ <= INT32_MAX
                 ? longArgsort()
                 : eachRow([this](int64_t row) { argsortRow(from_ + row * n_, places() + row * n_, n_); });
    case BSGP_ROWS_CUMULATIVE_SUM:
    case BSGP_ROWS_CUMULATIVE_PROD:
      return scan();
    case BSGP_ROWS_ARGMIN:
    case BSGP_ROWS_ARGMAX:
      return eachRow([this](int64_t row) { places()[row] = bestOf(from_ + row * n_, n_, kind_ == BSGP_ROWS_ARGMIN); });
    case BSGP_ROWS_CUMULATIVE_MIN:
    case BSGP_ROWS_CUMULATIVE_MAX:
      return eachRow([this](int64_t row) {
        bestSoFar(from_ + row * n_, values() + row * n_, n_, kind_ == BSGP_ROWS_CUMULATIVE_MIN);
      });
    case BSGP_ROWS_COUNT:
      break;
    }
    return {};
  }

private:
  T* values() { return static_cast<T*>(to_); }
  int64_t* places() { return static_cast<int64_t*>(to_); }
  bool isLong() const { return n_ >= kLongRow && count_ < kFewRows; }
  bsgp_context* context() { return contextOf(pool_.threads()); }

  template <class Function> Result<void> eachRow(const Function& function) {
    pool_.forRanges(count_, [&](int64_t first, int64_t end) {
      for (int64_t row = first; row < end; ++row)
        function(row);
    });
    return {};
  }
  template <class Function> Result<void> longRows(const Function& function) {
    for (int64_t row = 0; row < count_; ++row)
      if (auto done = asResult(function(row)); !done)
        return done;
    return {};
  }

  // The order is from left to right in short rows, and that of the language's scan in long ones: it depends on the shape alone.
  Result<void> scan() {
    bool sums = kind_ == BSGP_ROWS_CUMULATIVE_SUM;
    if (n_ < kLongRow)
      return eachRow([=, this](int64_t row) {
        scanRow<T>(sums, from_ + row * n_, values() + row * n_, n_, Wraps<T>(sums ? 0 : 1));
      });
    if constexpr (std::is_integral_v<T>) {
      for (int64_t row = 0; row < count_; ++row)
        scanByParts(sums, from_ + row * n_, values() + row * n_);
      return {};
    }
    std::memcpy(to_, from_, size_t(count_ * n_) * sizeof(T));
    auto primitive = sums ? primitives<T>().sum : primitives<T>().prod;
    return longRows([=, this](int64_t row) { return primitive(context(), values() + row * n_, n_); });
  }

  // Integers are the same in any order: each thread folds its part, then scans it behind the parts in front.
  void scanByParts(bool sums, const T* from, T* to) {
    int64_t parts = pool_.threads(), part = (n_ + parts - 1) / parts;
    std::vector<Wraps<T>> before(size_t(parts) + 1, Wraps<T>(sums ? 0 : 1));
    auto forParts = [&](const auto& function) {
      pool_.forRanges(
          parts,
          [&](int64_t first, int64_t end) {
            for (int64_t i = first; i < end; ++i)
              function(i, std::min(i * part, n_), std::min((i + 1) * part, n_));
          },
          runtime::Pool::Items::Large);
    };
    forParts([&](int64_t i, int64_t first, int64_t end) {
      before[size_t(i) + 1] = Wraps<T>(i + 1 < parts ? foldRow(sums, from + first, end - first) : T(0));
    });
    for (size_t i = 1; i < before.size(); ++i)
      before[i] = sums ? before[i - 1] + before[i] : before[i - 1] * before[i];
    forParts([&](int64_t i, int64_t first, int64_t end) {
      scanRow<T>(sums, from + first, to + first, end - first, before[size_t(i)]);
    });
  }

  // -0 and +0 are one key.
  Result<void> longArgsort() {
    auto keys = allocate(size_t(n_) * sizeof(T), "the keys of argsort"),
         index = allocate(size_t(n_) * 4, "the places of argsort");
    if (!keys || !index)
      return keys ? index.error() : keys.error();
    T* key = (*keys)->template data<T>();
    auto* place = (*index)->template data<int32_t>();
    return longRows([&](int64_t row) {
      for (int64_t i = 0; i < n_; ++i)
        key[i] = from_[row * n_ + i] + T(0);
      bsgp_status status = primitives<T>().argsort(context(), key, place, int32_t(n_));
      std::copy(place, place + n_, places() + row * n_);
      return status;
    });
  }

  bsgp_rows kind_;
  runtime::Pool& pool_;
  const T* from_;
  void* to_;
  int64_t n_, count_;
};

// Complex numbers are scanned from left to right in rows of any length.
void scanComplex(const Kernel& kernel, runtime::Pool& pool, char* to) {
  const Load& load = kernel.loads[0];
  bsgp_operation combines = kernel.alone->rows == BSGP_ROWS_CUMULATIVE_SUM ? BSGP_OP_ADD : BSGP_OP_MULTIPLY;
  FoldLoop scan = loops().scan[combines][load.array->type];
  int64_t n = load.shape[load.shape.rank - 1], rows = n ? load.shape.elements() / n : 0;
  int64_t bytes = n * info(load.array->type).bytes;
  const char* from = load.array->values->data();
  pool.forRanges(rows, [&](int64_t first, int64_t end) {
    for (int64_t row = first; row < end; ++row)
      scan(to + row * bytes, from + row * bytes, n);
  });
}

} // namespace

Result<void> runRows(const Kernel& kernel, runtime::Pool& pool) {
  Node& node = *kernel.alone;
  auto to = allocate(node.bytes(), describeResult(node));
  if (!to)
    return to.error();
  void* data = (*to)->data();
  bsgp_dtype type = kernel.loads[0].array->type;
  if (isComplex(type)) {
    scanComplex(kernel, pool, (*to)->data());
    node.values = to.take();
    return {};
  }
  Result<void> done = type == BSGP_INT32     ? RowsOf<int32_t>(kernel, pool, data).run()
                      : type == BSGP_INT64   ? RowsOf<int64_t>(kernel, pool, data).run()
                      : type == BSGP_UINT64  ? RowsOf<uint64_t>(kernel, pool, data).run()
                      : type == BSGP_FLOAT32 ? RowsOf<float>(kernel, pool, data).run()
                                             : RowsOf<double>(kernel, pool, data).run();
  if (done)
    node.values = to.take();
  return done;
}

} // namespace bsgp::arrays

// Triangular factors of square matrices, and what follows from them. A matrix that is stored by rows is its transpose to LAPACK; a
// determinant and an inverse are the same for both, and a lower factor by rows is an upper one by columns.
#include <cmath>
#include <cstring>

#include "arrays/linalg/compose.h"
#include "arrays/linalg/lapack.h"
#include "arrays/linalg/linalg.h"

namespace bsgp::arrays {

namespace {

// ---- cholesky ----

template <class T> Info choleskyOf(const Lapack<T>& lapack, T* a, int n, bool upper) {
  Info info = 0;
  int ld = std::max(n, 1);
  lapack.potrf(upper ? "L" : "U", &n, a, &ld, &info, 1);
  for (int64_t row = 0; row < n; ++row)
    if (upper)
      std::fill(a + row * n, a + row * n + row, T(0));
    else
      std::fill(a + row * n + row + 1, a + (row + 1) * n, T(0));
  return info;
}

Result<void> runCholesky(const WholeCall& call) {
  return byLapack(
      call, leadingOf(call.shape, 2),
      [&](const auto& lapack, auto* to, int64_t i) {
        int64_t n = rowsOf(call.shape);
        copyMatrix(call.operands[0], i, to + i * n * n);
        return choleskyOf(lapack, to + i * n * n, int(n), call.numbers[0] != 0);
      },
      [](const std::string& which, Info) {
        return which +
               " is not positive definite\n  help: all of its eigenvalues have to be above 0; eigvalsh gives them";
      });
}
constexpr WholeOperation kCholesky{"cholesky", runCholesky, "LAPACK"};

// ---- determinants ----

// The sign and the logarithm of the magnitude; a sign of 0 for a singular matrix.
template <class T> Info signAndLog(const Lapack<T>& lapack, std::vector<T>& a, int n, T& sign, Part<T>& log) {
  std::vector<int> pivots(static_cast<size_t>(n));
  Info info = 0;
  int ld = std::max(n, 1);
  lapack.getrf(&n, &n, a.data(), &ld, pivots.data(), &info);
  sign = 1, log = 0;
  if (info > 0)
    sign = 0, log = -std::numeric_limits<Part<T>>::infinity();
  for (int k = 0; info == 0 && k < n; ++k) {
    T pivot = a[size_t(k) * n + k];
    Part<T> size = std::abs(pivot);
    sign *= pivot / size, log += std::log(size);
    if (pivots[k] != k + 1)
      sign = -sign;
  }
  return 0;
}

// The product of the pivots, which is more precise than a sum of logarithms.
template <class T> Info determinant(const Lapack<T>& lapack, std::vector<T>& a, int n, T& to) {
  std::vector<int> pivots(static_cast<size_t>(n));
  Info info = 0;
  int ld = std::max(n, 1);
  lapack.getrf(&n, &n, a.data(), &ld, pivots.data(), &info);
  to = info > 0 ? T(0) : T(1);
  for (int k = 0; info == 0 && k < n; ++k)
    to *= pivots[k] != k + 1 ? -a[size_t(k) * n + k] : a[size_t(k) * n + k];
  return 0;
}

// numbers[0]: sign and logarithm, side by side.
Result<void> runDeterminant(const WholeCall& call) {
  const Shape& from = call.operands[0].shape;
  return byLapack(
      call, leadingOf(from, 2),
      [&](const auto& lapack, auto* to, int64_t i) {
        using T = std::remove_pointer_t<decltype(to)>;
        std::vector<T> a = matrixOf<T>(call.operands[0], i);
        if (!call.numbers[0])
          return determinant(lapack, a, int(rowsOf(from)), to[i]);
        Part<T> log;
        Info info = signAndLog(lapack, a, int(rowsOf(from)), to[2 * i], log);
        to[2 * i + 1] = log;
        return info;
      },
      cannotFail);
}
constexpr WholeOperation kDet{"det", runDeterminant, "LAPACK"}, kSlogdet{"slogdet", runDeterminant, "LAPACK"};

// ---- inv and solve ----

std::string singular(const std::string& which, Info) {
  return which + " is singular\n  help: pinv and lstsq take any matrix";
}

template <class T> Info invert(const Lapack<T>& lapack, T* a, int n) {
  std::vector<int> pivots(static_cast<size_t>(n));
  Info info = 0;
  int ld = std::max(n, 1), ask = -1;
  lapack.getrf(&n, &n, a, &ld, pivots.data(), &info);
  if (info != 0)
    return info;
  T best = 1;
  lapack.getri(&n, a, &ld, pivots.data(), &best, &ask, &info);
  Work<T> work(best);
  lapack.getri(&n, a, &ld, pivots.data(), work.data(), work.count(), &info);
  return info;
}

Result<void> runInv(const WholeCall& call) {
  return byLapack(
      call, leadingOf(call.shape, 2),
      [&](const auto& lapack, auto* to, int64_t i) {
        int64_t n = rowsOf(call.shape);
        copyMatrix(call.operands[0], i, to + i * n * n);
        return invert(lapack, to + i * n * n, int(n));
      },
      singular);
}
constexpr WholeOperation kInv{"inv", runInv, "LAPACK"};

// The right sides are stored by columns for LAPACK, which takes the transpose of `a`.
template <class T> Info solve(const Lapack<T>& lapack, std::vector<T>& a, int n, const T* b, T* to, int columns) {
  std::vector<int> pivots(static_cast<size_t>(n));
  std::vector<T> right(size_t(n) * columns);
  Info info = 0;
  int ld = std::max(n, 1);
  lapack.getrf(&n, &n, a.data(), &ld, pivots.data(), &info);
  if (info != 0)
    return info;
  transpose(b, n, columns, right.data());
  lapack.getrs("T", &n, &columns, a.data(), &ld, pivots.data(), right.data(), &ld, &info, 1);
  transpose(right.data(), columns, n, to);
  return info;
}

Result<void> runSolve(const WholeCall& call) {
  const WholeOperand &left = call.operands[0], &right = call.operands[1];
  Shape leading = leadingOf(call.shape, 2);
  int64_t n = rowsOf(call.shape), columns = columnsOf(call.shape);
  return byLapack(
      call, leading,
      [&](const auto& lapack, auto* to, int64_t i) {
        using T = std::remove_pointer_t<decltype(to)>;
        std::vector<T> a = matrixOf<T>(left, broadcastNumber(leadingOf(left.shape, 2), leading, i));
        const T* b = right.as<T>() + broadcastNumber(leadingOf(right.shape, 2), leading, i) * n * columns;
        return solve(lapack, a, int(n), b, to + i * n * columns, int(columns));
      },
      singular);
}
constexpr WholeOperation kSolve{"solve", runSolve, "LAPACK"};

// ---- the graph ----

Result<NodeRef> squareWhole(const WholeOperation& operation, const NodeRef& a, const Shape& shape, int64_t number) {
  NodeRef operand = makeCast(a, computedType(a->type));
  auto made = makeWhole(operation, operand->type, shape, {&operand, 1}, {number});
  return made ? makeCast(*made, a->type) : made;
}

} // namespace

Result<NodeRef> makeCholesky(const NodeRef& a, bool upper) {
  if (auto fits = checkSquareFloating("cholesky", a); !fits)
    return fits.error();
  return squareWhole(kCholesky, a, a->shape, upper);
}

Result<NodeRef> makeDet(const NodeRef& a) {
  if (auto fits = checkSquareFloating("det", a); !fits)
    return fits.error();
  return squareWhole(kDet, a, leadingOf(a->shape, 2), 0);
}

Result<NodeRef> makeInv(const NodeRef& a) {
  if (auto fits = checkSquareFloating("inv", a); !fits)
    return fits.error();
  return squareWhole(kInv, a, a->shape, 0);
}

Result<std::array<NodeRef, 2>> makeSlogdet(const NodeRef& a) {
  if (auto fits = checkSquareFloating("slogdet", a); !fits)
    return fits.error();
  Shape shape = leadingOf(a->shape, 2);
  shape.insert(shape.rank, 2);
  Composer make;
  NodeRef both = make.kept(squareWhole(kSlogdet, a, shape, 1));
  std::array<NodeRef, 2> parts;
  for (int i = 0; i < 2; ++i)
    parts[i] = make.withoutAxis(make.part(both, -1, i, 1), -1);
  parts[1] = make(BSGP_OP_REAL, {parts[1]});
  return make.all(std::move(parts));
}

Result<NodeRef> makeSolve(const NodeRef& a, const NodeRef& b) {
  for (const NodeRef& each : {a, b})
    if (auto fits = checkFloating("solve", each); !fits)
      return fits.error();
  if (auto fits = checkSquare("solve", a); !fits)
    return fits.error();
  bool is_vector = b->shape.rank == 1;
  if (b->shape.rank == 0 || (is_vector ? b->shape[0] : rowsOf(b->shape)) != rowsOf(a->shape))
    return Error{fmt::format(
        "solve: shapes {} and {} do not go together\n  help: the right side is a vector, or a matrix with as many rows",
        text(a->shape), text(b->shape))};
  bsgp_dtype type = commonType({a->type, a->weak}, {b->type, b->weak}).type;
  Composer make;
  NodeRef right = is_vector ? make.reshape(b, {2, {b->shape[0], 1}}) : b;
  auto leading = broadcastShape("solve", leadingOf(a->shape, 2), leadingOf(right->shape, 2));
  if (!leading)
    return leading.error();
  Shape shape = *leading;
  shape.insert(shape.rank, rowsOf(right->shape)), shape.insert(shape.rank, columnsOf(right->shape));
  NodeRef operands[] = {makeCast(a, computedType(type)), makeCast(right, computedType(type))};
  NodeRef made = makeCast(make.kept(makeWhole(kSolve, computedType(type), shape, operands, {})), type);
  shape.erase(shape.rank - 1);
  return make.result(is_vector ? make.reshape(made, shape) : made);
}

} // namespace bsgp::arrays

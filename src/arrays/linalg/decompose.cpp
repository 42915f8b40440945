// QR and singular values by LAPACK. A matrix that is stored by rows is its transpose to LAPACK: what that has as V is U, and LQ is QR.
#include "arrays/linalg/linalg.h"
#include "arrays/linalg/packed.h"

namespace bsgp::arrays {

namespace {

// Ones on the diagonal.
template <class T> void setIdentity(T* to, int64_t rows, int64_t columns, int64_t width) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      to[row * width + column] = T(row == column);
}

// ---- QR ----

// Rows of Q, then those of R, in rows of `width`.
struct QrShape {
  int64_t m, n, k, q_columns, r_rows, width;
  QrShape(int64_t m, int64_t n, bool complete)
      : m(m), n(n), k(std::min(m, n)), q_columns(complete ? m : k), r_rows(q_columns), width(std::max(q_columns, n)) {}
};

template <class T> Info qrOf(const Lapack<T>& lapack, const T* a, const QrShape& s, T* to) {
  int m = int(s.m), n = int(s.n), k = int(s.k), q_columns = int(s.q_columns), width = int(s.width), info = 0, ask = -1;
  if (k == 0) {
    setIdentity(to, m, q_columns, width);
    setIdentity(to + s.m * width, s.r_rows, n, width);
    return 0;
  }
  for (int64_t row = 0; row < m; ++row)
    std::copy_n(a + row * n, n, to + row * width);
  std::vector<T> tau(static_cast<size_t>(k));
  T best = 0, best_too = 0;
  lapack.gelqf(&n, &m, to, &width, tau.data(), &best, &ask, &info);
  lapack.orglq(&q_columns, &m, &k, to, &width, tau.data(), &best_too, &ask, &info);
  Work<T> work(std::real(best) > std::real(best_too) ? best : best_too);
  lapack.gelqf(&n, &m, to, &width, tau.data(), work.data(), work.count(), &info);
  T* r = to + s.m * width;
  for (int64_t row = 0; row < s.r_rows; ++row)
    for (int64_t column = 0; column < n; ++column)
      r[row * width + column] = column < row ? T(0) : to[row * width + column];
  lapack.orglq(&q_columns, &m, &k, to, &width, tau.data(), work.data(), work.count(), &info);
  return info;
}

// numbers[0]: complete.
Result<void> runQr(const WholeCall& call) {
  const WholeOperand& from = call.operands[0];
  QrShape shape(rowsOf(from.shape), columnsOf(from.shape), call.numbers[0] != 0);
  return byLapack(
      call, leadingOf(call.shape, 2),
      [&](const auto& lapack, auto* to, int64_t i) {
        using T = std::remove_pointer_t<decltype(to)>;
        return qrOf(lapack, placeOf<T>(from, i), shape, to + i * (shape.m + shape.r_rows) * shape.width);
      },
      cannotFail);
}
constexpr WholeOperation kQr{"qr", runQr, "LAPACK"};

// ---- singular values ----

// Rows of U, then those of V's transpose, then the values, in rows of `width`.
struct SvdShape {
  int64_t m, n, k, u_columns, v_rows, width;
  SvdShape(int64_t m, int64_t n, bool full)
      : m(m), n(n), k(std::min(m, n)), u_columns(full ? m : k), v_rows(full ? n : k),
        width(std::max({u_columns, n, int64_t(1)})) {}
  int64_t rows() const { return m + v_rows + 1; }
};

// job: A: all vectors, S: as many as there are values, N: none.
template <class T>
Info singularValues(const Lapack<T>& lapack, const char* job, T* a, int m, int n, Part<T>* s, T* u, int ldu, T* vt,
                    int ldvt) {
  int64_t least = std::min(m, n), most = std::max(m, n);
  std::vector<Part<T>> reals(is_complex<T> ? size_t(least * std::max(5 * least + 7, 2 * most + 2 * least + 1)) : 1);
  std::vector<int> wholes(static_cast<size_t>(8 * least));
  int info = 0, ask = -1;
  T best = 0;
  auto call = [&](T* work, const int* count) {
    if constexpr (is_complex<T>)
      lapack.gesdd(job, &m, &n, a, &m, s, u, &ldu, vt, &ldvt, work, count, reals.data(), wholes.data(), &info, 1);
    else
      lapack.gesdd(job, &m, &n, a, &m, s, u, &ldu, vt, &ldvt, work, count, wholes.data(), &info, 1);
  };
  call(&best, &ask);
  Work<T> work(best);
  call(work.data(), work.count());
  return info;
}

template <class T> Info svdOf(const Lapack<T>& lapack, std::vector<T> a, const SvdShape& shape, bool full, T* to) {
  T *v = to + shape.m * shape.width, *values = v + shape.v_rows * shape.width;
  if (!isFinite(a.data(), int64_t(a.size())))
    return kNotFinite;
  if (shape.k == 0) {
    setIdentity(to, shape.m, shape.u_columns, shape.width);
    setIdentity(v, shape.v_rows, shape.n, shape.width);
    return 0;
  }
  std::vector<Part<T>> s(static_cast<size_t>(shape.k));
  int width = int(shape.width);
  Info info =
      singularValues(lapack, full ? "A" : "S", a.data(), int(shape.n), int(shape.m), s.data(), v, width, to, width);
  std::copy(s.begin(), s.end(), values);
  return info;
}

// numbers[0]: all vectors.
Result<void> runSvd(const WholeCall& call) {
  const WholeOperand& from = call.operands[0];
  bool full = call.numbers[0] != 0;
  SvdShape shape(rowsOf(from.shape), columnsOf(from.shape), full);
  return byLapack(
      call, leadingOf(call.shape, 2),
      [&](const auto& lapack, auto* to, int64_t i) {
        using T = std::remove_pointer_t<decltype(to)>;
        return svdOf(lapack, matrixOf<T>(from, i), shape, full, to + i * shape.rows() * shape.width);
      },
      noConvergence, kMostToConquer);
}
constexpr WholeOperation kSvd{"svd", runSvd, "LAPACK"};

Result<void> runSvdvals(const WholeCall& call) {
  const WholeOperand& from = call.operands[0];
  int64_t m = rowsOf(from.shape), n = columnsOf(from.shape), k = std::min(m, n);
  return byLapack(
      call, leadingOf(call.shape, 1),
      [&](const auto& lapack, auto* first, int64_t i) {
        using T = std::remove_pointer_t<decltype(first)>;
        std::vector<T> a = matrixOf<T>(from, i);
        if (!isFinite(a.data(), m * n))
          return kNotFinite;
        T none{};
        return k ? singularValues(lapack, "N", a.data(), int(n), int(m), call.result<Part<T>>() + i * k, &none, 1,
                                  &none, 1)
                 : 0;
      },
      noConvergence, kMostToConquer);
}
constexpr WholeOperation kSvdvals{"svdvals", runSvdvals, "LAPACK"};

} // namespace

Result<std::array<NodeRef, 2>> makeQr(const NodeRef& a, bool complete) {
  for (auto fits : {checkFloating("qr", a), checkMatrix("qr", a)})
    if (!fits)
      return fits.error();
  Composer make;
  QrShape s(rowsOf(a->shape), columnsOf(a->shape), complete);
  NodeRef packed = wholeOf(make, kQr, a, computedType(a->type),
                           matricesOf(leadingOf(a->shape, 2), s.m + s.r_rows, s.width), complete);
  NodeRef q = rowsOf(make, packed, 0, s.m, s.q_columns), r = rowsOf(make, packed, s.m, s.r_rows, s.n);
  return make.all(std::array{makeCast(q, a->type), makeCast(r, a->type)});
}

Result<std::array<NodeRef, 3>> makeSvd(const NodeRef& a, bool full) {
  for (auto fits : {checkFloating("svd", a), checkMatrix("svd", a)})
    if (!fits)
      return fits.error();
  Composer make;
  SvdShape s(rowsOf(a->shape), columnsOf(a->shape), full);
  NodeRef packed =
      wholeOf(make, kSvd, a, computedType(a->type), matricesOf(leadingOf(a->shape, 2), s.rows(), s.width), full);
  NodeRef u = rowsOf(make, packed, 0, s.m, s.u_columns), vh = rowsOf(make, packed, s.m, s.v_rows, s.n);
  NodeRef values = make(BSGP_OP_REAL, {rowOf(make, packed, s.m + s.v_rows, s.k)});
  return make.all(std::array{makeCast(u, a->type), makeCast(values, partOf(a->type)), makeCast(vh, a->type)});
}

Result<NodeRef> makeSvdvals(const NodeRef& a) {
  for (auto fits : {checkFloating("svdvals", a), checkMatrix("svdvals", a)})
    if (!fits)
      return fits.error();
  Composer make;
  Shape shape = leadingOf(a->shape, 2);
  shape.insert(shape.rank, std::min(rowsOf(a->shape), columnsOf(a->shape)));
  return make.result(makeCast(wholeOf(make, kSvdvals, a, partOf(computedType(a->type)), shape), partOf(a->type)));
}

} // namespace bsgp::arrays

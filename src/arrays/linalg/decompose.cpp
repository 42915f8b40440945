// Decompositions by LAPACK. One Whole computes all parts of a decomposition, as rows of one matrix: its sections are the parts. A matrix
// that is stored by rows is its transpose to LAPACK: what that has as V of a transpose is U, and LQ is QR.
#include <cmath>
#include <cstring>

#include "arrays/linalg/compose.h"
#include "arrays/linalg/lapack.h"
#include "arrays/linalg/linalg.h"

namespace bsgp::arrays {

namespace {

std::string noConvergence(const std::string& which, Info info) {
  return which + (info == kNotFinite ? " has a NaN or an infinity\n  help: isfinite finds it" : ": LAPACK's iteration does not converge");
}

template <class T> bool isFinite(const T* from, int64_t count) {
  return std::all_of(from, from + count, [](T x) { return std::isfinite(std::real(x)) && std::isfinite(std::imag(x)); });
}

// Ones on the diagonal.
template <class T> void setIdentity(T* to, int64_t rows, int64_t columns, int64_t width) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      to[row * width + column] = T(row == column);
}

// ---- eigenvalues of symmetric matrices ----

// Of the lower triangle by rows. The vectors become the rows of `a`, conjugated.
template <class T> Info symmetricValues(const Lapack<T>& lapack, T* a, int n, Part<T>* values, bool vectors) {
  const char* job = vectors ? "V" : "N";
  int info = 0, ask = -1, best_whole = 0;
  T best = 0;
  Part<T> best_real = 0;
  auto call = [&](T* work, const int* count, Part<T>* reals, const int* real_count, int* wholes, const int* whole_count) {
    if constexpr (is_complex<T>)
      lapack.syevd(job, "U", &n, a, &n, values, work, count, reals, real_count, wholes, whole_count, &info, 1, 1);
    else
      lapack.syevd(job, "U", &n, a, &n, values, work, count, wholes, whole_count, &info, 1, 1);
  };
  call(&best, &ask, &best_real, &ask, &best_whole, &ask);
  Work<T> work(best);
  Work<Part<T>> reals(best_real);
  std::vector<int> wholes(size_t(std::max(1, best_whole)));
  int whole_count = int(wholes.size());
  call(work.data(), work.count(), reals.data(), reals.count(), wholes.data(), &whole_count);
  return info;
}

// Row 0: the values; then the vectors, which are columns.
template <class T> Info eighOf(const Lapack<T>& lapack, std::vector<T> a, int64_t n, T* to) {
  std::vector<Part<T>> values(static_cast<size_t>(n));
  if (!isFinite(a.data(), n * n))
    return kNotFinite;
  Info info = n ? symmetricValues(lapack, a.data(), int(n), values.data(), true) : 0;
  std::copy(values.begin(), values.end(), to);
  transpose(a.data(), n, n, to + n);
  if constexpr (is_complex<T>)
    std::transform(to + n, to + n + n * n, to + n, [](T x) { return std::conj(x); });
  return info;
}

Result<void> runEigh(const WholeCall& call) {
  return byLapack(
      call, leadingOf(call.shape, 2),
      [&](const auto& lapack, auto* to, int64_t i) {
        using T = std::remove_pointer_t<decltype(to)>;
        int64_t n = columnsOf(call.shape);
        return eighOf(lapack, matrixOf<T>(call.operands[0], i), n, to + i * n * (n + 1));
      },
      noConvergence);
}
constexpr WholeOperation kEigh{"eigh", runEigh};

Result<void> runEigvalsh(const WholeCall& call) {
  return byLapack(
      call, leadingOf(call.shape, 1),
      [&](const auto& lapack, auto* to, int64_t i) {
        using T = std::remove_pointer_t<decltype(to)>;
        int64_t n = columnsOf(call.shape);
        std::vector<T> a = matrixOf<T>(call.operands[0], i);
        if (!isFinite(a.data(), n * n))
          return kNotFinite;
        return n ? symmetricValues(lapack, a.data(), int(n), call.result<Part<T>>() + i * n, false) : 0;
      },
      noConvergence);
}
constexpr WholeOperation kEigvalsh{"eigvalsh", runEigvalsh};

// ---- eigenvalues of any square matrix ----

// `vectors`: n x n by columns, or null. Of real matrices, LAPACK has the two parts of a pair of complex vectors side by side.
template <class T> Info anyValues(const Lapack<T>& lapack, T* a, int n, std::complex<Part<T>>* values, std::complex<Part<T>>* vectors) {
  using Complex = std::complex<Part<T>>;
  const char* job = vectors ? "V" : "N";
  int info = 0, ask = -1;
  T best = 0;
  std::vector<T> right(vectors ? size_t(n) * n : 1), real(static_cast<size_t>(n)), imag(static_cast<size_t>(n));
  std::vector<Part<T>> reals(static_cast<size_t>(2 * n));
  auto call = [&](T* work, const int* count) {
    if constexpr (is_complex<T>)
      lapack.geev("N", job, &n, a, &n, values, nullptr, &n, right.data(), &n, work, count, reals.data(), &info, 1, 1);
    else
      lapack.geev("N", job, &n, a, &n, real.data(), imag.data(), nullptr, &n, right.data(), &n, work, count, &info, 1, 1);
  };
  call(&best, &ask);
  Work<T> work(best);
  call(work.data(), work.count());
  if constexpr (is_complex<T>) {
    if (vectors)
      std::copy(right.begin(), right.end(), vectors);
  } else {
    for (int k = 0; k < n; ++k)
      values[k] = {real[k], imag[k]};
    for (int k = 0; vectors && k < n; ++k) {
      int first = imag[k] < 0 ? k - 1 : k;
      Part<T> sign = imag[k] == 0 ? T(0) : imag[k] > 0 ? T(1) : T(-1);
      for (int i = 0; i < n; ++i)
        vectors[size_t(k) * n + i] = Complex(right[size_t(first) * n + i], sign == 0 ? T(0) : sign * right[size_t(first + 1) * n + i]);
    }
  }
  return info;
}

template <class T> Info eigOf(const Lapack<T>& lapack, const WholeOperand& from, int64_t i, std::complex<Part<T>>* to, bool has_vectors) {
  using Complex = std::complex<Part<T>>;
  int64_t n = columnsOf(from.shape);
  const T* matrix = placeOf<T>(from, i);
  if (!isFinite(matrix, n * n))
    return kNotFinite;
  if (n == 0)
    return 0;
  std::vector<T> a(static_cast<size_t>(n * n));
  transpose(matrix, n, n, a.data());
  std::vector<Complex> vectors(has_vectors ? size_t(n * n) : 0);
  Info info = anyValues(lapack, a.data(), int(n), to, has_vectors ? vectors.data() : nullptr);
  if (has_vectors)
    transpose(vectors.data(), n, n, to + n);
  return info;
}

// numbers[0]: with vectors, as rows behind the values.
Result<void> runEig(const WholeCall& call) {
  const WholeOperand& from = call.operands[0];
  int64_t n = columnsOf(from.shape);
  bool has_vectors = call.numbers[0] != 0;
  return byLapack(
      call, leadingOf(from.shape, 2),
      [&](const auto& lapack, auto* first, int64_t i) {
        using T = std::remove_pointer_t<decltype(first)>;
        return eigOf(lapack, from, i, call.result<std::complex<Part<T>>>() + i * (has_vectors ? n * (n + 1) : n), has_vectors);
      },
      noConvergence);
}
constexpr WholeOperation kEig{"eig", runEig}, kEigvals{"eigvals", runEig};

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
constexpr WholeOperation kQr{"qr", runQr};

// ---- singular values ----

// Rows of U, then those of V's transpose, then the values, in rows of `width`.
struct SvdShape {
  int64_t m, n, k, u_columns, v_rows, width;
  SvdShape(int64_t m, int64_t n, bool full)
      : m(m), n(n), k(std::min(m, n)), u_columns(full ? m : k), v_rows(full ? n : k), width(std::max({u_columns, n, int64_t(1)})) {}
  int64_t rows() const { return m + v_rows + 1; }
};

// job: A: all vectors, S: as many as there are values, N: none.
template <class T>
Info singularValues(const Lapack<T>& lapack, const char* job, T* a, int m, int n, Part<T>* s, T* u, int ldu, T* vt, int ldvt) {
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
  Info info = singularValues(lapack, full ? "A" : "S", a.data(), int(shape.n), int(shape.m), s.data(), v, width, to, width);
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
      noConvergence);
}
constexpr WholeOperation kSvd{"svd", runSvd};

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
        return k ? singularValues(lapack, "N", a.data(), int(n), int(m), call.result<Part<T>>() + i * k, &none, 1, &none, 1) : 0;
      },
      noConvergence);
}
constexpr WholeOperation kSvdvals{"svdvals", runSvdvals};

// ---- the graph ----

Shape matricesOf(Shape leading, int64_t rows, int64_t columns) {
  leading.insert(leading.rank, rows);
  leading.insert(leading.rank, columns);
  return leading;
}

bsgp_dtype complexOf(bsgp_dtype type) {
  return commonType({type}, {BSGP_COMPLEX64}).type;
}
bsgp_dtype partOf(bsgp_dtype type) {
  return type == BSGP_COMPLEX64 ? BSGP_FLOAT32 : type == BSGP_COMPLEX128 ? BSGP_FLOAT64 : type;
}

NodeRef wholeOf(Composer& make, const WholeOperation& operation, const NodeRef& a, bsgp_dtype type, const Shape& shape, int64_t number = 0) {
  NodeRef operand = makeCast(a, lapackType(a->type));
  return make.kept(makeWhole(operation, type, shape, {&operand, 1}, {number}));
}

// A matrix of the packed rows.
NodeRef rowsOf(Composer& make, const NodeRef& packed, int64_t begin, int64_t count, int64_t columns) {
  return make.part(make.part(packed, -2, begin, count), -1, 0, columns);
}
NodeRef rowOf(Composer& make, const NodeRef& packed, int64_t row, int64_t columns) {
  return make.withoutAxis(rowsOf(make, packed, row, 1, columns), -2);
}

} // namespace

Result<std::array<NodeRef, 2>> makeEigh(const NodeRef& a) {
  if (auto fits = checkSquareFloating("eigh", a); !fits)
    return fits.error();
  Composer make;
  int64_t n = rowsOf(a->shape);
  NodeRef packed = wholeOf(make, kEigh, a, lapackType(a->type), matricesOf(leadingOf(a->shape, 2), n + 1, n));
  NodeRef values = make(BSGP_OP_REAL, {rowOf(make, packed, 0, n)}), vectors = rowsOf(make, packed, 1, n, n);
  return make.all(std::array{makeCast(values, partOf(a->type)), makeCast(vectors, a->type)});
}

Result<NodeRef> makeEigvalsh(const NodeRef& a) {
  if (auto fits = checkSquareFloating("eigvalsh", a); !fits)
    return fits.error();
  Composer make;
  return make.result(makeCast(wholeOf(make, kEigvalsh, a, partOf(lapackType(a->type)), leadingOf(a->shape, 1)), partOf(a->type)));
}

Result<std::array<NodeRef, 2>> makeEig(const NodeRef& a) {
  if (auto fits = checkSquareFloating("eig", a); !fits)
    return fits.error();
  Composer make;
  int64_t n = rowsOf(a->shape);
  NodeRef packed = wholeOf(make, kEig, a, complexOf(a->type), matricesOf(leadingOf(a->shape, 2), n + 1, n), 1);
  return make.all(std::array{rowOf(make, packed, 0, n), rowsOf(make, packed, 1, n, n)});
}

Result<NodeRef> makeEigvals(const NodeRef& a) {
  if (auto fits = checkSquareFloating("eigvals", a); !fits)
    return fits.error();
  Composer make;
  return make.result(wholeOf(make, kEigvals, a, complexOf(a->type), leadingOf(a->shape, 1), 0));
}

Result<std::array<NodeRef, 2>> makeQr(const NodeRef& a, bool complete) {
  for (auto fits : {checkFloating("qr", a), checkMatrix("qr", a)})
    if (!fits)
      return fits.error();
  Composer make;
  QrShape s(rowsOf(a->shape), columnsOf(a->shape), complete);
  NodeRef packed =
      wholeOf(make, kQr, a, lapackType(a->type), matricesOf(leadingOf(a->shape, 2), s.m + s.r_rows, s.width), complete);
  NodeRef q = rowsOf(make, packed, 0, s.m, s.q_columns), r = rowsOf(make, packed, s.m, s.r_rows, s.n);
  return make.all(std::array{makeCast(q, a->type), makeCast(r, a->type)});
}

Result<std::array<NodeRef, 3>> makeSvd(const NodeRef& a, bool full) {
  for (auto fits : {checkFloating("svd", a), checkMatrix("svd", a)})
    if (!fits)
      return fits.error();
  Composer make;
  SvdShape s(rowsOf(a->shape), columnsOf(a->shape), full);
  NodeRef packed = wholeOf(make, kSvd, a, lapackType(a->type), matricesOf(leadingOf(a->shape, 2), s.rows(), s.width), full);
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
  return make.result(makeCast(wholeOf(make, kSvdvals, a, partOf(lapackType(a->type)), shape), partOf(a->type)));
}

} // namespace bsgp::arrays

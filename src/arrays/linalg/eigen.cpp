// Eigenvalues and eigenvectors by LAPACK. A matrix that is stored by rows is its transpose to LAPACK: of a Hermitian one, its conjugate.
#include "arrays/linalg/linalg.h"
#include "arrays/linalg/packed.h"

namespace bsgp::arrays {

namespace {

// ---- eigenvalues of symmetric matrices ----

// Takes the lower triangle by rows. The vectors become the rows of `a`, conjugated.
template <class T> Info symmetricValues(const Lapack<T>& lapack, T* a, int n, Part<T>* values, bool vectors) {
  const char* job = vectors ? "V" : "N";
  int info = 0, ask = -1, best_whole = 0;
  T best = 0;
  Part<T> best_real = 0;
  auto call = [&](T* work, const int* count, Part<T>* reals, const int* real_count, int* wholes,
                  const int* whole_count) {
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
      noConvergence, kMostToConquer);
}
constexpr WholeOperation kEigh{"eigh", runEigh, "LAPACK"};

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
      noConvergence, kMostToConquer);
}
constexpr WholeOperation kEigvalsh{"eigvalsh", runEigvalsh, "LAPACK"};

// ---- eigenvalues of any square matrix ----

// `vectors`: n x n by columns, or null. Of real matrices, LAPACK has the two parts of a pair of complex vectors side by side.
template <class T>
Info anyValues(const Lapack<T>& lapack, T* a, int n, std::complex<Part<T>>* values, std::complex<Part<T>>* vectors) {
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
      lapack.geev("N", job, &n, a, &n, real.data(), imag.data(), nullptr, &n, right.data(), &n, work, count, &info, 1,
                  1);
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
        vectors[size_t(k) * n + i] =
            Complex(right[size_t(first) * n + i], sign == 0 ? T(0) : sign * right[size_t(first + 1) * n + i]);
    }
  }
  return info;
}

template <class T>
Info eigOf(const Lapack<T>& lapack, const WholeOperand& from, int64_t i, std::complex<Part<T>>* to, bool has_vectors) {
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
        return eigOf(lapack, from, i, call.result<std::complex<Part<T>>>() + i * (has_vectors ? n * (n + 1) : n),
                     has_vectors);
      },
      noConvergence);
}
constexpr WholeOperation kEig{"eig", runEig, "LAPACK"}, kEigvals{"eigvals", runEig, "LAPACK"};

} // namespace

Result<std::array<NodeRef, 2>> makeEigh(const NodeRef& a) {
  if (auto fits = checkSquareFloating("eigh", a); !fits)
    return fits.error();
  Composer make;
  int64_t n = rowsOf(a->shape);
  NodeRef packed = wholeOf(make, kEigh, a, computedType(a->type), matricesOf(leadingOf(a->shape, 2), n + 1, n));
  NodeRef values = make(BSGP_OP_REAL, {rowOf(make, packed, 0, n)}), vectors = rowsOf(make, packed, 1, n, n);
  return make.all(std::array{makeCast(values, partOf(a->type)), makeCast(vectors, a->type)});
}

Result<NodeRef> makeEigvalsh(const NodeRef& a) {
  if (auto fits = checkSquareFloating("eigvalsh", a); !fits)
    return fits.error();
  Composer make;
  return make.result(
      makeCast(wholeOf(make, kEigvalsh, a, partOf(computedType(a->type)), leadingOf(a->shape, 1)), partOf(a->type)));
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

} // namespace bsgp::arrays

#include "arrays/fft_lines.h"

#include <map>
#include <memory>
#include <mutex>

#define POCKETFFT_NO_MULTITHREADING
#include "pocketfft_hdronly.h"

namespace {

constexpr size_t kMostPlans = 16; // of a type

// Plans of the lengths that were used last. Never destroyed: threads may compute while the process ends.
template <class Plan> std::shared_ptr<Plan> keptPlan(size_t length) {
  struct Kept {
    std::shared_ptr<Plan> plan;
    uint64_t used = 0;
  };
  static auto* const mutex = new std::mutex;
  static auto* const plans = new std::map<size_t, Kept>;
  static uint64_t uses = 0;
  std::lock_guard lock(*mutex);
  if (auto found = plans->find(length); found != plans->end()) {
    found->second.used = ++uses;
    return found->second.plan;
  }
  auto plan = std::make_shared<Plan>(length);
  if (plans->size() == kMostPlans)
    plans->erase(std::min_element(plans->begin(), plans->end(),
                                  [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  (*plans)[length] = {plan, ++uses};
  return plan;
}

} // namespace

namespace pocketfft::detail {

template <> std::shared_ptr<pocketfft_c<float>> get_plan(size_t length) {
  return keptPlan<pocketfft_c<float>>(length);
}
template <> std::shared_ptr<pocketfft_c<double>> get_plan(size_t length) {
  return keptPlan<pocketfft_c<double>>(length);
}
template <> std::shared_ptr<pocketfft_r<float>> get_plan(size_t length) {
  return keptPlan<pocketfft_r<float>>(length);
}
template <> std::shared_ptr<pocketfft_r<double>> get_plan(size_t length) {
  return keptPlan<pocketfft_r<double>>(length);
}

} // namespace pocketfft::detail

namespace bsgp::arrays {

namespace {

// The part of an array whose lines have `length` elements.
template <class T> struct Side {
  Side(const Lines& lines, int64_t length, T* array)
      : first(array + lines.outer_begin * length * lines.inner + lines.inner_begin),
        shape{size_t(lines.outer_end - lines.outer_begin), size_t(length), size_t(lines.inner_end - lines.inner_begin)},
        strides{ptrdiff_t(length * lines.inner * sizeof(T)), ptrdiff_t(lines.inner * sizeof(T)), ptrdiff_t(sizeof(T))} {
  }
  T* first;
  pocketfft::shape_t shape;
  pocketfft::stride_t strides;
};

} // namespace

template <class Real>
void transformComplex(const Lines& lines, bool forward, const std::complex<Real>* from, std::complex<Real>* to) {
  Side in(lines, lines.n, from);
  Side out(lines, lines.n, to);
  pocketfft::c2c(in.shape, in.strides, out.strides, {1}, forward, in.first, out.first, Real(lines.factor), 1);
}
template <class Real> void transformReal(const Lines& lines, const Real* from, std::complex<Real>* to) {
  Side in(lines, lines.n, from);
  Side out(lines, lines.n / 2 + 1, to);
  pocketfft::r2c(in.shape, in.strides, out.strides, 1, pocketfft::FORWARD, in.first, out.first, Real(lines.factor), 1);
}
template <class Real> void transformToReal(const Lines& lines, const std::complex<Real>* from, Real* to) {
  Side in(lines, lines.n / 2 + 1, from);
  Side out(lines, lines.n, to);
  pocketfft::c2r(out.shape, in.strides, out.strides, 1, pocketfft::BACKWARD, in.first, out.first, Real(lines.factor),
                 1);
}

template void transformComplex(const Lines&, bool, const std::complex<float>*, std::complex<float>*);
template void transformComplex(const Lines&, bool, const std::complex<double>*, std::complex<double>*);
template void transformReal(const Lines&, const float*, std::complex<float>*);
template void transformReal(const Lines&, const double*, std::complex<double>*);
template void transformToReal(const Lines&, const std::complex<float>*, float*);
template void transformToReal(const Lines&, const std::complex<double>*, double*);

} // namespace bsgp::arrays

// The C functions of Fourier transforms.
#include "arrays/api_parts.h"
#include "arrays/fft.h"

using namespace bsgp;
using namespace bsgp::arrays;

namespace {

// Numbers that the caller may leave out.
template <class T> struct Optional {
  Optional(const T* given, int32_t count)
      : is_there(given != nullptr), numbers(given ? given : &none, given ? count : 0) {}
  std::optional<std::span<const T>> get() const { return is_there ? std::optional(numbers.span()) : std::nullopt; }

  static constexpr T none = 0;
  bool is_there;
  Numbers<T> numbers;
};

} // namespace

bsgp_status bsgp_array_fft(bsgp_fft kind, bsgp_array* array, const int64_t* points, int32_t axis, bsgp_fft_norm norm,
                           bsgp_array** out) {
  std::optional<int64_t> wanted = points ? std::optional(*points) : std::nullopt;
  return makingOf(out, {array},
                  [=](std::span<const NodeRef> given) { return makeFft(kind, given[0], wanted, axis, norm); });
}

bsgp_status bsgp_array_fftn(bsgp_fft kind, bsgp_array* array, int32_t count, const int64_t* points, const int32_t* axes,
                            bsgp_fft_norm norm, bsgp_array** out) {
  Optional wanted(points, count);
  Optional along(axes, count);
  return makingOf(out, {array}, [=](std::span<const NodeRef> given) {
    return makeFftn(kind, given[0], wanted.get(), along.get(), norm);
  });
}

bsgp_status bsgp_array_fftfreq(int64_t count, double distance, int32_t half, bsgp_dtype dtype, bsgp_array** out) {
  return making(out, [=]() -> Result<NodeRef> {
    if (!isType(dtype))
      return Error{"fftfreq: there is no such type of elements"};
    return makeFftFrequencies(count, distance, half != 0, dtype);
  });
}

bsgp_status bsgp_array_fftshift(bsgp_array* array, int32_t axis_count, const int32_t* axes, int32_t inverse,
                                bsgp_array** out) {
  Optional along(axis_count < 0 ? nullptr : axes, axis_count);
  return makingOf(out, {array},
                  [=](std::span<const NodeRef> given) { return makeFftShift(given[0], along.get(), inverse != 0); });
}

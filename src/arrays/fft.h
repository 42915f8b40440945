// Discrete Fourier transforms, as the array API standard's extension `fft` has them. The bits depend on the shape alone.
#pragma once

#include <optional>
#include <span>

#include "arrays/node.h"

namespace bsgp::arrays {

// Along one axis. points: that of the result, or of the transform of a real result; elements are left out or zeros are put behind.
Result<NodeRef> makeFft(bsgp_fft kind, const NodeRef& a, std::optional<int64_t> points, int32_t axis,
                        bsgp_fft_norm norm);
// Along several axes; the real ones and their results are along the last of them. axes: none: all, or as many of the last ones as there
// are points.
Result<NodeRef> makeFftn(bsgp_fft kind, const NodeRef& a, std::optional<std::span<const int64_t>> points,
                         std::optional<std::span<const int32_t>> axes, bsgp_fft_norm norm);
// The frequencies of the elements of a transform of n points at a distance d: half: of those that rfft gives.
Result<NodeRef> makeFftFrequencies(int64_t n, double d, bool half, bsgp_dtype type);
// Exchanges the halves of axes, so that frequency 0 stands in the middle; inverse: back. axes: none: all.
Result<NodeRef> makeFftShift(const NodeRef& a, std::optional<std::span<const int32_t>> axes, bool inverse);

} // namespace bsgp::arrays

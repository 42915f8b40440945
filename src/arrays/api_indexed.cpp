// The C functions of joined arrays, and of operations at places that values name.
#include "arrays/api_parts.h"
#include "arrays/build.h"
#include "arrays/indexed.h"

using namespace bsgp;
using namespace bsgp::arrays;

bsgp_status bsgp_array_stretch(bsgp_array* array, const int64_t* times, bsgp_array** out) {
  return makingOf(out, {array}, [times = eachAxis(array, times)](std::span<const NodeRef> given) {
    return makeStretch(given[0], times.data());
  });
}

bsgp_status bsgp_array_component(bsgp_array* array, int32_t axis, int64_t index, bsgp_array** out) {
  return makingOf(out, {array}, [=](std::span<const NodeRef> given) { return makeComponent(given[0], axis, index); });
}

namespace {

// An open node has few operands: halves are joined first.
bsgp_status joinedHalves(int32_t count, bsgp_array* const* arrays, int32_t axis, bsgp_array** out) {
  bsgp_array* halves[2] = {};
  bsgp_status status = bsgp_array_concatenate(count / 2, arrays, axis, &halves[0]);
  if (status == BSGP_OK)
    status = bsgp_array_concatenate(count - count / 2, arrays + count / 2, axis, &halves[1]);
  if (status == BSGP_OK)
    status = bsgp_array_concatenate(2, halves, axis, out);
  for (bsgp_array* half : halves)
    bsgp_array_release(half);
  return status;
}

} // namespace

bsgp_status bsgp_array_concatenate(int32_t count, bsgp_array* const* arrays, int32_t axis, bsgp_array** out) {
  if (count > 3 && std::any_of(arrays, arrays + count, [](bsgp_array* each) { return isOpen(*nodeOf(each)); }))
    return joinedHalves(count, arrays, axis, out);
  return makingOf(out, std::span(arrays, size_t(std::max(count, 0))),
                  [axis](std::span<const NodeRef> given) { return makeConcatenate(given, axis); });
}

bsgp_status bsgp_array_scatter(bsgp_array* array, bsgp_array* indices, bsgp_array* updates, bsgp_scatter how,
                               bsgp_array** out) {
  return makingOf(out, {array, indices, updates}, [how](std::span<const NodeRef> given) -> Result<NodeRef> {
    if (how < 0 || how >= BSGP_SCATTER_COUNT)
      return Error{"scatter: there is no such way to combine"};
    return makeScatter(given[0], given[1], given[2], how);
  });
}

bsgp_status bsgp_array_histogram(bsgp_array* array, int64_t bins, double low, double high, bsgp_array** out) {
  return makingOf(out, {array},
                  [=](std::span<const NodeRef> given) { return makeHistogram(given[0], bins, low, high); });
}

bsgp_status bsgp_array_segment_reduce(bsgp_fold fold, bsgp_array* array, bsgp_array* offsets, bsgp_array** out) {
  return makingOf(out, {array, offsets}, [fold](std::span<const NodeRef> given) -> Result<NodeRef> {
    if (fold < 0 || fold >= BSGP_FOLD_COUNT)
      return Error{"segment_reduce: there is no such reduction"};
    return makeSegmentFold(fold, given[0], given[1]);
  });
}

bsgp_status bsgp_array_segment_scan(bsgp_rows scan, bsgp_array* array, bsgp_array* heads, bsgp_array** out) {
  return makingOf(out, {array, heads}, [scan](std::span<const NodeRef> given) -> Result<NodeRef> {
    bool is_scan = scan == BSGP_ROWS_CUMULATIVE_SUM || scan == BSGP_ROWS_CUMULATIVE_PROD ||
                   scan == BSGP_ROWS_CUMULATIVE_MIN || scan == BSGP_ROWS_CUMULATIVE_MAX;
    if (!is_scan)
      return Error{"segment_scan: the operation is no scan"};
    return makeSegmentScan(scan, given[0], given[1]);
  });
}

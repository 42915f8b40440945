// Operations at places that values name: scatter, and reductions and scans of segments.
#pragma once

#include "arrays/node.h"

namespace bsgp::arrays {

// A copy of the array, in which row indices[i] (along axis 0) is combined with row i of the updates, one after the other. Updates of rank 0
// are one number for all.
Result<NodeRef> makeScatter(const NodeRef& array, const NodeRef& indices, const NodeRef& updates, bsgp_scatter how);
// The reduction of elements offsets[i] up to offsets[i + 1] of an array with one axis, each in the order of a reduction of its own.
Result<NodeRef> makeSegmentFold(bsgp_fold fold, const NodeRef& array, const NodeRef& offsets);
// The scan of an array with one axis that begins anew where a head is set.
Result<NodeRef> makeSegmentScan(bsgp_rows scan, const NodeRef& array, const NodeRef& heads);
// Counts elements in `bins` equal parts of [low, high]; those outside and NaN are left out.
Result<NodeRef> makeHistogram(const NodeRef& array, int64_t bins, double low, double high);

} // namespace bsgp::arrays

// Metadata of a bsgp.param, from irgen to src/check: a variable of the host that is declared without a value; its slot's
// offset in the frame.
#pragma once

namespace bsgp::ir {

constexpr const char* kMayBeUnset = "bsgp.unset";

} // namespace bsgp::ir

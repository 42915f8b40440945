// Metadata from irgen to src/check.
#pragma once

namespace bsgp::ir {

// Of a bsgp.param: a variable of the host that is declared without a value; its slot's offset in the frame.
constexpr const char* kMayBeUnset = "bsgp.unset";
// Of a freeze: it says where a variable that has no address is read, and is nothing else.
constexpr const char* kRead = "bsgp.read";

} // namespace bsgp::ir

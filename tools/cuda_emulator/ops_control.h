// Handlers of branches. The target is Op::aux.
#pragma once

#include "op.h"

namespace bsgp::emulator {

Handler branchHandler();
Handler tableHandler(); // brx.idx: operand 0 is the index; Op::aux the number of the table
Handler exitHandler();
Handler trapHandler();
Handler nopHandler();

} // namespace bsgp::emulator

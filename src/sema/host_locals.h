// Which locals that device code declares does the host need? A require reads them, or the condition of control flow with
// a barrier in it, or a collective takes them for one of its own, or a collective returns them and nothing assigns to
// them again. Found in the text of a function, once, before it is checked; a local that the host needs lives there if
// its values do (becomesHost). Control flow around its assignments is then the host's too.
#pragma once

#include "sema/services.h"

namespace bsgp::sema {

// The locals and parameters of a function that the host needs. Found once for each function.
const HostLocals& hostLocals(Sema& sema, const ast::Function& function);

} // namespace bsgp::sema

// Which ifs, loops and switches of device code are the host's.
#pragma once

#include <functional>
#include <vector>

#include "sema/program.h"

namespace bsgp::sema {

// Is there a return in it?
bool containsReturn(const Stmt* s);

// A jump that leaves what is the host's, from within an if, loop or switch: then that is the host's too.
struct HostJump {
  const Stmt* jump;
  const Stmt* left; // the host's
  Stmt* through;    // what the jump stands in
};

// All of them, in a body; `claim` may make `through` the host's.
void eachHostJump(Stmt* body, const std::function<void(const HostJump&)>& claim);

// The places where returns begin that are the host's: which stand in its control flow.
std::vector<SourcePos> hostReturnsIn(Stmt* body);

} // namespace bsgp::sema

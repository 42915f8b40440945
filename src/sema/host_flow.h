// Which ifs, loops and switches of device code are the host's.
#pragma once

#include <functional>
#include <vector>

#include "sema/body.h"
#include "sema/program.h"

namespace bsgp::sema {

// A jump that leaves the host's control flow, from within an if, loop or switch: then that is the host's, too.
struct HostJump {
  const Stmt* jump;
  const Stmt* left; // the host's
  Stmt* through;    // the construct that the jump is in
};

// All of them, in a body; `claim` may make `through` the host's.
void eachHostJump(Stmt* body, const std::function<void(const HostJump&)>& claim);

// The places where returns begin that are the host's: which stand in its control flow.
std::vector<SourcePos> hostReturnsIn(Stmt* body);

// True if the host runs the control flow statement, by its text. Notes the local that it assigns in `made`.
bool isHostFlow(const Body& body, const ast::Stmt* s, Stmt& made);

// The place of a break or continue that some threads alone take out of the statement. Empty: none.
SourceRange partedBy(const Body& body, const ast::Stmt* s);

// True if the host runs the control flow around a place.
bool isHosts(const Enclosing& around);

// Decides for all control flow of a function or spawn whether the host runs it, and reports collectives where threads diverge.
void decideFlow(Body& body, const Function* function, Stmt* code);

// True if the host needs a local that device code declares.
bool becomesHost(const Body& body, const void* declaration, const Type* type, const Expr* first);

// Declares a local of device code as a host variable, with its first value.
Stmt* declareOnHost(Body& body, Variable* v, Expr* first, SourceRange range);

} // namespace bsgp::sema

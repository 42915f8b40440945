// Copies typed trees, for inlining with their variables renewed.
#pragma once

#include <unordered_map>

#include "sema/nodes.h"

namespace bsgp::expand {

class Cloner {
public:
  // Host variables declared in the copied code join the locals of `host` (null: none may be).
  Cloner(Program& program, Function* host) : program_(program), host_(host) {}

  // Asserts and calls in the copied code have the place of the call: messages of the library are about its caller.
  void standAt(SourceRange call) { position_of_copies_ = call; }
  // Variables that are declared in the copied code stay the same ones: other functions may name them (thread.x).
  void keepVariables() { keeps_variables_ = true; }
  void substitute(const Variable* variable, Expr* by) { substitutes_[variable] = by; }
  Variable* renew(Variable* variable); // a fresh copy; later uses are renamed
  Expr* clone(Expr* e);
  Stmt* clone(Stmt* s);
  size_t made() const { return made_; } // nodes

private:
  Program& program_;
  sema::Nodes nodes_{program_.arena};
  Function* host_;
  std::unordered_map<const Variable*, Expr*> substitutes_;
  std::unordered_map<const Variable*, Variable*> renamed_;
  SourceRange position_of_copies_{};
  bool keeps_variables_ = false;
  size_t made_ = 0;
};

} // namespace bsgp::expand

// Copies typed trees, for inlining with their variables renewed.
#pragma once

#include <unordered_map>

#include "sema/program.h"

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
  size_t nodes() const { return nodes_; }

  template <class T> std::span<T> keep(const std::vector<T>& list) {
    if (list.empty())
      return {};
    T* to = static_cast<T*>(program_.arena.allocate(sizeof(T) * list.size(), alignof(T)));
    std::copy(list.begin(), list.end(), to);
    return {to, list.size()};
  }

private:
  Program& program_;
  Function* host_;
  std::unordered_map<const Variable*, Expr*> substitutes_;
  std::unordered_map<const Variable*, Variable*> renamed_;
  SourceRange position_of_copies_{};
  bool keeps_variables_ = false;
  size_t nodes_ = 0;
};

} // namespace bsgp::expand

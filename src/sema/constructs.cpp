#include "sema/constructs.h"

#include "sema/program.h"

namespace bsgp::sema {

const char* wordOf(Construct construct) {
  switch (construct) {
  case Construct::If:
    return "if";
  case Construct::For:
    return "for";
  case Construct::While:
    return "while";
  case Construct::Do:
    return "do";
  case Construct::Switch:
    return "switch";
  case Construct::And:
    return "&&";
  case Construct::Or:
    return "||";
  case Construct::Choice:
    return "?:";
  case Construct::Asm:
    return "asm";
  case Construct::Break:
    return "break";
  case Construct::Continue:
    return "continue";
  case Construct::Return:
    return "return";
  }
  __builtin_unreachable();
}

bool isOfExpression(Construct construct) {
  return construct == Construct::And || construct == Construct::Or || construct == Construct::Choice;
}

Construct constructOf(const Stmt& s) {
  switch (s.kind) {
  case Stmt::If:
    return Construct::If;
  case Stmt::Switch:
    return Construct::Switch;
  case Stmt::Break:
    return Construct::Break;
  case Stmt::Continue:
    return Construct::Continue;
  case Stmt::Return:
    return Construct::Return;
  default:
    return s.test_last ? Construct::Do : s.step || s.init || !s.expr ? Construct::For : Construct::While;
  }
}

} // namespace bsgp::sema

// asm("ptx" : "=f"(x) : "f"(a)) else statement: both are checked on every target, and one of them stays. Host code has
// the statement on every target.
#include <fmt/format.h>

#include "sema/checker.h"

namespace bsgp::sema {

namespace {

struct Register {
  char letter;
  const char* holds;
};

constexpr Register kRegisters[] = {{'h', "a short, ushort or half"},
                                   {'r', "an int or uint"},
                                   {'l', "a long, ulong or pointer"},
                                   {'f', "a float"},
                                   {'d', "a double"}};

const Register* findRegister(char letter) {
  for (const Register& one : kRegisters)
    if (one.letter == letter)
      return &one;
  return nullptr;
}

bool fits(const Type* type, char letter) {
  switch (letter) {
  case 'h':
    return (type->isInt() || type->isFloat()) && type->bits == 16;
  case 'r':
    return type->isInt() && type->bits == 32;
  case 'l':
    return (type->isInt() && type->bits == 64) || type->isPointer();
  default:
    return type->isFloat() && type->bits == (letter == 'f' ? 32 : 64);
  }
}

} // namespace

Stmt* Body::inlineAssembly(const ast::Stmt* s) {
  // Where it is kept, its operands are evaluated together, where not, not at all: no collective among them.
  enclosing_.push_back({number(1, types_.bool_, s->range), s->range, Construct::Asm});
  std::vector<Expr*> operands;
  std::string constraints, text;
  bool good = true, memory = false;
  for (bool output : {true, false})
    for (const ast::AsmOperand& operand : output ? s->outputs : s->inputs) {
      good &= asmOperand(operand, output, operands.emplace_back());
      constraints += fmt::format("{}{}", constraints.empty() ? "" : ",", operand.constraint->name);
    }
  for (const ast::Expr* clobber : s->clobbers) {
    memory = true;
    if (clobber->name != "memory")
      sema_.diag.report(Diag::asm_clobber, clobber->range, clobber->name), good = false;
  }
  good &= asmText(s, text);
  Stmt* otherwise = s->otherwise ? stmt(s->otherwise) : nullptr;
  enclosing_.pop_back();
  if (!good || !sema_.for_gpu || !onDevice())
    return otherwise;
  Expr* made = sema_.make(Expr::BuiltinCall, types_.void_, s->range);
  made->builtin = Builtin::Asm, made->args = sema_.keep(operands), made->text = sema_.arena.copy(text);
  made->index = static_cast<uint32_t>(s->outputs.size());
  made->value.integer = s->is_volatile || memory || s->outputs.empty();
  made->c = sema_.make(Expr::String, types_.pointer(types_.i8, Space::Host), s->range);
  made->c->text = sema_.arena.copy(constraints);
  return wrap(made);
}

bool Body::asmOperand(const ast::AsmOperand& operand, bool output, Expr*& value) {
  value = output ? expr(operand.value) : rvalue(operand.value);
  if (value->type->isError() || operand.constraint->kind == ast::Expr::Error)
    return false;
  bool good = asmConstraint(operand, output, value->type);
  if (output && good)
    good = requireLvalue(value, "an output of asm") && checkWritable(value, value->range);
  return good;
}

bool Body::asmConstraint(const ast::AsmOperand& operand, bool output, const Type* type) {
  std::string_view written = operand.constraint->name, letter = written;
  bool marked = letter.starts_with('=') || letter.starts_with('+');
  if (marked)
    letter.remove_prefix(1);
  const Register* wanted = letter.size() == 1 && marked == output ? findRegister(letter[0]) : nullptr;
  if (!wanted) {
    sema_.diag.report(Diag::asm_constraint, operand.constraint->range, written, output ? "output" : "input",
                      output ? "one of h r l f d behind = (it is set) or + (it is changed)" : "it is one of h r l f d");
    return false;
  }
  if (!fits(type, wanted->letter))
    sema_.diag.report(Diag::asm_operand, operand.value->range, written, wanted->holds, typeName(type));
  return fits(type, wanted->letter);
}

// %0 is LLVM's $0, %% its %, and $ its $$.
bool Body::asmText(const ast::Stmt* s, std::string& text) {
  size_t operands = s->outputs.size() + s->inputs.size();
  std::string_view written = s->expr->name;
  for (size_t i = 0; i < written.size(); ++i) {
    if (written[i] != '%') {
      text += written[i] == '$' ? "$$" : std::string(1, written[i]);
      continue;
    }
    size_t end = i + 1, number = 0;
    while (end < written.size() && written[end] >= '0' && written[end] <= '9' && number <= operands)
      number = number * 10 + static_cast<size_t>(written[end++] - '0');
    if (end == i + 1 && end < written.size() && written[end] == '%') {
      text += '%', i = end;
      continue;
    }
    if (end == i + 1 || number >= operands) {
      sema_.diag.report(Diag::asm_percent, s->expr->range, written.substr(i, std::max<size_t>(end - i, 2)),
                        operands ? fmt::format("here up to %{}", operands - 1) : "and here are none");
      return false;
    }
    text += fmt::format("${}", number);
    i = end - 1;
  }
  return s->expr->kind != ast::Expr::Error;
}

} // namespace bsgp::sema

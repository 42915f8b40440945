#include "sema/asm.h"

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/expr_assign.h"
#include "sema/expressions.h"
#include "sema/statements.h"

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

static bool asmOperand(Body& body, const ast::AsmOperand& operand, bool output, Expr*& value);
static bool asmConstraint(Body& body, const ast::AsmOperand& operand, bool output, const Type* type);
static bool asmText(Body& body, const ast::Stmt* s, std::string& text);

Stmt* inlineAssembly(Body& body, const ast::Stmt* s) {
  // The operands of an asm that is kept are evaluated together; those of one that is not, not at all. So no
  // collective may be among them.
  body.flow.enclosing.push_back({number(body, 1, body.sema.types.bool_, s->range), s->range, Construct::Asm});
  std::vector<Expr*> operands;
  std::string constraints, text;
  bool good = true, memory = false;
  for (bool output : {true, false})
    for (const ast::AsmOperand& operand : output ? s->outputs : s->inputs) {
      good &= asmOperand(body, operand, output, operands.emplace_back());
      constraints += fmt::format("{}{}", constraints.empty() ? "" : ",", operand.constraint->name);
    }
  for (const ast::Expr* clobber : s->clobbers) {
    memory = true;
    if (clobber->name != "memory")
      body.sema.diag.report(Diag::asm_clobber, clobber->range, clobber->name), good = false;
  }
  good &= asmText(body, s, text);
  Stmt* otherwise = s->otherwise ? stmt(body, s->otherwise) : nullptr;
  body.flow.enclosing.pop_back();
  if (!good || !body.sema.options.gpu || !onDevice(body))
    return otherwise;
  Expr* made = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.void_, s->range);
  made->builtin = Builtin::Asm, made->args = body.sema.nodes.keep(operands), made->text = body.sema.arena.copy(text);
  made->index = static_cast<uint32_t>(s->outputs.size());
  made->value.integer = s->is_volatile || memory || s->outputs.empty();
  made->c = body.sema.nodes.make(Expr::String, body.sema.types.pointer(body.sema.types.i8, Space::Host), s->range);
  made->c->text = body.sema.arena.copy(constraints);
  return wrap(body, made);
}

static bool asmOperand(Body& body, const ast::AsmOperand& operand, bool output, Expr*& value) {
  value = output ? expr(body, operand.value) : rvalue(body, operand.value);
  if (value->type->isError() || operand.constraint->kind == ast::Expr::Error)
    return false;
  bool good = asmConstraint(body, operand, output, value->type);
  if (output && good)
    good = requireLvalue(body, value, "an output of asm") && checkWritable(body, value, value->range);
  return good;
}

static bool asmConstraint(Body& body, const ast::AsmOperand& operand, bool output, const Type* type) {
  std::string_view written = operand.constraint->name, letter = written;
  bool marked = letter.starts_with('=') || letter.starts_with('+');
  if (marked)
    letter.remove_prefix(1);
  const Register* wanted = letter.size() == 1 && marked == output ? findRegister(letter[0]) : nullptr;
  if (!wanted) {
    body.sema.diag.report(Diag::asm_constraint, operand.constraint->range, written, output ? "output" : "input",
                          output ? "one of h r l f d behind = (it is set) or + (it is changed)"
                                 : "it is one of h r l f d");
    return false;
  }
  if (!fits(type, wanted->letter))
    body.sema.diag.report(Diag::asm_operand, operand.value->range, written, wanted->holds, typeName(type));
  return fits(type, wanted->letter);
}

// LLVM writes %0 as $0, %% as %, and $ as $$.
static bool asmText(Body& body, const ast::Stmt* s, std::string& text) {
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
      body.sema.diag.report(Diag::asm_percent, s->expr->range, written.substr(i, std::max<size_t>(end - i, 2)),
                            operands ? fmt::format("here up to %{}", operands - 1) : "and here are none");
      return false;
    }
    text += fmt::format("${}", number);
    i = end - 1;
  }
  return s->expr->kind != ast::Expr::Error;
}

} // namespace bsgp::sema

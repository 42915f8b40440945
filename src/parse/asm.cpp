// asm("text" : outputs : inputs : clobbers) else statement
#include "parse/parser.h"

namespace bsgp {

using ast::Expr;
using ast::Stmt;

// A function may be called asm, but none has a text as its first argument.
bool Parser::atAsm() const {
  if (spell(peek()) != "asm")
    return false;
  size_t open = atName(1) && spell(peek(1)) == "volatile" ? 2 : 1;
  return peek(open).kind == Tok::LParen && (open == 2 || peek(open + 1).kind == Tok::StringLiteral);
}

Stmt* Parser::parseAsm() {
  Stmt* stmt = newStmt(Stmt::Asm, advance().range);
  stmt->is_volatile = atName();
  if (stmt->is_volatile)
    advance();
  const Token& open = advance();
  stmt->expr = parseAsmText();
  stmt->outputs = parseAsmOperands();
  stmt->inputs = parseAsmOperands();
  stmt->clobbers = parseAsmClobbers();
  expectClose(Tok::RParen, open);
  finish(stmt);
  if (panic_)
    return stmt;
  if (!at(Tok::Else)) {
    bool stray = at(Tok::Semicolon);
    complain(Diag::asm_without_else, stmt->range);
    if (stray)
      advance();
    if (!stray || !at(Tok::Else))
      return stmt;
  }
  advance();
  stmt->otherwise = parseStatement();
  return stmt;
}

Expr* Parser::parseAsmText() {
  if (at(Tok::StringLiteral))
    return parseString();
  if (!panic_)
    expectedHere("a text in quotes");
  return errorExpr();
}

// : "=f"(x), "=r"(y)
std::span<ast::AsmOperand> Parser::parseAsmOperands() {
  std::vector<ast::AsmOperand> operands;
  if (!accept(Tok::Colon) || at(Tok::Colon) || at(Tok::RParen))
    return {};
  do {
    Expr* constraint = parseAsmText();
    const Token& open = peek();
    if (!panic_ && expect(Tok::LParen)) {
      Expr* value = parseExpr();
      expectClose(Tok::RParen, open);
      operands.push_back({constraint, value});
    }
  } while (accept(Tok::Comma));
  return keep(operands);
}

std::span<Expr*> Parser::parseAsmClobbers() {
  std::vector<Expr*> clobbers;
  if (!accept(Tok::Colon) || at(Tok::RParen))
    return {};
  do
    clobbers.push_back(parseAsmText());
  while (accept(Tok::Comma));
  return keep(clobbers);
}

} // namespace bsgp

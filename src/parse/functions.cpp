// Functions: their names, parameters and bodies.
#include <fmt/format.h>

#include "parse/foreign_declarations.h"
#include "parse/parser.h"

namespace bsgp {

using ast::TypeExpr;

namespace {

bool isOverloadable(Tok kind) {
  switch (kind) {
  case Tok::Star:
  case Tok::Slash:
  case Tok::Percent:
  case Tok::Plus:
  case Tok::Minus:
  case Tok::Shl:
  case Tok::Shr:
  case Tok::Less:
  case Tok::Greater:
  case Tok::LessEqual:
  case Tok::GreaterEqual:
  case Tok::EqualEqual:
  case Tok::NotEqual:
  case Tok::Amp:
  case Tok::Caret:
  case Tok::Pipe:
  case Tok::Not:
  case Tok::Tilde:
    return true;
  default:
    return false;
  }
}

} // namespace

bool Parser::atFunctionName() const {
  if (at(Tok::Operator))
    return true;
  bool intrinsic = (at(Tok::Thread) || at(Tok::Block) || at(Tok::Warp)) && peek(1).kind == Tok::Dot;
  if (intrinsic)
    return peek(3).kind == Tok::LParen;
  return atName() && !at(Tok::Dlist) && !isTypeName(0) && (peek(1).kind == Tok::LParen || atGenericFunction());
}

// True if `T name(...) {` is ahead at the place of a statement. It may be asked only in the first column of a line,
// and if a type is known to begin there.
bool Parser::looksLikeFunctionDefinition() const {
  size_t i = 0;
  for (;; ++i) {
    Tok kind = peek(i).kind;
    bool head = isName(kind) || (kind >= Tok::Const && kind <= Tok::Unsigned) || kind == Tok::Struct ||
                kind == Tok::Star || kind == Tok::Less || kind == Tok::Greater || kind == Tok::Dot ||
                kind == Tok::Operator;
    if (!head)
      break;
  }
  if (i == 0 || peek(i).kind != Tok::LParen)
    return false;
  size_t past = afterBalanced(i);
  return peek(past + (peek(past).kind == Tok::Const)).kind == Tok::LBrace;
}

void Parser::parseFunction(const Specifiers& specifiers, TypeExpr* result) {
  const ast::Struct* owner = std::exchange(owner_, nullptr);
  auto* function = arena_.make<ast::Function>();
  function->result = result;
  function->is_inline = specifiers.inline_at.valid();
  function->is_extern = specifiers.extern_at.valid();
  function->is_export = specifiers.export_at.valid();
  function->is_static = specifiers.static_at.valid();
  function->is_strict = specifiers.strict_at.valid();
  rejectSpecifiers(specifiers, "a function", true, true);
  if (result)
    placeSpace(specifiers, result, true);
  else if (specifiers.space_at.valid())
    complain(Diag::misplaced_specifier, specifiers.space_at, spellRange(specifiers.space_at), "a function",
             helpForSpecifier("", "a function"));

  SourcePos begin = peek().range.begin;
  function->family = familyHere();
  function->name = parseFunctionName();
  if (owner)
    function->name = concatenate(concatenate(owner->name, "."), function->name);
  function->range = rangeFrom(begin);
  rejectTypeParameters();
  size_t scope = openScope();
  bool sound = parseParameters(*function);
  if (sound && rejectTypeParametersInParentheses(*function))
    sound = parseParameters(*function);
  if (owner)
    addThis(*function, *owner);
  ast::Function* identity = sound ? parseIdentity(*function) : nullptr;
  function->watch = parseWatch();
  if (sound && at(Tok::LBrace))
    rejectUnnamedParameters(*function);
  if (at(Tok::LBrace) && !panic_)
    parseFunctionBody(*function);
  else if (function->is_extern || at(Tok::Semicolon))
    finishDeclaration(*function);
  else if (atBodyWithoutBrace())
    parseFunctionBody(*function);
  else
    rejectMissingBody(sound, "'{' or ';'");
  closeScope(scope);
  function->watched = function->watch == Watch::Usual ? SourceRange() : rangeFrom(begin);
  addItem(ast::TopLevel::Function, function);
  if (identity)
    addItem(ast::TopLevel::Function, identity);
}

// Behind parameters with an error, a missing body is a consequence of it.
void Parser::rejectMissingBody(bool sound, std::string_view expected) {
  panic_ = panic_ || !sound;
  expectedHere(expected);
}

void Parser::finishDeclaration(const ast::Function& function) {
  if (!function.is_extern && fewestArguments(function) < function.params.size())
    complain(Diag::default_without_body, function.params.back().range, function.name);
  expectSemicolon();
}

// f(a, b) identity(e) { ... }: the clause becomes a function `f.identity(a, b) { return e; }`, which identity(f, x)
// calls. `commutative` behind it makes another, `f.commutative`, which only marks the operator; so does the
// library's `__skips_nan` behind that.
ast::Function* Parser::parseIdentity(const ast::Function& function) {
  if (!atName() || spell(peek()) != "identity" || peek(1).kind != Tok::LParen)
    return nullptr;
  SourceRange range = advance().range;
  const Token& open = advance();
  if (function.params.size() != 2)
    complain(Diag::identity_of_two, range, function.name, function.params.size());
  ast::Stmt* value = newStmt(ast::Stmt::Return, peek().range);
  value->expr = parseAssign();
  value->range = value->expr->range;
  expectClose(Tok::RParen, open);
  ast::Function* identity = newClause(function, ".identity", value);
  if (atName() && spell(peek()) == "commutative") {
    advance();
    addItem(ast::TopLevel::Function, newClause(function, ".commutative", value));
    if (atName() && spell(peek()) == "__skips_nan") {
      advance();
      addItem(ast::TopLevel::Function, newClause(function, ".skips_nan", value));
    }
  }
  return identity;
}

// In a program's own text such a word is an ordinary name.
Watch Parser::parseWatch() {
  static constexpr std::pair<std::string_view, Watch> kWords[] = {
      {"__exchanges", Watch::Exchange}, {"__orders_warp", Watch::WarpSync}, {"__shares_work", Watch::SharedWork}};
  if (!atName() || !sources_.ofLibrary(peek().range))
    return Watch::Usual;
  for (auto [word, watch] : kWords)
    if (spell(peek()) == word) {
      advance();
      return watch;
    }
  return Watch::Usual;
}

ast::Function* Parser::newClause(const ast::Function& function, std::string_view suffix, ast::Stmt* value) {
  auto* clause = arena_.make<ast::Function>(function);
  clause->range = value->range;
  clause->name = concatenate(function.name, suffix);
  clause->result = newType(TypeExpr::Auto, clause->range);
  clause->is_inline = true;
  clause->is_extern = clause->is_export = false;
  clause->body = newStmt(ast::Stmt::Block, value->range);
  clause->body->stmts = keep(std::vector<ast::Stmt*>{value});
  return clause;
}

ast::Family Parser::familyHere() const {
  if (peek(1).kind != Tok::Dot)
    return ast::Family::Plain;
  return at(Tok::Thread)  ? ast::Family::Thread
         : at(Tok::Block) ? ast::Family::Block
         : at(Tok::Warp)  ? ast::Family::Warp
                          : ast::Family::Plain;
}

std::string_view Parser::parseFunctionName() {
  if (accept(Tok::Operator))
    return parseOperatorName();
  if (peek(1).kind != Tok::Dot)
    return spell(advance());
  std::string_view family = at(Tok::Thread) ? "thread." : at(Tok::Block) ? "block." : "warp.";
  at_ += 2;
  return concatenate(family, parseMemberName());
}

std::string_view Parser::parseOperatorName() {
  const Token& first = advance();
  bool brackets = first.kind == Tok::LBracket && accept(Tok::RBracket);
  bool parentheses = first.kind == Tok::LParen && accept(Tok::RParen);
  std::string_view symbol = brackets ? "[]" : parentheses ? "()" : spell(first);
  bool conversion = isTypeWord(first.kind) || isName(first.kind);
  if (!brackets && !isOverloadable(first.kind))
    complain(Diag::not_overloadable, first.range, fmt::format("operator{}{}", conversion ? " " : "", symbol),
             helpForOperator(first.kind, symbol));
  return concatenate("operator", symbol);
}

// Fills the function's parameters; false after an error. It also goes past the closing parenthesis after an error, if
// there is one.
bool Parser::parseParameters(ast::Function& function) {
  const Token& open = peek();
  if (!expect(Tok::LParen))
    return false;
  std::vector<ast::Param> parameters;
  if (at(Tok::Void) && peek(1).kind == Tok::RParen)
    advance();
  while (!at(Tok::RParen) && !panic_) {
    if (at(Tok::Ellipsis)) {
      const Token& dots = advance();
      function.is_variadic = true;
      if (!function.is_extern)
        complain(Diag::variadic_not_extern, dots.range);
      break;
    }
    parameters.push_back(parseParameter());
    const ast::Param& made = parameters.back();
    if (parameters.size() > 1 && parameters[parameters.size() - 2].otherwise && !made.otherwise)
      complain(Diag::default_before, made.range, made.name);
    if (!at(Tok::Comma))
      break;
    advance();
    if (at(Tok::RParen) && !panic_)
      expectedHere("a parameter");
  }
  bool sound = expectClose(Tok::RParen, open);
  if (panic_ && skipToClose(Tok::RParen))
    panic_ = false;
  function.params = keep(parameters);
  if (const ast::Param* twice = secondOfName(function))
    complain(Diag::variable_redefined, twice->range, twice->name);
  return sound;
}

void Parser::rejectUnnamedParameters(const ast::Function& function) {
  for (size_t i = 0; i < function.params.size(); ++i)
    if (function.params[i].name.empty())
      complain(Diag::unnamed_parameter, function.params[i].range, i + 1, function.name);
}

// int x   int& x   float* p   x   & x   const x   int (unnamed, in declarations)
ast::Param Parser::parseParameter() {
  SourcePos begin = peek().range.begin;
  ast::Param parameter{{}, peek().range, nullptr, false};
  bool is_open = at(Tok::Amp) || (atName() && !startsType() && !looksLikeUnknownType());
  Specifiers specifiers;
  if (!is_open)
    specifiers = parseSpecifiers();
  is_open = is_open || (!specifiers.base && specifiers.is_const && (atName() || at(Tok::Amp)));
  rejectSpecifiers(specifiers, "a parameter", false, false);
  if (is_open) {
    finishOpenParameter(parameter);
    parameter.type->is_const = specifiers.is_const;
  } else if (specifiers.base) {
    finishTypedParameter(parameter, specifiers);
  } else {
    expectedHere("a parameter");
    parameter.type = newType(TypeExpr::Open, parameter.range);
  }
  parameter.range = rangeFrom(begin);
  if (accept(Tok::Equal)) {
    if (parameter.by_reference)
      complain(Diag::default_of_reference, parameter.range, parameter.name);
    parameter.otherwise = parseConstant();
  }
  declareVariable(parameter.name);
  return parameter;
}

// Parses an expression whose depth is limited.
ast::Expr* Parser::parseConstant() {
  size_t before = nodes_;
  ast::Expr* value = parseAssignOrList();
  if (nodes_ - before > kMaxTreeDepth)
    if (SourceRange deep = limitDepth(value); deep.valid())
      complain(Diag::nesting_too_deep, deep, kMaxTreeDepth);
  return value;
}

void Parser::finishOpenParameter(ast::Param& parameter) {
  parameter.by_reference = accept(Tok::Amp);
  parameter.type = newType(TypeExpr::Open, peek().range);
  if (atName())
    parameter.name = spell(advance());
  else
    expectedHere("a parameter's name");
}

void Parser::finishTypedParameter(ast::Param& parameter, const Specifiers& specifiers) {
  TypeExpr* type = parsePointers(specifiers.base);
  parameter.by_reference = accept(Tok::Amp);
  bool name_wanted = !at(Tok::Comma) && !at(Tok::RParen) && !at(Tok::LBracket) && !at(Tok::Equal);
  if (at(Tok::LParen))
    rejectParentheses();
  else if (at(Tok::AmpAmp))
    error(Diag::foreign_word, peek().range, "&&", "write & for a parameter by reference");
  else if (atName() || isTypeName(0))
    parameter.name = spell(advance());
  else if (name_wanted && peek().kind >= Tok::If && peek().kind < Tok::LParen)
    rejectName();
  parameter.type = parseArraySuffix(type);
  placeSpace(specifiers, parameter.type, true);
  if (parameter.type->kind == TypeExpr::Auto)
    parameter.type->kind = TypeExpr::Open;
}

void Parser::parseFunctionBody(ast::Function& function) {
  suspect_brace_ = {};
  size_t nodes_before = nodes_;
  function.body = parseBlock(true);
  unwinding_ = false;
  panic_ = false;
  if (nodes_ - nodes_before <= kMaxTreeDepth)
    return;
  if (SourceRange deep = limitDepth(function.body); deep.valid())
    complain(Diag::nesting_too_deep, deep, kMaxTreeDepth);
}

} // namespace bsgp

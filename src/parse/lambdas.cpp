// Lambdas, functions without a name that are arguments: [](a, b) {...}, [=](a, b) identity(0) {...}. Each becomes an
// inline function of the file; the expression names it.
#include <fmt/format.h>

#include "parse/parser.h"
#include "parse/walk.h"

namespace bsgp {

using ast::Expr;
using ast::Stmt;
using ast::TypeExpr;

namespace {

// The names in a lambda that it does not declare: the text around it decides their meaning.
class FreeNames {
public:
  void function(const ast::Function& function) {
    for (const ast::Param& param : function.params) {
      declared_.insert(param.name);
      type(param.type);
    }
    ast::walk(
        function.body, [&](const Stmt* s) { return declarations(*s); }, [&](const Expr* e) { expression(*e); },
        [](const Expr*) { return std::optional<bool>(); });
  }

  std::vector<Expr*> copies(Arena& arena) const {
    std::vector<Expr*> made;
    for (const Expr* name : found_)
      if (!declared_.count(name->name))
        made.push_back(arena.make<Expr>(*name));
    return made;
  }

private:
  bool declarations(const Stmt& s) {
    for (const ast::Declarator& d : s.decls) {
      declared_.insert(d.name);
      type(d.type);
    }
    return true;
  }

  void expression(const Expr& e) {
    if (e.kind == Expr::Name && seen_.insert(e.name).second)
      found_.push_back(&e);
    type(e.type);
  }

  void type(const TypeExpr* t) {
    for (; t; t = t->inner) {
      ast::walk(t->count, [&](const Expr* e) { expression(*e); });
      for (const TypeExpr* argument : t->args)
        type(argument);
    }
  }

  std::unordered_set<std::string_view> declared_, seen_;
  std::vector<const Expr*> found_; // the first of each
};

} // namespace

// [] [=] [&] [x] in front of a parenthesis or a brace.
bool Parser::atLambda() const {
  size_t behind = afterBalanced(0);
  return peek(behind).kind == Tok::LParen || peek(behind).kind == Tok::LBrace;
}

Expr* Parser::parseLambda() {
  Expr* expr = newExpr(Expr::Lambda, peek().range);
  size_t statement = statement_start_;
  auto* function = arena_.make<ast::Function>();
  function->is_inline = true, function->family = ast::Family::Lambda;
  function->name = expr->name = nameOfLambda(peek().range.begin);
  function->range = peek().range;
  function->result = newType(TypeExpr::Auto, function->range);
  expr->has_op = parseCaptures();
  size_t scope = openScope();
  bool sound = parseParameters(*function);
  parseLambdaResult(*function);
  ast::Function* identity = sound ? parseIdentity(*function) : nullptr;
  if (sound)
    rejectUnnamedParameters(*function);
  if (ast::fewestArguments(*function) < function->params.size())
    complain(Diag::lambda_default, function->params.back().range);
  parseLambdaBody(*function, sound);
  closeScope(scope);
  statement_start_ = statement;
  expr->range = rangeFrom(expr->range.begin);
  if (!function->body)
    return errorExpr();
  auto& parts = lambdas_[expr->name];
  parts.push_back(function);
  if (identity)
    parts.push_back(identity);
  FreeNames names;
  for (ast::Function* part : parts) {
    addItem(ast::TopLevel::Function, part);
    names.function(*part);
  }
  expr->args = keep(names.copies(arena_));
  return expr;
}

void Parser::parseLambdaBody(ast::Function& function, bool sound) {
  if (panic_ || (!at(Tok::LBrace) && !atBodyWithoutBrace()))
    return skipLambda(sound);
  bool outer = std::exchange(in_lambda_, true);
  SourceRange suspect = suspect_brace_;
  parseFunctionBody(function);
  in_lambda_ = outer;
  suspect_brace_ = suspect;
  while (at(Tok::RBrace) && (peek(1).kind == Tok::Comma || peek(1).kind == Tok::RParen))
    complain(Diag::extra_brace, advance().range);
}

// Past its braces, after an error in front of them.
void Parser::skipLambda(bool sound) {
  rejectMissingBody(sound, "'{'");
  while (!at(Tok::LBrace) && !at(Tok::RBrace) && !at(Tok::Semicolon) && !at(Tok::End))
    advance();
  if (!at(Tok::LBrace))
    return;
  skipBalanced();
  panic_ = false;
}

// From [ past ]; whether copies are taken.
bool Parser::parseCaptures() {
  const Token& open = peek();
  bool copies = peek(1).kind == Tok::Equal && peek(2).kind == Tok::RBracket;
  bool none = peek(1).kind == Tok::RBracket;
  skipBalanced();
  if (!copies && !none)
    complain(Diag::lambda_captures, rangeFrom(open.range.begin), spellRange(rangeFrom(open.range.begin)));
  return !none;
}

// -> T
void Parser::parseLambdaResult(ast::Function& function) {
  if (!accept(Tok::Arrow))
    return;
  Specifiers specifiers = parseSpecifiers();
  rejectSpecifiers(specifiers, "a result", false, false);
  if (specifiers.base)
    function.result = parsePointers(specifiers.base);
  else
    expectedHere("a type");
}

// By its place, so that messages say which: lambda#12:30.
std::string_view Parser::nameOfLambda(SourcePos place) {
  LineColumn at = sources_.at(place);
  std::string name = fmt::format("lambda#{}:{}", at.line, at.column);
  while (lambdas_.count(name)) // of another file
    name += '\'';
  return arena_.copy(name);
}

} // namespace bsgp

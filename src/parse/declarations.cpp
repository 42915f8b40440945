// The top level of a file but for functions: types, global variables; and declarators, which statements share.
#include "parse/foreign_declarations.h"
#include "parse/parser.h"

namespace bsgp {

using ast::Declarator;
using ast::TypeExpr;

void Parser::parseItem() {
  statement_start_ = at_;
  if (at(Tok::Semicolon)) {
    advance();
    return;
  }
  if (at(Tok::RBrace)) {
    if (!stray_reported_)
      complain(Diag::extra_brace, peek().range);
    stray_reported_ = true;
    advance();
    return;
  }
  size_t before = at_;
  size_t items_before = items_.size();
  Specifiers specifiers;
  if (at(Tok::Identifier) && spell(peek()) == "template" && peek(1).kind == Tok::Less)
    return skipTemplate();
  if (at(Tok::Identifier) && spell(peek()) == "static_assert" && peek(1).kind == Tok::LParen)
    return parseStaticAssert();
  if (atLibrary())
    return parseLibrary();
  bool declares = startsType() || at(Tok::Identifier);
  if (declares && !atFunctionName())
    specifiers = parseSpecifiers();
  if (panic_) {
  } else if (specifiers.typedef_at.valid()) {
    parseTypedef(specifiers);
  } else if (atFunctionName() && (specifiers.base || !atStrayCall())) {
    parseFunction(specifiers, specifiers.base);
  } else if (rejectQualifiedFunction()) {
  } else if (specifiers.defines_type && (at(Tok::Semicolon) || startsLine(peek()))) {
    expectSemicolon();
  } else if (specifiers.base || (specifiers.is_const && atName())) {
    parseGlobals(specifiers);
  } else if (at_ != before) {
    expectedHere("a type or a function's name");
  } else {
    if (at(Tok::Union))
      error(Diag::foreign_word, peek().range, "union", "use a struct with a field for each case");
    else if (spell(peek()) == "include" && !stray_reported_)
      error(Diag::foreign_word, peek().range, "include", "write #include, with a '#'");
    else if (atNamedByWord())
      rejectName();
    else if (!stray_reported_)
      error(Diag::statement_outside, peek().range, describe(peek()));
    stray_reported_ = true;
    panic_ = true;
  }
  unwinding_ = false;
  bool unclosed = specifiers.defines_type && item_lost_ && at_ != before && inFirstColumn(peek());
  if (panic_ && unclosed)
    panic_ = false;
  else if (panic_)
    syncTopLevel();
  else if (items_.size() > items_before)
    stray_reported_ = false;
  if (at_ == before)
    advance();
}

// print(1);   and, if code that was no declaration was reported before, print(x);
bool Parser::atStrayCall() const {
  Tok first = peek(2).kind;
  bool value = first == Tok::IntLiteral || first == Tok::FloatLiteral || first == Tok::StringLiteral;
  return peek(1).kind == Tok::LParen && (value || stray_reported_) && peek(afterBalanced(1)).kind == Tok::Semicolon;
}

// extern "png"; but not C++'s extern "C" void f();
bool Parser::atLibrary() const {
  return at(Tok::Extern) && peek(1).kind == Tok::StringLiteral && !spell(peek(1)).starts_with("\"C");
}

void Parser::parseLibrary() {
  advance();
  ast::Expr* name = parseString();
  expectSemicolon();
  if (!panic_)
    addItem(ast::TopLevel::Library, name);
}

// At the top level; in a function it is a call like others.
void Parser::parseStaticAssert() {
  size_t start_nodes = nodes_;
  ast::Expr* call = parseExpr();
  if (!panic_)
    expectSemicolon();
  if (nodes_ - start_nodes > kMaxTreeDepth)
    if (SourceRange deep = limitDepth(call); deep.valid())
      complain(Diag::nesting_too_deep, deep, kMaxTreeDepth);
  if (!panic_)
    addItem(ast::TopLevel::StaticAssert, call);
  unwinding_ = false;
  if (panic_)
    syncTopLevel();
}

void Parser::parseTypedef(Specifiers& specifiers) {
  specifiers.typedef_at = {};
  rejectSpecifiers(specifiers, "a typedef", false, false);
  if (!specifiers.base)
    return expectedHere("a type");
  do {
    Declarator declarator = parseDeclarator(specifiers, false);
    rejectReference(declarator);
    if (panic_)
      return;
    // typedef struct {…} S names the struct itself.
    if (specifiers.unnamed_struct && declarator.type == specifiers.base) {
      specifiers.unnamed_struct->name = specifiers.base->name = declarator.name;
      specifiers.unnamed_struct = nullptr;
      declareType(declarator.name, declarator.range);
      continue;
    }
    bool names_itself = declarator.type == specifiers.base && specifiers.base->name == declarator.name;
    bool known = names_.count(declarator.name) && names_[declarator.name].is_type; // typedef struct S S
    if (!(names_itself && known) && declareType(declarator.name, declarator.range, declarator.type))
      addItem(ast::TopLevel::Typedef, arena_.make<ast::Typedef>(declarator.name, declarator.range, declarator.type));
  } while (accept(Tok::Comma));
  expectSemicolon();
}

// The first declarator may turn out to be a function's head.
void Parser::parseGlobals(const Specifiers& given) {
  Specifiers specifiers = given;
  if (!specifiers.base) // const N = 3;
    (specifiers.base = newType(TypeExpr::Auto, specifiers.range))->is_const = true;
  TypeExpr* first = parsePointers(specifiers.base);
  rejectReferenceResult();
  if (atFunctionName())
    return parseFunction(specifiers, first);
  if (isTypeName(0) && peek(1).kind == Tok::LParen) // float half2(float x)
    return rejectTypeAsName(peek());
  bool is_first = true;
  do {
    Specifiers of_this = specifiers;
    if (is_first)
      of_this.base = first;
    is_first = false;
    size_t start_nodes = nodes_;
    Declarator declarator = parseDeclarator(of_this, false);
    rejectReference(declarator);
    parseInitializer(declarator);
    if (panic_)
      return;
    if (given.shared_at.valid())
      complain(Diag::misplaced_specifier, given.shared_at, "shared", kGlobalVariable,
               helpForSpecifier("shared", kGlobalVariable));
    if (at(Tok::Comma) || at(Tok::Semicolon))
      rejectSpecifiers(given, "a variable", true, false);
    if (declarator.init && nodes_ - start_nodes > kMaxTreeDepth)
      if (SourceRange deep = limitDepth(declarator.init); deep.valid())
        complain(Diag::nesting_too_deep, deep, kMaxTreeDepth);
    const TypeExpr* element = declarator.type;
    while (element->kind == TypeExpr::Array)
      element = element->inner;
    declareVariable(declarator.name);
    addItem(ast::TopLevel::Global, arena_.make<ast::Global>(declarator, element->is_const, given.extern_at.valid()));
  } while (accept(Tok::Comma));
  expectSemicolon();
}

// ---- struct and enum
TypeExpr* Parser::parseStructOrEnum(Specifiers& specifiers) {
  bool is_struct = at(Tok::Struct);
  const char* word = is_struct ? "struct" : "enum";
  const Token& keyword = advance();
  if (!is_struct)
    skipEnumClass();
  std::string_view name;
  SourceRange name_range = keyword.range;
  if (atName()) {
    name_range = peek().range;
    name = spell(advance());
    if (!is_struct)
      skipEnumBase();
  } else if (!at(Tok::LBrace)) {
    rejectName();
    return newType(TypeExpr::Named, keyword.range, "i32");
  }
  bool used = is_struct && generics_.count(name) && at(Tok::LParen) && afterTypeParameters(0) == 0;
  if (used) // struct P(int) p
    return parseTypeArguments(previous());
  std::vector<ast::TypeParam> params = std::exchange(template_parameters_, {});
  if (is_struct && !name.empty() && afterTypeParameters(0) != 0)
    params = parseTypeParameters(name, name_range);
  bool forward = at(Tok::Semicolon), braces = at(Tok::LBrace) || atFieldsWithoutBrace(keyword);
  bool unnamed = name.empty();
  if (unnamed)
    name = is_struct ? arena_.copy("struct#" + std::to_string(++unnamed_types_)) : std::string_view();
  auto* type = newType(TypeExpr::Named, rangeFrom(keyword.range.begin), name.empty() ? "i32" : name);
  bool known = names_.count(name) && names_[name].is_type;
  if (!unnamed && (!known || names_[name].is_builtin || braces))
    declareType(name, name_range);
  specifiers.defines_type = forward || braces;
  if (!braces)
    return type;
  if (!open_braces_.empty() || nesting_ > 0)
    complain(Diag::local_type, keyword.range, word);
  if (!enterNesting())
    return type;
  const Token& open = *openBody();
  if (is_struct) {
    auto* node = arena_.make<ast::Struct>(name, name_range, std::span<Declarator>{}, keep(params));
    size_t scope = openScope();
    declareTypeParameters(*node);
    node->fields = parseFields(open, *node);
    generic_owner_ = nullptr;
    closeScope(scope);
    finishMethods(*node);
    addItem(ast::TopLevel::Struct, node);
    specifiers.unnamed_struct = unnamed ? node : nullptr;
  } else {
    auto* node = arena_.make<ast::Enum>(name, name_range, std::span<ast::Enumerator>{});
    node->items = parseEnumerators(open);
    addItem(ast::TopLevel::Enum, node);
  }
  leaveNesting();
  return type;
}

// int w[];
void Parser::rejectOpenSize(const Declarator& field) {
  std::string name(field.name);
  SourceRange brackets{field.range.end, previous().range.end};
  complain(Diag::expected_token, brackets, "the size of '" + name + "'", "'[]'",
           "write T* " + name + " for a pointer, dlist(T) " + name + " for a list");
}

// True at `keyword` if it begins its line and its fields follow, indented further.
bool Parser::atFieldsWithoutBrace(const Token& keyword) const {
  bool item = keyword.kind == Tok::Struct && inFirstColumn(keyword) && open_braces_.empty();
  return item && startsType() && atBodyWithoutBrace();
}

std::span<Declarator> Parser::parseFields(const Token& open, const ast::Struct& owner) {
  std::vector<Declarator> fields;
  open_braces_.push_back(open.range);
  while (!at(Tok::RBrace) && !at(Tok::End) && !unwinding_) {
    size_t before = at_;
    statement_start_ = at_;
    if (inFirstColumn(peek()) && beginsNextItem(open)) {
      reportUnclosedBrace();
      panic_ = true;
      break;
    }
    parseField(fields, owner);
    if (panic_)
      syncStatement();
    if (at_ == before)
      advance();
  }
  closeBlock(open);
  open_braces_.pop_back();
  unwinding_ = unwinding_ && !open_braces_.empty();
  return keep(fields);
}

void Parser::parseField(std::vector<Declarator>& fields, const ast::Struct& owner) {
  if (accept(Tok::Semicolon))
    return;
  if (at(Tok::Tilde))
    return rejectFunctionInStruct(Diag::destructor, peek().range);
  bool own_name = at(Tok::Identifier) && spell(peek()) == owner.name && peek(1).kind == Tok::LParen;
  if (own_name && peek(afterBalanced(1)).kind == Tok::LBrace)
    return rejectFunctionInStruct(Diag::constructor, peek().range);
  Specifiers specifiers;
  if (!atFunctionName())
    specifiers = parseSpecifiers();
  if (panic_)
    return;
  if (specifiers.shared_at.valid())
    complain(Diag::misplaced_specifier, specifiers.shared_at, "shared", "a field",
             helpForSpecifier("shared", "a field"));
  if (at(Tok::LParen) && specifiers.base && specifiers.base->name == owner.name)
    return rejectFunctionInStruct(Diag::constructor, specifiers.base->range);
  TypeExpr* type = specifiers.base ? parsePointers(specifiers.base) : nullptr;
  rejectReferenceResult();
  if (atFunctionName() && !atFieldWithValue())
    return parseMethod(owner, specifiers, type);
  if (!type)
    return expectedHere("a field");
  Specifiers of_this = specifiers;
  of_this.base = type;
  do {
    Declarator field = parseDeclarator(of_this, false);
    rejectReference(field);
    of_this.base = specifiers.base;
    if (!panic_)
      parseInitializer(field);
    if (panic_)
      return;
    if (field.type->kind == TypeExpr::Array && !field.type->count)
      rejectOpenSize(field), field.type = wrongType();
    fields.push_back(field);
  } while (accept(Tok::Comma));
  if (at(Tok::Semicolon))
    rejectSpecifiers(specifiers, "a field", false, false);
  expectSemicolon();
}

std::span<ast::Enumerator> Parser::parseEnumerators(const Token& open) {
  std::vector<ast::Enumerator> items;
  open_braces_.push_back(open.range);
  while (!at(Tok::RBrace) && !panic_) {
    if (!atName()) {
      rejectName();
      break;
    }
    const Token& name = advance();
    items.push_back({spell(name), name.range, nullptr});
    if (accept(Tok::Equal))
      items.back().value = parseConditional();
    if (!accept(Tok::Comma) && !at(Tok::RBrace))
      expectedHere("',' or '}'");
  }
  if (panic_ && !unwinding_ && skipToClose(Tok::RBrace))
    --at_;
  bool failed = std::exchange(panic_, false);
  closeBlock(open);
  panic_ = panic_ || (failed && at(Tok::End));
  open_braces_.pop_back();
  unwinding_ = unwinding_ && !open_braces_.empty();
  return keep(items);
}

// ---- declarators
// `specifiers.base` with stars before the name and brackets after it.
Declarator Parser::parseDeclarator(const Specifiers& specifiers, bool is_parameter) {
  TypeExpr* type = parsePointers(specifiers.base);
  bool by_reference = accept(Tok::Amp);
  Declarator declarator{{}, peek().range, type, nullptr, false, by_reference};
  if (at(Tok::LParen)) {
    bool function = peek(afterBalanced(0)).kind == Tok::LBrace; // half(float x) {...}
    if (function && type == specifiers.base)
      rejectTypeAsName(previous());
    rejectParentheses();
    return declarator;
  }
  bool named = atName() || isTypeName(0);
  if (named)
    declarator.name = spell(advance());
  else if (!is_parameter)
    rejectName(at(Tok::LBracket) ? bracketsHelp() : "");
  declarator.type = parseArraySuffix(type);
  if (by_reference && (declarator.type != type || specifiers.shared_at.valid()))
    complain(Diag::reference_here, declarator.range, declarator.name);
  declarator.is_shared = isStorage(specifiers, declarator.type, is_parameter);
  placeSpace(specifiers, declarator.type, is_parameter);
  return declarator;
}

// At the ( of int (*f)(int), int (&b)[3], int (*p)[3].
void Parser::rejectParentheses() {
  if (peek(4).kind != Tok::LBracket)
    return error(Diag::complex_declarator, peek().range);
  std::string name(spell(peek(2)));
  SourceRange range{peek().range.begin, peek(3).range.end};
  bool reference = peek(1).kind == Tok::Amp;
  error(Diag::foreign_word, range, spellRange(range),
        reference ? "write auto& " + name + " = array, and & " + name + " as a parameter: the size goes along"
                  : "write T* " + name + ", a pointer to the first element");
}

// References are variables of functions.
void Parser::rejectReference(const Declarator& declarator) {
  if (declarator.by_reference && !panic_)
    complain(Diag::reference_here, declarator.range, declarator.name);
}

void Parser::parseInitializer(Declarator& declarator) {
  if (accept(Tok::Equal))
    declarator.init = parseAssignOrList();
  else if (!panic_ && (at(Tok::LBrace) || at(Tok::LParen)))
    rejectDirectValue(declarator);
}

// int a(3), P p(1, 2), P p{1, 2}: as in C++.
void Parser::rejectDirectValue(const Declarator& declarator) {
  size_t end = afterBalanced(0);
  bool ends = peek(end).kind == Tok::Semicolon || peek(end).kind == Tok::Comma;
  bool parameters = at(Tok::LParen) && (end == 2 || startsType(1)); // int f(int x);
  if (!ends || parameters)
    return;
  std::string_view name = spellRange({declarator.range.begin, previous().range.end});
  std::string values(end == 2 ? "" : spellRange({peek(1).range.begin, peek(end - 2).range.end}));
  bool one = at(Tok::LParen) && values.find(',') == std::string::npos;
  std::string_view type = spellRange(declarator.type->range);
  auto known = declarator.type->kind == TypeExpr::Named ? names_.find(declarator.type->name) : names_.end();
  if (one && type == "Random")
    values = fmt::format("random({})", values);
  else if (one && known != names_.end() && !known->second.is_builtin)
    values = fmt::format("{}({})", type, values);
  bool sized = one && declarator.type->kind == TypeExpr::DList;
  complain(Diag::expected_token, peek().range, "'='", describe(peek()),
           sized ? fmt::format("write {} {}; and then {}.resize({});", type, name, name, values)
                 : fmt::format("write {} = {}", name, one ? values : "{" + values + "}"));
  skipBalanced();
}

ast::Expr* Parser::parseAssignOrList() {
  return at(Tok::LBrace) ? parseInitList() : parseAssign();
}

ast::Expr* Parser::parseInitList() {
  const Token& open = advance();
  ast::Expr* list = newExpr(ast::Expr::InitList, open.range);
  if (!enterNesting())
    return list;
  std::vector<ast::Expr*> items;
  open_braces_.push_back(open.range);
  while (!at(Tok::RBrace) && !panic_) {
    bool designated = (at(Tok::Dot) && atName(1)) || at(Tok::LBracket);
    if (designated) {
      error(Diag::designator, peek().range);
      break;
    }
    items.push_back(parseAssignOrList());
    if (!accept(Tok::Comma) && !at(Tok::RBrace) && !panic_)
      expectedHere("',' or '}'");
  }
  open_braces_.pop_back();
  leaveNesting();
  if (!panic_)
    advance();
  else if (!unwinding_)
    skipToClose(Tok::RBrace);
  list->args = keep(items);
  list->range.end = std::max(list->range.end, previous().range.end);
  return list;
}

} // namespace bsgp

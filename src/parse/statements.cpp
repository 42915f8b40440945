// Statements. Each ends past its last token, or in panic where syncStatement is to find the next one.
#include <fmt/format.h>

#include "parse/foreign_declarations.h"
#include "parse/parser.h"

namespace bsgp {

using ast::Expr;
using ast::Stmt;

Stmt* Parser::parseStatement(bool directly_in_switch) {
  size_t start = at_;
  Faults before = faults_;
  Stmt* stmt = parseGuardedStatement(directly_in_switch);
  doubtStatement(start, before);
  return stmt;
}

Stmt* Parser::parseGuardedStatement(bool directly_in_switch) {
  statement_start_ = at_;
  if (!enterNesting()) {
    if (!unwinding_)
      syncStatement();
    return newStmt(Stmt::Empty, previous().range);
  }
  Stmt* stmt = parseStatementUnguarded(directly_in_switch);
  leaveNesting();
  if (panic_ && !unwinding_)
    syncStatement();
  return finish(stmt);
}

Stmt* Parser::parseStatementUnguarded(bool directly_in_switch) {
  bool word = peek().kind >= Tok::If && peek().kind < Tok::LParen && !isName(peek().kind);
  if (word && peek(1).kind == Tok::Equal) { // barrier = 3
    rejectName();
    return newStmt(Stmt::Empty, peek().range);
  }
  switch (peek().kind) {
  case Tok::LBrace:
    return parseBlock(true);
  case Tok::Semicolon:
    return newStmt(Stmt::Empty, advance().range);
  case Tok::If:
    return parseIf();
  case Tok::While:
    return parseWhile();
  case Tok::Do:
    return parseDo();
  case Tok::For:
    return parseFor();
  case Tok::Switch:
    return parseSwitch();
  case Tok::Case:
  case Tok::Default:
    return parseCase(directly_in_switch);
  case Tok::Break:
    return parseSimple(Stmt::Break);
  case Tok::Continue:
    return parseSimple(Stmt::Continue);
  case Tok::Return:
    return parseReturn();
  case Tok::Spawn:
    return parseSpawn();
  case Tok::Barrier:
    return parseBarrier();
  case Tok::Require:
    return parseRequire();
  case Tok::Par:
    if (peek(1).kind == Tok::LBrace)
      return parsePar();
    if (atParallelLoop())
      return rejectParallelLoop();
    break;
  case Tok::Goto:
    return rejectGoto();
  case Tok::Include:
    complain(Diag::include_inside, peek().range);
    return newStmt(Stmt::Empty, advance().range);
  case Tok::Else:
    complain(Diag::else_without_if, advance().range);
    return parseStatement();
  case Tok::Identifier:
    if (atWavefront() || mendWordOfLoop(ast::kWavefrontWord))
      return parseWavefront(directly_in_switch);
    if (atUnroll() || mendWordOfLoop("unroll"))
      return parseUnroll();
    if (atAsm())
      return parseAsm();
    if (atParallelLoop())
      return rejectParallelLoop();
    if (Stmt* loop = rejectForeignLoop())
      return loop;
    if (mendMisspeltWord())
      return parseStatementUnguarded(directly_in_switch);
    if (peek(1).kind == Tok::Colon && !atScope(1) && !findForeignWord(spell(peek())))
      return rejectLabel();
    break;
  default:
    break;
  }
  return startsDeclaration() ? parseDeclaration() : parseExpressionStatement();
}

// ---- blocks
Stmt* Parser::parseBlock(bool is_scope, bool is_switch) {
  Stmt* block = newStmt(Stmt::Block, peek().range);
  const Token* open = openBody();
  if (!open)
    return block;
  size_t scope = openScope();
  open_braces_.push_back(open->range);
  std::vector<Stmt*> stmts;
  while ((!at(Tok::RBrace) || atExtraBrace(*open)) && !at(Tok::End) && !unwinding_) {
    bool next_item = beginsNextItem(*open);
    bool behind_lambda = in_lambda_ && (at(Tok::Comma) || at(Tok::RParen));
    if (next_item || behind_lambda) {
      reportUnclosedBrace();
      break;
    }
    if (at(Tok::RBrace)) {
      complain(Diag::extra_brace, advance().range);
      continue;
    }
    size_t before = at_;
    stmts.push_back(parseStatement(is_switch));
    if (at_ == before && !at(Tok::RBrace))
      advance();
  }
  closeBlock(*open);
  open_braces_.pop_back();
  if (is_scope)
    closeScope(scope);
  block->stmts = keep(stmts);
  return finish(block);
}

// ---- declarations

// A type followed by ( is a construction: float3(1, 2, 3).
bool Parser::startsDeclaration() const {
  Tok kind = peek().kind;
  if (atGenericType(0)) // P(int) p
    return true;
  if (startsType()) {
    bool may_construct = kind == Tok::Identifier || isTypeWord(kind);
    Tok sign = peek(2).kind, behind = peek(5).kind;
    bool in_parentheses = peek(4).kind == Tok::RParen && (sign == Tok::Star || sign == Tok::Amp);
    bool parts = in_parentheses && (behind == Tok::LParen || behind == Tok::LBracket);
    return parts || !(may_construct && peek(1).kind == Tok::LParen);
  }
  Tok next = peek(1).kind;
  bool two_names = kind == Tok::Identifier && (atName(1) || isTypeWord(next));
  bool list = kind == Tok::Identifier && peek(1).kind == Tok::Less && peek(2).kind == Tok::Greater;
  bool pointer = kind == Tok::Identifier && peek(1).kind == Tok::Star && atName(2) && peek(3).kind == Tok::Equal;
  return two_names || list || pointer || atUnknownGeneric();
}

Stmt* Parser::parseDeclaration() {
  Stmt* stmt = newStmt(Stmt::Decl, peek().range);
  Specifiers specifiers = parseSpecifiers();
  if (specifiers.typedef_at.valid()) {
    error(Diag::local_type, specifiers.typedef_at, "typedef");
    return stmt;
  }
  if (specifiers.extern_at.valid() && specifiers.shared_at.valid())
    complain(Diag::misplaced_specifier, std::exchange(specifiers.extern_at, {}), "extern", kLocalVariable,
             helpForSpecifier("extern shared", kLocalVariable));
  rejectSpecifiers(specifiers, kLocalVariable, false, false);
  if (!specifiers.base && specifiers.is_const && atName()) // const n = 3;
    (specifiers.base = newType(ast::TypeExpr::Auto, specifiers.range))->is_const = true;
  if (!specifiers.base && !panic_) {
    expectedHere("a type");
    return stmt;
  }
  if (panic_ || (specifiers.defines_type && accept(Tok::Semicolon)))
    return stmt;
  std::vector<ast::Declarator> declarators;
  do {
    ast::Declarator declarator = parseDeclarator(specifiers, false);
    declareVariable(declarator.name);
    if (panic_ || rejectNestedFunction() || rejectLocalPrototype())
      return stmt;
    panic_ = at(Tok::LParen) && unknown_types_.count(specifiers.base->name) != 0; // y f(x); said of y
    parseInitializer(declarator);
    declarators.push_back(declarator);
    const ast::TypeExpr* element = declarator.type;
    while (element->kind == ast::TypeExpr::Array)
      element = element->inner;
    stmt->is_const = element->is_const;
  } while (accept(Tok::Comma) && !declaresBehindComma());
  if (previous().kind != Tok::Comma)
    expectSemicolon();
  stmt->decls = keep(declarators);
  return stmt;
}

// float x = 3, float y = 4;   The comma is taken for the semicolon that it should be.
bool Parser::declaresBehindComma() {
  bool declares = startsType() && (atName(1) || peek(1).kind == Tok::Star);
  if (declares)
    complain(Diag::expected_token, previous().range, "';'", "','",
             "a new declaration follows; behind a comma stand more names of the same type, as in int a = 1, b = 2;");
  return declares;
}

// ---- control flow

// ( expression ): past the parenthesis even after an error, where one is found,
// so that the body is parsed.
Expr* Parser::parseCondition() {
  const Token& open = peek();
  if (!at(Tok::LParen) && !panic_) {
    rejectBareCondition();
    return errorExpr();
  }
  if (!expect(Tok::LParen))
    return errorExpr();
  Expr* condition = parseExpr();
  expectClose(Tok::RParen, open);
  if (panic_ && !unwinding_ && skipToClose(Tok::RParen))
    panic_ = false;
  return condition;
}

// if x > 3 { … }, spawn n block(64) { … }: goes on at the body, where one in braces follows on the line, or at `block`.
void Parser::rejectBareCondition() {
  size_t ahead = 0;
  auto isProperty = [&](Tok kind) { return kind == Tok::Block && peek(ahead + 1).kind == Tok::LParen; };
  for (Tok kind = peek().kind; kind != Tok::LBrace && !isProperty(kind); kind = peek(++ahead).kind)
    if (kind == Tok::Semicolon || kind == Tok::RBrace || kind == Tok::End || (ahead && startsLine(peek(ahead))))
      return expectedHere("'('");
  std::string_view condition = diagnostics_.sources().text({peek().range.begin, peek(ahead - !!ahead).range.end});
  expectedHere("'('", fmt::format("write ({})", condition));
  at_ += ahead, panic_ = false;
}

// A chain of else-ifs is a loop here, for it may be long.
Stmt* Parser::parseIf() {
  Stmt* first = nullptr;
  Stmt** place = &first;
  for (;;) {
    Stmt* stmt = *place = newStmt(Stmt::If, advance().range);
    stmt->expr = parseCondition();
    if (panic_ && !unwinding_) { // past the body, for an 'else' may follow
      syncStatement();
      stmt->body = newStmt(Stmt::Empty, previous().range);
    } else {
      stmt->body = panic_ ? newStmt(Stmt::Empty, peek().range) : parseStatement();
    }
    if (!panic_ && !unwinding_)
      mendMisspeltWord();
    if (!accept(Tok::Else))
      break;
    place = &stmt->otherwise;
    if (!at(Tok::If)) {
      *place = parseStatement();
      break;
    }
  }
  for (Stmt* stmt = first; stmt && stmt->kind == Stmt::If; stmt = stmt->otherwise)
    finish(stmt);
  return first;
}

Stmt* Parser::parseWhile() {
  Stmt* stmt = newStmt(Stmt::While, advance().range);
  stmt->expr = parseCondition();
  stmt->body = panic_ ? newStmt(Stmt::Empty, peek().range) : parseStatement();
  return stmt;
}

Stmt* Parser::parseDo() {
  Stmt* stmt = newStmt(Stmt::Do, advance().range);
  stmt->body = parseStatement();
  stmt->expr = errorExpr();
  mendWhile();
  if (unwinding_ || !expect(Tok::While))
    return stmt;
  stmt->expr = parseCondition();
  expectSemicolon();
  return stmt;
}

constexpr const char* kForHelp = "write for (i = 0; i < n; i++)";

Stmt* Parser::parseFor() {
  Stmt* stmt = newStmt(Stmt::For, advance().range);
  size_t scope = openScope();
  const Token& open = peek();
  if (!at(Tok::LParen))
    expectedHere("'('", kForHelp);
  if (expect(Tok::LParen)) {
    parseForHead(stmt);
    expectClose(Tok::RParen, open);
  }
  if (panic_ && !unwinding_) {
    // Past the semicolons that are left of the head.
    bool found = skipToClose(Tok::RParen);
    for (int i = 0; i < 2 && !found && at(Tok::Semicolon); ++i) {
      advance();
      found = skipToClose(Tok::RParen);
    }
    panic_ = !found;
  }
  stmt->body = panic_ ? newStmt(Stmt::Empty, peek().range) : parseStatement();
  closeScope(scope);
  return stmt;
}

// for (k in 0..n), for (int k in n)
bool Parser::rejectForIn() {
  auto isIn = [&](size_t i) {
    Tok next = peek(i + 1).kind;
    bool value = next == Tok::Identifier || next == Tok::IntLiteral;
    return peek(i - 1).kind == Tok::Identifier && peek(i).kind == Tok::Identifier && spell(peek(i)) == "in" && value;
  };
  size_t at_in = isIn(1) ? 1 : isIn(2) ? 2 : 0;
  if (at_in)
    error(Diag::foreign_word, peek(at_in).range, "in",
          fmt::format("write for ({0} = 0; {0} < n; {0}++)", spell(peek(at_in - 1))));
  return at_in;
}

void Parser::parseForHead(Stmt* loop) {
  if (rejectForIn())
    return;
  if (!accept(Tok::Semicolon)) {
    bool declares = startsDeclaration() && !(at(Tok::Identifier) && findForeignWord(spell(peek())));
    if (declares) {
      Specifiers specifiers = parseSpecifiers();
      rejectSpecifiers(specifiers, "a loop's variable", false, false);
      if (specifiers.shared_at.valid())
        complain(Diag::misplaced_specifier, specifiers.shared_at, "shared", "a loop's variable",
                 helpForSpecifier("shared", "a loop's variable"));
      if (!specifiers.base)
        return expectedHere("a type");
      std::vector<ast::Declarator> declarators;
      loop->init = newStmt(Stmt::Decl, specifiers.range);
      do {
        declarators.push_back(parseDeclarator(specifiers, false));
        declareVariable(declarators.back().name);
        parseInitializer(declarators.back());
      } while (accept(Tok::Comma));
      loop->init->decls = keep(declarators);
    } else {
      loop->init = newStmt(Stmt::ExprStmt, peek().range);
      loop->init->expr = parseExpr();
    }
    if (!panic_ && at(Tok::Colon))
      return error(Diag::foreign_word, peek().range, "for (x : range)", kForHelp);
    if (!expect(Tok::Semicolon))
      return;
    finish(loop->init);
  }
  if (!at(Tok::Semicolon))
    loop->expr = parseExpr();
  if (!expect(Tok::Semicolon))
    return;
  if (!at(Tok::RParen))
    loop->step = parseExpr();
}

// unroll for (...)   unroll(4) while (...): the word is a name everywhere else.
bool Parser::atUnroll() const {
  if (spell(peek()) != "unroll")
    return false;
  size_t next = peek(1).kind == Tok::LParen ? afterBalanced(1) : 1;
  return atLoop(spell(peek(next)) == ast::kWavefrontWord ? next + 1 : next);
}

Stmt* Parser::parseUnroll() {
  SourcePos begin = advance().range.begin;
  Expr* count = at(Tok::LParen) ? parseCondition() : nullptr;
  Stmt* loop = panic_ ? newStmt(Stmt::Empty, peek().range) : parseStatement();
  if (loop->is_wavefront)
    complain(Diag::wavefront_unrolled, ast::wavefrontWord(loop->range));
  loop->range.begin = begin;
  if (loop->kind != Stmt::Empty)
    loop->unrolled = true, loop->count = count;
  return loop;
}

bool Parser::atLoop(size_t ahead) const {
  Tok kind = peek(ahead).kind;
  return kind == Tok::For || kind == Tok::While || kind == Tok::Do;
}

// wavefront while (...): the word is a name everywhere else. Before another word of the language, a block or a name in
// its line it can be no name either.
bool Parser::atWavefront() const {
  if (!at(Tok::Identifier) || spell(peek()) != ast::kWavefrontWord)
    return false;
  const Token& next = peek(1);
  bool word = next.kind >= Tok::If && next.kind < Tok::LParen && !isName(next.kind);
  bool begins_statement = next.kind == Tok::LBrace || ((isName(next.kind) || word) && !startsLine(next));
  return atLoop(1) || (begins_statement && !isTypeName(0));
}

Stmt* Parser::parseWavefront(bool directly_in_switch) {
  SourceRange word = advance().range;
  while (at(Tok::Identifier) && spell(peek()) == ast::kWavefrontWord)
    complain(Diag::wavefront_twice, advance().range);
  SourceRange next = peek().range;
  if (at(Tok::Identifier) && !atUnroll())
    mendMisspeltWord();
  if (!atLoop() && !atUnroll())
    complain(Diag::wavefront_without_loop, word, describe(peek()));
  Stmt* loop = parseStatementUnguarded(directly_in_switch);
  if (!ast::isLoop(*loop))
    return loop;
  if (loop->unrolled)
    complain(Diag::wavefront_unrolled, next);
  loop->range.begin = word.begin;
  loop->is_wavefront = true;
  return loop;
}

// Is there a } for a block that was not opened here? Far off it is taken to be there.
bool Parser::hasClosingBrace() const {
  constexpr size_t kFarthest = 4096; // in tokens
  size_t level = open_braces_.size();
  for (size_t i = at_; tokens_[i].kind != Tok::End && level > 0; ++i) {
    if (i - at_ == kFarthest)
      return true;
    level += tokens_[i].kind == Tok::LBrace;
    level -= tokens_[i].kind == Tok::RBrace;
    const Token& next = tokens_[i + 1];
    if (level == 0)
      return next.kind == Tok::RBrace || (next.kind != Tok::End && !inFirstColumn(next));
  }
  return false;
}

// switch (x) case 1: return 1; with no braces, as in C.
Stmt* Parser::parseLabelledStatement() {
  Stmt* block = newStmt(Stmt::Block, peek().range);
  complain(Diag::expected_token, peek().range, "'{'", describe(peek()),
           "the labels of a switch stand in braces: switch (x) { case 1: ... }");
  std::vector<Stmt*> stmts;
  while (!panic_ && (at(Tok::Case) || at(Tok::Default)))
    stmts.push_back(parseCase(true));
  stmts.push_back(parseStatement());
  block->stmts = keep(stmts);
  return finish(block);
}

Stmt* Parser::parseSwitch() {
  Stmt* stmt = newStmt(Stmt::Switch, advance().range);
  stmt->expr = parseCondition();
  bool labelled = at(Tok::Case) || at(Tok::Default);
  if (labelled && !panic_ && !hasClosingBrace()) {
    stmt->body = parseLabelledStatement();
    return stmt;
  }
  if (!labelled && !at(Tok::LBrace))
    expect(Tok::LBrace);
  stmt->body = parseBlock(true, true);
  return stmt;
}

Stmt* Parser::parseCase(bool directly_in_switch) {
  bool is_case = at(Tok::Case);
  const Token& word = advance();
  Stmt* stmt = newStmt(is_case ? Stmt::Case : Stmt::Default, word.range);
  if (!directly_in_switch)
    complain(Diag::case_outside_switch, word.range, spell(word));
  if (is_case)
    stmt->expr = parseConditional();
  if (is_case && at(Tok::Ellipsis))
    rejectRange(stmt->expr);
  expect(Tok::Colon);
  return stmt;
}

// case 1 ... 3: taken as case 1.
void Parser::rejectRange(const Expr* first) {
  SourceRange range = advance().range;
  const Expr* last = parseConditional();
  std::string_view from = spellRange(first->range), to = spellRange(last->range);
  constexpr uint64_t kFew = 8;
  std::string each;
  bool known = first->kind == Expr::IntLit && last->kind == Expr::IntLit && first->integer < last->integer;
  for (uint64_t i = 0; known && last->integer - first->integer < kFew && i <= last->integer - first->integer; ++i)
    each += fmt::format("{}case {}:", i ? " " : "", first->integer + i);
  if (!panic_)
    complain(Diag::foreign_word, range, "...",
             each.empty() ? fmt::format("write an if in front of the switch: if (x >= {} && x <= {})", from, to)
                          : "write " + each);
}

Stmt* Parser::parseReturn() {
  Stmt* stmt = newStmt(Stmt::Return, advance().range);
  if (!at(Tok::Semicolon) && !at(Tok::RBrace))
    stmt->expr = at(Tok::LBrace) ? parseInitList() : parseExpr();
  expectSemicolon();
  return stmt;
}

Stmt* Parser::parseSimple(Stmt::Kind kind) {
  Stmt* stmt = newStmt(kind, advance().range);
  expectSemicolon();
  return stmt;
}

Stmt* Parser::rejectGoto() {
  const Token& word = advance();
  error(Diag::foreign_word, word.range, "goto", "use break, continue, return or a function of its own");
  return newStmt(Stmt::Empty, word.range);
}

Stmt* Parser::rejectLabel() {
  const Token& name = advance();
  advance();
  complain(Diag::foreign_word, name.range, std::string(spell(name)) + ":", "there is no goto");
  return newStmt(Stmt::Empty, name.range);
}

Stmt* Parser::parseExpressionStatement() {
  Stmt* stmt = newStmt(Stmt::ExprStmt, peek().range);
  if (at(Tok::Union)) {
    error(Diag::foreign_word, peek().range, "union", "use a struct with a field for each case");
    stmt->expr = errorExpr();
    return stmt;
  }
  stmt->expr = parseExpr();
  expectSemicolon();
  return stmt;
}

// par for (...) {...}   parallel for (...) {...}
bool Parser::atParallelLoop() const {
  const ForeignWord* foreign = at(Tok::Identifier) ? findForeignWord(spell(peek())) : nullptr;
  bool word = at(Tok::Par) || (foreign && foreign->use == ForeignWord::Loop);
  return word && (peek(1).kind == Tok::For || peek(1).kind == Tok::While);
}

Stmt* Parser::rejectParallelLoop() {
  SourceRange range{peek().range.begin, peek(1).range.end};
  complain(Diag::foreign_word, range, spellRange(range),
           "write spawn (n) {...} for n threads, one for each round; in a spawn the loop of a thread is written "
           "without this word");
  advance();
  return parseStatement();
}

// ---- bulk-synchronous statements

// ( expression ), and no comma in it.
Expr* Parser::parseSize(const char* what, DimensionHelp help) {
  const Token& open = peek();
  if (!expect(Tok::LParen))
    return errorExpr();
  Expr* size = parseOneNumber(what, help);
  expectClose(Tok::RParen, open);
  if (panic_ && !unwinding_ && skipToClose(Tok::RParen))
    panic_ = false;
  return size;
}

// spawn (n) {…}   spawn (w, h) {…}   spawn (n) block(128) {…}   spawn (n) width(1) {…}   spawn (n) block(128) width(1) {…}
// spawn (n) partition {…}   spawn (n) block(128) partition {…}
Stmt* Parser::parseSpawn() {
  Stmt* stmt = newStmt(Stmt::Spawn, advance().range);
  parseExtents(*stmt);
  while (!panic_ && parseSpawnProperty(*stmt))
    ;
  if (!panic_ && at(Tok::Semicolon))
    error(Diag::spawn_without_body, peek().range);
  stmt->body = panic_ ? newStmt(Stmt::Empty, peek().range) : parseStatement();
  return stmt;
}

// (n)   (w, h)   (w, h, d)
void Parser::parseExtents(Stmt& spawn) {
  const Token& open = peek();
  spawn.expr = errorExpr();
  if (!at(Tok::LParen) && !at(Tok::LBrace))
    return rejectBareCondition();
  if (!expect(Tok::LParen))
    return;
  spawn.expr = parseAssign();
  std::vector<Expr*> further;
  while (!panic_ && accept(Tok::Comma)) {
    further.push_back(parseAssign());
    if (further.size() == ast::kMostExtents)
      complain(Diag::too_many_extents, further.back()->range, "a spawn", ast::kMostExtents,
               "compute the others from thread.z: spawn (w, h, d * e)");
  }
  if (further.size() >= ast::kMostExtents)
    further.resize(ast::kMostExtents - 1);
  spawn.extents = keep(further);
  expectClose(Tok::RParen, open);
  if (panic_ && !unwinding_ && skipToClose(Tok::RParen))
    panic_ = false;
}

// False: the body begins here.
bool Parser::parseSpawnProperty(Stmt& spawn) {
  if (atPartition())
    return parsePartition(spawn), true;
  bool block = at(Tok::Block) && peek(1).kind == Tok::LParen, width = atWidth();
  if (!block && !width && !atUnknownProperty())
    return false;
  const Token& word = advance();
  Expr*& size = block ? spawn.count : spawn.step;
  if (!block && !width)
    error(Diag::spawn_property_unknown, word.range, spell(word));
  else if (size)
    error(Diag::spawn_property_twice, word.range, spell(word));
  Expr* read =
      block ? parseSize("the size of a block", [](auto a, auto b) { return fmt::format("write block({} * {})", a, b); })
            : parseSize("the width of a spawn", [](auto a, auto) {
                return fmt::format("write width({}), for what a CPU runs at once; threads in rows are spawn (w, h)", a);
              });
  if (block || width)
    size = read;
  return true;
}

// `partition` is a name like others, of a type, too. A body that begins with it goes on otherwise.
bool Parser::atPartition() const {
  if (!at(Tok::Identifier) || spell(peek()) != "partition")
    return false;
  Tok next = peek(1).kind;
  return next == Tok::LBrace || (next < Tok::LParen && next != Tok::Error && next != Tok::End && !isTypeName(0));
}

void Parser::parsePartition(Stmt& spawn) {
  const Token& word = advance();
  if (spawn.is_partition)
    error(Diag::partition_twice, word.range);
  spawn.is_partition = true;
}

// `width` is a name like others: a body may call a function of that name. There `;` or an operator follows.
bool Parser::atWidth() const {
  if (!at(Tok::Identifier) || spell(peek()) != "width" || peek(1).kind != Tok::LParen)
    return false;
  Tok next = peek(afterBalanced(1)).kind;
  return next == Tok::LBrace || next < Tok::LParen;
}

// lanes(4) { … }: no call, and nothing else that a body begins with.
bool Parser::atUnknownProperty() const {
  return at(Tok::Identifier) && peek(1).kind == Tok::LParen && peek(afterBalanced(1)).kind == Tok::LBrace;
}

Stmt* Parser::parseBarrier() {
  Stmt* stmt = newStmt(Stmt::Barrier, advance().range);
  if (at(Tok::LParen)) {
    const Token& open = advance();
    stmt->reassigned = at(Tok::Identifier) && spell(peek()) == "RANK_REASSIGNED";
    if (stmt->reassigned)
      advance();
    else if (const ForeignWord* fence = at(Tok::Identifier) ? findForeignWord(spell(peek())) : nullptr)
      error(Diag::foreign_word, peek().range, fence->name, fence->help);
    else if (!at(Tok::RParen))
      error(Diag::barrier_argument, peek().range, describe(peek()));
    expectClose(Tok::RParen, open);
  }
  expectSemicolon();
  return stmt;
}

// Its braces are no scope, nor are those of par: what they declare, the statements after them see.
Stmt* Parser::parseRequire() {
  Stmt* stmt = newStmt(Stmt::Require, advance().range);
  stmt->body = at(Tok::LBrace) ? parseBlock(false) : parseStatement();
  return stmt;
}

Stmt* Parser::parsePar() {
  Stmt* stmt = newStmt(Stmt::Par, advance().range);
  stmt->body = parseBlock(false);
  return stmt;
}

} // namespace bsgp

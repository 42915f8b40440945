// The text form of typed trees: expressions as C writes them, a line per statement, what is in it indented.
//
// Nothing is taken from the program's text, so trees made without one print as well. Conversions stand as casts, numbers
// say their type (2L, 2.0f), a host variable in device code says the require that it is seen after: n@0.
#pragma once

#include <string>
#include <unordered_map>

#include "sema/program.h"
#include "support/source.h"

namespace bsgp::sema {

// Different names for things with the same name: x, x.2, x.3, in the order in which they are first asked for.
class Names {
public:
  explicit Names(Names* outer = nullptr) : outer_(outer) {} // what outer knows keeps its name

  const std::string& of(const void* thing, std::string_view name);

private:
  const std::string* known(const void* thing) const;
  unsigned count(const std::string& name) const;

  Names* outer_;
  std::unordered_map<const void*, std::string> names_;
  std::unordered_map<std::string, unsigned> counts_;
};

class TreeText {
public:
  // Lines go to the end of `out`. Notes of places leave the file out where it is that of `home`, and not the library's.
  TreeText(std::string& out, const SourceManager& sources, SourcePos home, Names& functions)
      : out_(out), sources_(sources), home_(home), functions_(functions) {}

  void use(Names& variables) { variables_ = &variables; }
  std::string text(const Expr* e);
  std::string declared(const Variable* v); // its type and name
  std::string nameOf(const Function* f);
  void line(std::string_view text, SourceRange at = {}, std::string_view note = {}); // a note: behind the place
  void statement(const Stmt* s, std::string_view note = {});
  void function(const Function& f); // its parameters get names from use()
  void indent() { ++indent_; }
  void unindent() { --indent_; }

private:
  // expr_text.cpp
  void append(const Expr* e);
  void operand(const Expr* e, bool behind = false);
  void list(std::span<Expr* const> parts);
  void infix(const Expr* a, std::string_view between, const Expr* b);
  bool prefix(const Expr* e);
  void access(const Expr* e);
  void leaf(const Expr& e);
  void builtin(const Expr& e);
  void inlineAssembly(const Expr& e);
  void call(const Expr& e);
  void assignment(const Expr* e);
  void appendOperator(const Expr& e);
  // tree_text.cpp
  void body(const Stmt* s);
  void statements(std::span<Stmt* const> list);
  void ifStatement(const Stmt& s, std::string_view note);
  void loop(const Stmt& s, std::string_view note);
  void switchStatement(const Stmt& s, std::string_view note);
  std::string heading(const Stmt& s);

  std::string& out_;
  const SourceManager& sources_;
  SourcePos home_;
  Names& functions_;
  Names* variables_ = nullptr;
  std::string text_; // of the expression being written
  size_t indent_ = 0;
};

// A number as the type has it: 2u, 2L, 2.0f, true.
std::string numberText(const Type* scalar, const ConstValue& value);

} // namespace bsgp::sema

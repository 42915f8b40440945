// Nodes of a tree, made of JSON: [kind, begin, end, part ...]. begin and end count the bytes of all texts, one after the other, each with
// one more for its end.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "compile/source.h"

namespace bsgp::compile {

// Thrown where a node has not the form of its kind.
struct WrongNode {
  std::string message;
  SourceRange place;
};

class JsonNodes {
public:
  JsonNodes(TreeMaker& maker, const std::vector<Text>& texts);

  ast::Program* program(const nlohmann::json& items);

private:
  using Json = nlohmann::json;
  struct Node; // a node's kind, place and parts

  Node node(const Json& of) const;
  SourceRange place(const Json& begin, const Json& end) const;

  ast::TypeExpr* type(const Json& of);
  ast::TypeExpr* typeOrNone(const Json& of);
  ast::Expr* expression(const Json& of);
  ast::Expr* expressionOrNone(const Json& of);
  std::vector<ast::Expr*> expressions(const Json& list);
  ast::Expr* operation(const Node& n);
  ast::Expr* leaf(const Node& n);
  ast::Expr* lambda(const Node& n);
  ast::Stmt* statement(const Json& of);
  ast::Stmt* statementOrNone(const Json& of);
  std::vector<ast::Stmt*> statements(const Json& list);
  ast::Stmt* controlFlow(const Node& n);
  ast::Stmt* declaration(const Node& n);
  ast::Stmt* spawned(const Node& n);
  std::vector<ast::Param> parameters(const Json& list);
  void function(const Node& n, std::vector<ast::TopLevel>& to);
  ast::Struct* structure(const Node& n);

  ast::Builder& b_;
  std::vector<SourcePos> texts_;
  std::vector<uint64_t> begins_; // of the texts, as nodes count
};

} // namespace bsgp::compile

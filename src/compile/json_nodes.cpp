#include "compile/json_nodes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bsgp::compile {

using ast::BinaryOp;
using ast::Expr;
using ast::Stmt;
using ast::TypeExpr;
using ast::UnaryOp;

// The parts stand behind the kind and the place.
struct JsonNodes::Node {
  const Json& all;
  const std::string& kind;
  SourceRange at;

  [[noreturn]] void refuse(const std::string& words) const {
    std::string text = all.dump(-1, ' ', false, Json::error_handler_t::replace);
    throw WrongNode{fmt::format("node '{}' {}: {}", kind, words, text.substr(0, 120)), at};
  }
  const Json& part(size_t i) const {
    if (3 + i >= all.size())
      refuse(fmt::format("lacks part {}", i + 1));
    return all[3 + i];
  }
  const Json& optional(size_t i) const {
    static const Json none;
    return 3 + i < all.size() ? all[3 + i] : none;
  }
  const std::string& text(size_t i) const {
    if (!part(i).is_string())
      refuse(fmt::format("has no text as part {}", i + 1));
    return part(i).get_ref<const std::string&>();
  }
  bool flag(size_t i) const { return optional(i).is_boolean() && optional(i).get<bool>(); }
  template <class Op> Op operation(size_t i, Op last) const {
    for (int op = 0; op <= int(last); ++op)
      if (text(i) == spelling(Op(op)))
        return Op(op);
    refuse("has an unknown operator");
  }
};

JsonNodes::JsonNodes(TreeMaker& maker, const std::vector<Text>& texts) : b_(maker.nodes), texts_(maker.texts) {
  uint64_t begin = 0;
  for (const Text& each : texts) {
    begins_.push_back(begin);
    begin += each.text.size() + 1;
  }
  begins_.push_back(begin);
}

SourceRange JsonNodes::place(const Json& begin, const Json& end) const {
  if (!begin.is_number_unsigned() || !end.is_number_unsigned())
    return {};
  auto from = begin.get<uint64_t>(), to = end.get<uint64_t>();
  auto text = size_t(std::upper_bound(begins_.begin(), begins_.end(), from) - begins_.begin()) - 1;
  if (from >= begins_.back() || to < from || to >= begins_[text + 1])
    return {};
  return {SourcePos(texts_[text] + (from - begins_[text])), SourcePos(texts_[text] + (to - begins_[text]))};
}

JsonNodes::Node JsonNodes::node(const Json& of) const {
  if (!of.is_array() || of.size() < 3 || !of[0].is_string())
    throw WrongNode{"this is no node: " + of.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 120), {}};
  Node made{of, of[0].get_ref<const std::string&>(), place(of[1], of[2])};
  if (!made.at.valid())
    made.refuse("has its place outside of the texts");
  return made;
}

// ---- types

TypeExpr* JsonNodes::type(const Json& of) {
  Node n = node(of);
  if (n.kind == "type")
    return b_.named(n.text(0), n.at);
  if (n.kind == "auto")
    return b_.automatic(n.at);
  if (n.kind == "open")
    return b_.open(n.at);
  if (n.kind == "const")
    return b_.constant(type(n.part(0)));
  if (n.kind == "array")
    return b_.array(type(n.part(0)), expression(n.part(1)), n.at);
  if (n.kind == "list")
    return b_.list(type(n.part(0)), n.at);
  if (n.kind == "pointer") {
    const Json& space = n.optional(1);
    if (!space.is_null() && space != "host" && space != "device" && space != "shared")
      n.refuse("has an unknown space");
    return b_.pointer(type(n.part(0)), n.at,
                      space == "host"     ? ast::Space::Host
                      : space == "device" ? ast::Space::Device
                      : space == "shared" ? ast::Space::Shared
                                          : ast::Space::Open);
  }
  n.refuse("is no type");
}

TypeExpr* JsonNodes::typeOrNone(const Json& of) {
  return of.is_null() ? nullptr : type(of);
}

// ---- expressions

Expr* JsonNodes::expressionOrNone(const Json& of) {
  return of.is_null() ? nullptr : expression(of);
}

std::vector<Expr*> JsonNodes::expressions(const Json& list) {
  std::vector<Expr*> made;
  for (const Json& each : list)
    made.push_back(expression(each));
  return made;
}

Expr* JsonNodes::leaf(const Node& n) {
  if (n.kind == "name")
    return b_.name(n.text(0), n.at);
  if (n.kind == "thread")
    return b_.thread(n.text(0), n.at);
  if (n.kind == "block")
    return b_.block(n.text(0), n.at);
  if (n.kind == "warp")
    return b_.warp(n.text(0), n.at);
  if (n.kind == "string")
    return b_.string(n.text(0), n.at);
  if (n.kind == "operator")
    return b_.operatorOf(n.operation(0, BinaryOp::Comma), n.at);
  if (n.kind == "bool")
    return b_.boolean(n.flag(0), n.at);
  auto bits = [&] {
    const Json& given = n.optional(1);
    if (!given.is_null() && given != 16 && given != 32 && given != 64)
      n.refuse("has as many bits as no number");
    return given.is_null() ? uint8_t(0) : given.get<uint8_t>();
  };
  if (n.kind == "int" && n.part(0).is_number_unsigned())
    return b_.integer(n.part(0).get<uint64_t>(), n.at, bits());
  if (n.kind != "real")
    return nullptr;
  const Json& value = n.part(0);
  return b_.real(value == "inf"      ? double(INFINITY)
                 : value == "nan"    ? double(NAN)
                 : value.is_number() ? value.get<double>()
                                     : (n.refuse("has no number"), 0.0),
                 n.at, bits());
}

Expr* JsonNodes::lambda(const Node& n) {
  std::vector<std::string_view> copies;
  for (const Json& each : n.part(2))
    copies.push_back(each.get_ref<const std::string&>());
  return b_.lambda(parameters(n.part(0)), statement(n.part(1)), copies, n.at);
}

Expr* JsonNodes::operation(const Node& n) {
  if (n.kind == "unary")
    return b_.unary(n.operation(0, UnaryOp::PostDec), expression(n.part(1)), n.at);
  if (n.kind == "binary")
    return b_.binary(n.operation(0, BinaryOp::Comma), expression(n.part(1)), expression(n.part(2)), n.at);
  if (n.kind == "assign")
    return b_.assign(expression(n.part(0)), expression(n.part(1)), n.at);
  if (n.kind == "update")
    return b_.update(n.operation(0, BinaryOp::Comma), expression(n.part(1)), expression(n.part(2)), n.at);
  if (n.kind == "choose")
    return b_.choose(expression(n.part(0)), expression(n.part(1)), expression(n.part(2)), n.at);
  if (n.kind == "call")
    return b_.call(expression(n.part(0)), expressions(n.part(1)), n.at);
  if (n.kind == "index")
    return b_.index(expression(n.part(0)), expressions(n.part(1)), n.at);
  if (n.kind == "member")
    return b_.member(expression(n.part(0)), n.text(1), n.at);
  if (n.kind == "cast")
    return b_.cast(type(n.part(0)), expression(n.part(1)), n.at);
  if (n.kind == "construct")
    return b_.construct(type(n.part(0)), expressions(n.part(1)), n.at);
  if (n.kind == "values")
    return b_.values(expressions(n.part(0)), n.at);
  if (n.kind == "new" && n.text(0) != "host" && n.text(0) != "device" && n.text(0) != "temporary")
    n.refuse("is of no memory that there is");
  if (n.kind == "new")
    return b_.allocate(n.text(0) == "host"     ? Expr::Host
                       : n.text(0) == "device" ? Expr::Device
                                               : Expr::DeviceTemp,
                       type(n.part(1)), expressions(n.part(2)), n.at);
  if (n.kind == "lambda")
    return lambda(n);
  return nullptr;
}

Expr* JsonNodes::expression(const Json& of) {
  Node n = node(of);
  Expr* made = leaf(n);
  if (!made)
    made = operation(n);
  return made ? made : (n.refuse("is no expression"), nullptr);
}

// ---- statements

Stmt* JsonNodes::statementOrNone(const Json& of) {
  return of.is_null() ? nullptr : statement(of);
}

std::vector<Stmt*> JsonNodes::statements(const Json& list) {
  std::vector<Stmt*> made;
  for (const Json& each : list)
    made.push_back(statement(each));
  return made;
}

Stmt* JsonNodes::controlFlow(const Node& n) {
  if (n.kind == "if")
    return b_.branch(expression(n.part(0)), statement(n.part(1)), statementOrNone(n.optional(2)), n.at);
  if (n.kind == "for")
    return b_.loop(statementOrNone(n.part(0)), expressionOrNone(n.part(1)), expressionOrNone(n.part(2)),
                   statement(n.part(3)), n.at);
  if (n.kind == "while")
    return b_.loopWhile(expression(n.part(0)), statement(n.part(1)), n.at);
  if (n.kind == "dowhile")
    return b_.doWhile(statement(n.part(0)), expression(n.part(1)), n.at);
  if (n.kind == "unrolled")
    return b_.unrolled(statement(n.part(0)), expressionOrNone(n.optional(1)));
  if (n.kind == "wavefront")
    return b_.wavefront(statement(n.part(0)));
  if (n.kind == "break")
    return b_.leave(n.at);
  if (n.kind == "continue")
    return b_.next(n.at);
  if (n.kind == "return")
    return b_.giveBack(expressionOrNone(n.optional(0)), n.at);
  return nullptr;
}

Stmt* JsonNodes::declaration(const Node& n) {
  if (n.kind == "declare")
    return b_.declare(type(n.part(0)), n.text(1), expressionOrNone(n.optional(2)), n.at);
  if (n.kind == "reference")
    return b_.reference(type(n.part(0)), n.text(1), expression(n.part(2)), n.at);
  if (n.kind == "shared")
    return b_.shared(type(n.part(0)), n.text(1), n.at);
  return nullptr;
}

Stmt* JsonNodes::spawned(const Node& n) {
  if (n.kind == "spawn")
    return b_.spawn(expressions(n.part(0)), statement(n.part(1)), n.at, expressionOrNone(n.optional(2)),
                    expressionOrNone(n.optional(3)));
  if (n.kind == "partition")
    return b_.partition(statement(n.part(0)));
  if (n.kind == "barrier")
    return b_.barrier(n.at, n.flag(0));
  if (n.kind == "require")
    return b_.require(statements(n.part(0)), n.at);
  if (n.kind == "par")
    return b_.par(statements(n.part(0)), n.at);
  return nullptr;
}

Stmt* JsonNodes::statement(const Json& of) {
  Node n = node(of);
  if (n.kind == "do")
    return b_.expression(expression(n.part(0)));
  if (n.kind == "braces")
    return b_.block(statements(n.part(0)), n.at);
  for (auto make : {&JsonNodes::controlFlow, &JsonNodes::declaration, &JsonNodes::spawned})
    if (Stmt* made = (this->*make)(n))
      return made;
  n.refuse("is no statement");
}

// ---- the program

std::vector<ast::Param> JsonNodes::parameters(const Json& list) {
  std::vector<ast::Param> made;
  for (const Json& each : list) {
    Node n = node(each);
    made.push_back(b_.parameter(type(n.part(0)), n.text(1), n.at, n.flag(2)));
  }
  return made;
}

// ["function", begin, end, name, result, parameters, body, {"export": true, "inline": true, "identity": e, "commutative": true}]
void JsonNodes::function(const Node& n, std::vector<ast::TopLevel>& to) {
  ast::Function* made =
      b_.function(typeOrNone(n.part(1)), n.text(0), parameters(n.part(2)), statement(n.part(3)), n.at);
  const Json& facts = n.optional(4);
  auto isSet = [&](const char* name) { return facts.is_object() && facts.value(name, false); };
  made->is_export = isSet("export");
  made->is_inline = isSet("inline");
  to.push_back(b_.item(made));
  if (facts.is_object() && facts.contains("identity"))
    for (ast::Function* each : b_.identity(*made, expression(facts["identity"]), isSet("commutative"), n.at))
      to.push_back(b_.item(each));
}

ast::Struct* JsonNodes::structure(const Node& n) {
  std::vector<ast::Declarator> fields;
  for (const Json& each : n.part(1)) {
    Node field = node(each);
    fields.push_back(b_.field(type(field.part(0)), field.text(1), field.at));
  }
  return b_.structure(n.text(0), fields, n.at);
}

ast::Program* JsonNodes::program(const Json& items) {
  if (!items.is_array())
    throw WrongNode{"the program is no list", {}};
  try {
    std::vector<ast::TopLevel> all;
    for (const Json& each : items) {
      Node n = node(each);
      if (n.kind == "function")
        function(n, all);
      else if (n.kind == "struct")
        all.push_back(b_.item(structure(n)));
      else
        n.refuse("is neither a function nor a struct");
    }
    return b_.program(all);
  } catch (const Json::exception& wrong) {
    throw WrongNode{wrong.what(), {}};
  }
}

} // namespace bsgp::compile

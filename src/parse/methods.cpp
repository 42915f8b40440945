// Functions inside a struct: S.f with a parameter `this` in front, a reference to the struct. In their bodies the names
// of fields, and calls of other such functions, are those of `this`, where no parameter or variable of the name hides
// them.
#include <unordered_map>

#include "parse/parser.h"

namespace bsgp {

using ast::Expr;
using ast::Stmt;
using ast::TypeExpr;

namespace {

// One walk over a method, with its scopes: the braces of par and require are none.
class FieldNames {
public:
  using Lambdas = std::unordered_map<std::string_view, std::vector<ast::Function*>>;

  FieldNames(Arena& arena, const std::unordered_set<std::string_view>& fields,
             const std::unordered_set<std::string_view>& methods, const Lambdas& lambdas)
      : arena_(arena), fields_(fields), methods_(methods), lambdas_(lambdas) {}

  void method(ast::Function& function) {
    for (ast::Param& param : function.params) {
      type(param.type);
      hide(param.name);
    }
    type(function.result);
    statement(function.body);
  }

private:
  void hide(std::string_view name) {
    ++hidden_[name];
    visible_.push_back(name);
  }
  template <class F> void scope(const F& inside) {
    size_t mark = visible_.size();
    inside();
    for (; visible_.size() > mark; visible_.pop_back())
      --hidden_[visible_.back()];
  }
  bool means(std::string_view name, const std::unordered_set<std::string_view>& set) const {
    auto hidden = hidden_.find(name);
    return set.count(name) && (hidden == hidden_.end() || !hidden->second);
  }

  void becomeMember(Expr* e) {
    auto* object = arena_.make<Expr>();
    object->kind = Expr::Name, object->range = e->range, object->name = "this";
    e->kind = Expr::Member, e->a = object;
  }

  void expression(Expr* e) {
    if (!e)
      return;
    if (e->kind == Expr::Call && e->a->kind == Expr::Name && means(e->a->name, methods_))
      becomeMember(e->a);
    else
      expression(e->a);
    if (e->kind == Expr::Name && means(e->name, fields_))
      becomeMember(e);
    if (e->kind == Expr::Lambda)
      for (ast::Function* part : lambdas_.at(e->name))
        scope([&] { method(*part); });
    expression(e->b), expression(e->c);
    for (Expr* argument : e->args)
      expression(argument);
    type(e->type);
  }

  void type(TypeExpr* t) {
    for (; t; t = t->inner) {
      expression(t->count);
      for (TypeExpr* argument : t->args)
        type(argument);
    }
  }

  void list(std::span<Stmt*> stmts) {
    for (Stmt* s : stmts)
      statement(s);
  }

  void statement(Stmt* s) {
    if (!s)
      return;
    bool is_scope = s->kind == Stmt::Block || s->kind == Stmt::For || s->kind == Stmt::Spawn;
    is_scope ? scope([&] { parts(s); }) : parts(s);
  }

  void parts(Stmt* s) {
    statement(s->init);
    expression(s->expr), expression(s->count), expression(s->step);
    for (Expr* extent : s->extents)
      expression(extent);
    for (ast::Declarator& d : s->decls) {
      type(d.type), expression(d.init);
      hide(d.name);
    }
    bool open = (s->kind == Stmt::Par || s->kind == Stmt::Require) && s->body && s->body->kind == Stmt::Block;
    open ? list(s->body->stmts) : statement(s->body);
    statement(s->otherwise);
    list(s->stmts);
    for (auto operands : {s->outputs, s->inputs})
      for (ast::AsmOperand& operand : operands)
        expression(operand.value);
  }

  Arena& arena_;
  const std::unordered_set<std::string_view>&fields_, &methods_;
  const Lambdas& lambdas_;
  std::unordered_map<std::string_view, unsigned> hidden_; // how often, here
  std::vector<std::string_view> visible_;
};

} // namespace

// At a function's name, in a struct.
void Parser::parseMethod(const ast::Struct& owner, const Specifiers& specifiers, TypeExpr* result) {
  if (at(Tok::Operator))
    return rejectOperatorInStruct();
  if (owner.name.find('#') != std::string_view::npos)
    return rejectFunctionInStruct(Diag::method_of_unnamed, peek().range);
  rejectSpecifiers(specifiers, "a function of a struct", false, true);
  if (specifiers.export_at.valid())
    complain(Diag::misplaced_specifier, specifiers.export_at, "export", "a function of a struct",
             "write an exported function that calls it");
  owner_ = &owner;
  parseFunction(specifiers, result);
}

void Parser::rejectFunctionInStruct(Diag kind, SourceRange range) {
  complain(kind, range);
  skipFunctionInStruct();
}

void Parser::skipFunctionInStruct() {
  while (!at(Tok::LParen) && !at(Tok::End))
    advance();
  skipBalanced();
  accept(Tok::Const);
  if (at(Tok::LBrace))
    skipBalanced();
  accept(Tok::Semicolon);
}

// In front of the parameters as written. `const` behind them: it changes nothing in the struct.
void Parser::addThis(ast::Function& function, const ast::Struct& owner) {
  TypeExpr* type = typeOfOwner(owner, function.range);
  type->is_const = accept(Tok::Const);
  std::vector<ast::Param> parameters{{"this", function.range, type, true}};
  parameters.insert(parameters.end(), function.params.begin(), function.params.end());
  function.params = keep(parameters);
  function.is_method = true;
  function.of_generic = !owner.params.empty();
  methods_.push_back(&function);
}

// When all of the struct is known.
void Parser::finishMethods(ast::Struct& owner) {
  std::unordered_set<std::string_view> fields, methods;
  for (const ast::Declarator& field : owner.fields)
    fields.insert(field.name);
  for (ast::Function* method : methods_) {
    std::string_view name = method->name.substr(owner.name.size() + 1);
    if (fields.count(name))
      complain(Diag::method_and_field, method->range, name);
    methods.insert(name);
  }
  for (ast::Function* method : methods_)
    FieldNames(arena_, fields, methods, lambdas_).method(*method);
  if (!owner.params.empty())
    owner.methods = keep(methods_);
  methods_.clear();
}

} // namespace bsgp

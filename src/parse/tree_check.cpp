#include "parse/tree_check.h"

#include <unordered_set>

#include <fmt/format.h>

#include "parse/parser.h"

namespace bsgp {

using ast::Expr;
using ast::Stmt;
using ast::TypeExpr;

namespace {

enum Parts : unsigned { A = 1, B = 2, C = 4, Type = 8, Name = 16, ExprPart = 32, Body = 64, Inner = 128, Count = 256 };

struct Shape {
  const char* kind;
  unsigned parts; // that it must have
};

// In the order of the kinds.
constexpr Shape kExprs[] = {
    {"IntLit", 0},
    {"FloatLit", 0},
    {"CharLit", 0},
    {"StringLit", 0},
    {"BoolLit", 0},
    {"Null", 0},
    {"Name", Name},
    {"OperatorRef", 0},
    {"Lambda", Name},
    {"Unary", A},
    {"Binary", A | B},
    {"Assign", A | B},
    {"Conditional", A | B | C},
    {"Call", A},
    {"Construct", Type},
    {"Index", A | B},
    {"Member", A | Name},
    {"Arrow", A | Name},
    {"Cast", A | Type},
    {"SizeofType", Type},
    {"SizeofExpr", A},
    {"New", Type},
    {"Delete", A},
    {"Thread", Name},
    {"Block", Name},
    {"Warp", Name},
    {"InitList", 0},
    {"Error", 0},
};
static_assert(std::size(kExprs) == Expr::Error + 1);

constexpr Shape kStmts[] = {
    {"Empty", 0},
    {"ExprStmt", ExprPart},
    {"Decl", 0},
    {"Block", 0},
    {"If", ExprPart | Body},
    {"For", Body},
    {"While", ExprPart | Body},
    {"Do", ExprPart | Body},
    {"Switch", ExprPart | Body},
    {"Case", ExprPart},
    {"Default", 0},
    {"Break", 0},
    {"Continue", 0},
    {"Return", 0},
    {"Spawn", ExprPart | Body},
    {"Barrier", 0},
    {"Require", Body},
    {"Par", Body},
    {"Asm", ExprPart},
};
static_assert(std::size(kStmts) == Stmt::Asm + 1);

constexpr Shape kTypes[] = {
    {"Named", Name}, {"Pointer", Inner}, {"Array", Inner}, {"DList", Inner},  {"View", Inner},
    {"Auto", 0},     {"TypeOf", Count},  {"Open", 0},      {"Generic", Name}, {"Number", Count},
};
static_assert(std::size(kTypes) == TypeExpr::Number + 1);

// Walks with a stack of its own: nothing bounds the depth yet.
class TreeCheck {
public:
  TreeCheck(SourceRange text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  std::string program(const ast::Program& program) {
    for (const ast::TopLevel& item : program.items)
      if (item.node && item.kind == ast::TopLevel::Function)
        functions_.insert(item.as<ast::Function>().name);
    for (const ast::TopLevel& item : program.items) {
      if (!item.node || !items_.insert(item.node).second)
        fail({}, item.node ? "a part of the program stands in it twice" : "a part of the program is null");
      else
        add(item);
      run();
    }
    return failure_;
  }

private:
  struct Node {
    const Stmt* stmt;
    const Expr* expr;
    const TypeExpr* type;
    unsigned depth;
  };

  void fail(SourceRange at, const std::string& what) {
    if (!failure_.empty())
      return;
    LineColumn place = diagnostics_.sources().at(lies(at) ? at.begin : text_.begin);
    failure_ = lies(at) ? fmt::format("{}:{}:{}: {}", place.file, place.line, place.column, what)
                        : fmt::format("{}: {}", place.file, what);
  }
  bool lies(SourceRange at) const { return at.begin >= text_.begin && at.begin <= at.end && at.end <= text_.end; }
  void place(SourceRange at, const std::string& what) {
    if (!lies(at))
      fail({}, what + " has no place in the text");
  }

  // ---- items

  void add(const ast::TopLevel& item) {
    switch (item.kind) {
    case ast::TopLevel::Function:
      return add(item.as<ast::Function>());
    case ast::TopLevel::Struct:
      return add(item.as<ast::Struct>());
    case ast::TopLevel::Enum:
      for (const ast::Enumerator& value : item.as<ast::Enum>().items) {
        name(value.name, value.range, "an enumerator");
        add(value.value);
      }
      return place(item.as<ast::Enum>().range, "an enumeration");
    case ast::TopLevel::Typedef:
      name(item.as<ast::Typedef>().name, item.as<ast::Typedef>().range, "an alias");
      return need(item.as<ast::Typedef>().type, item.as<ast::Typedef>().range, "an alias", "type");
    case ast::TopLevel::Global:
      return add(item.as<ast::Global>().decl, "a global");
    case ast::TopLevel::StaticAssert:
      return add(&item.as<Expr>());
    case ast::TopLevel::Library:
      if (item.as<Expr>().kind != Expr::StringLit)
        fail(item.as<Expr>().range, "the name of a library is no StringLit");
      return add(&item.as<Expr>());
    }
    fail({}, "a part of the program has no kind");
  }

  void name(std::string_view name, SourceRange at, const std::string& what) {
    place(at, what);
    if (name.empty())
      fail(at, what + " has no name");
  }

  void add(const ast::Declarator& d, const std::string& what) {
    name(d.name, d.range, what);
    need(d.type, d.range, what, "type");
    add(d.init);
  }

  void add(const ast::Struct& structure) {
    name(structure.name, structure.range, "a struct");
    if (isNormalizedName(structure.name))
      diagnostics_.report(Diag::builtin_type_name, structure.range, structure.name);
    for (const ast::Declarator& field : structure.fields)
      add(field, "a field");
    for (const ast::TypeParam& parameter : structure.params)
      name(parameter.name, parameter.range, "a type parameter");
  }

  void add(const ast::Function& function) {
    if (function.is_export && !function.body)
      fail(function.range, "an exported Function has no body");
    name(function.name, function.range, "a function");
    for (const ast::Param& param : function.params) {
      place(param.range, "a parameter");
      if (param.name.empty() && function.body)
        fail(param.range, "a parameter has no name");
      need(param.type, param.range, "a parameter", "type");
      add(param.otherwise);
    }
    if (function.result)
      add(function.result);
    bool this_first = !function.params.empty() && function.params[0].name == "this" && function.params[0].by_reference;
    if (function.is_method && (!this_first || function.name.find('.') == std::string_view::npos))
      fail(function.range, "a function of a struct is no Builder::method");
    if (function.is_variadic && !function.is_extern)
      diagnostics_.report(Diag::variadic_not_extern, function.range);
    if (function.captured)
      fail(function.range, "Function::captured is set");
    if (const ast::Param* twice = secondOfName(function))
      diagnostics_.report(Diag::variable_redefined, twice->range, twice->name);
    add(function.body);
  }

  // ---- nodes

  void add(const Stmt* stmt, unsigned depth = 0) {
    if (stmt)
      pending_.push_back({stmt, nullptr, nullptr, depth});
  }
  void add(const Expr* expr, unsigned depth = 0) {
    if (expr)
      pending_.push_back({nullptr, expr, nullptr, depth});
  }
  void add(const TypeExpr* type, unsigned depth = 0) {
    if (type)
      pending_.push_back({nullptr, nullptr, type, depth});
  }
  template <class T>
  void need(const T* part, SourceRange at, const std::string& what, const char* which, unsigned depth = 0) {
    if (!part)
      fail(at, what + " has no " + which);
    add(part, depth);
  }
  template <class T>
  void either(bool needed, const T* part, SourceRange at, const std::string& what, const char* which, unsigned depth) {
    needed ? need(part, at, what, which, depth) : add(part, depth);
  }

  void run() {
    while (!pending_.empty()) {
      Node node = pending_.back();
      pending_.pop_back();
      const void* key = node.stmt ? node.stmt : node.expr ? node.expr : static_cast<const void*>(node.type);
      SourceRange at = node.stmt ? node.stmt->range : node.expr ? node.expr->range : node.type->range;
      if (!seen_.insert(key).second)
        fail(at, "a node stands in it twice");
      else if (node.depth >= kMaxTreeDepth)
        diagnostics_.report(Diag::nesting_too_deep, at, kMaxTreeDepth);
      else if (node.stmt)
        check(*node.stmt, node.depth + 1);
      else if (node.expr)
        check(*node.expr, node.depth + 1);
      else
        check(*node.type, node.depth + 1);
    }
  }

  void check(const Expr& e, unsigned depth) {
    if (size_t(e.kind) >= std::size(kExprs))
      return fail(e.range, "an Expr has no kind");
    const auto& [kind, parts] = kExprs[e.kind];
    std::string what = std::string("Expr::") + kind;
    place(e.range, what);
    either(parts & A, e.a, e.range, what, "a", depth);
    either(parts & B, e.b, e.range, what, "b", depth);
    either(parts & C, e.c, e.range, what, "c", depth);
    either(parts & Type, e.type, e.range, what, "type", depth);
    if ((parts & Name) && e.name.empty())
      fail(e.range, what + " has no name");
    for (const Expr* argument : e.args)
      need(argument, e.range, what, "argument where one stands", depth);
    checkValues(e, what);
  }

  void checkValues(const Expr& e, const std::string& what) {
    bool has_binary = e.kind == Expr::Binary || e.kind == Expr::OperatorRef || (e.kind == Expr::Assign && e.has_op);
    if (has_binary && e.binary > ast::BinaryOp::Comma)
      fail(e.range, what + " has no operator");
    if (e.kind == Expr::Unary && e.unary > ast::UnaryOp::PostDec)
      fail(e.range, what + " has no operator");
    if (e.kind == Expr::IntLit && e.literal_bits != 0 && e.literal_bits != 32 && e.literal_bits != 64)
      fail(e.range, what + " has other bits than 0, 32 or 64");
    if (e.kind == Expr::FloatLit && e.literal_bits != 0 && e.literal_bits != 16 && e.literal_bits != 32 &&
        e.literal_bits != 64)
      fail(e.range, what + " has other bits than 0, 16, 32 or 64");
    if (e.kind == Expr::Lambda && !functions_.count(e.name))
      fail(e.range, what + " names no function of the program");
    if (e.kind == Expr::Error)
      fail(e.range, "Expr::Error is for the parser");
    bool of_view = e.kind == Expr::Index || e.kind == Expr::New;
    if (of_view && e.args.size() >= ast::kMostExtents)
      fail(e.range, what + " has more than three numbers");
    if (of_view && !e.args.empty() && !e.a)
      fail(e.range, what + " has no a");
  }

  void check(const Stmt& s, unsigned depth) {
    if (size_t(s.kind) >= std::size(kStmts))
      return fail(s.range, "a Stmt has no kind");
    const auto& [kind, parts] = kStmts[s.kind];
    std::string what = std::string("Stmt::") + kind;
    place(s.range, what);
    either(parts & ExprPart, s.expr, s.range, what, "expr", depth);
    either(parts & Body, s.body, s.range, what, "body", depth);
    add(s.count, depth), add(s.step, depth), add(s.init, depth), add(s.otherwise, depth);
    for (const Expr* extent : s.extents)
      need(extent, s.range, what, "extent where one stands", depth);
    for (const Stmt* part : s.stmts)
      need(part, s.range, what, "statement where one stands", depth);
    for (const ast::Declarator& d : s.decls) {
      name(d.name, d.range, "a variable");
      need(d.type, d.range, "a variable", "type", depth);
      add(d.init, depth);
    }
    checkForm(s, what);
    if (s.kind == Stmt::Asm)
      checkAsm(s, depth);
  }

  void checkForm(const Stmt& s, const std::string& what) {
    bool block = s.body && s.body->kind == Stmt::Block;
    if ((s.kind == Stmt::Switch || s.kind == Stmt::Par) && s.body && !block)
      fail(s.range, what + " has a body that is no Block");
    if (s.extents.size() >= ast::kMostExtents)
      fail(s.range, what + " has more than three extents");
    if (s.kind == Stmt::Decl && s.decls.empty())
      fail(s.range, what + " declares nothing");
    if (s.kind == Stmt::For && s.init && s.init->kind != Stmt::Decl && s.init->kind != Stmt::ExprStmt)
      fail(s.range, what + " begins with neither Decl nor ExprStmt");
    if (s.unrolled && !ast::isLoop(s))
      fail(s.range, what + " is unrolled, and no loop");
    if (s.is_wavefront && !ast::isLoop(s))
      fail(s.range, what + " is a wavefront, and no loop");
    if (s.is_wavefront && s.unrolled)
      fail(s.range, what + " is a wavefront, and unrolled");
    if (s.kind == Stmt::Switch && block)
      for (const Stmt* part : s.body->stmts)
        cases_.insert(part);
    if ((s.kind == Stmt::Case || s.kind == Stmt::Default) && !cases_.count(&s))
      diagnostics_.report(Diag::case_outside_switch, s.range, s.kind == Stmt::Case ? "case" : "default");
  }

  void checkAsm(const Stmt& s, unsigned depth) {
    if (!s.otherwise)
      diagnostics_.report(Diag::asm_without_else, s.range);
    std::vector<const Expr*> texts{s.expr};
    texts.insert(texts.end(), s.clobbers.begin(), s.clobbers.end());
    for (auto operands : {s.outputs, s.inputs})
      for (const ast::AsmOperand& operand : operands) {
        texts.push_back(operand.constraint);
        need(operand.value, s.range, "an operand", "value", depth);
      }
    for (const Expr* text : texts)
      if (!text || text->kind != Expr::StringLit)
        fail(s.range, "a text of Stmt::Asm is no StringLit");
  }

  void check(const TypeExpr& t, unsigned depth) {
    if (size_t(t.kind) >= std::size(kTypes))
      return fail(t.range, "a TypeExpr has no kind");
    const auto& [kind, parts] = kTypes[t.kind];
    std::string what = std::string("TypeExpr::") + kind;
    place(t.range, what);
    either(parts & Inner, t.inner, t.range, what, "inner", depth);
    either(parts & Count, t.count, t.range, what, "count", depth);
    if ((parts & Name) && t.name.empty())
      fail(t.range, what + " has no name");
    if (t.kind == TypeExpr::View && (t.extents < 2 || t.extents > ast::kMostExtents))
      fail(t.range, what + " has other extents than two or three");
    if (t.space > ast::Space::Shared)
      fail(t.range, what + " has no space");
    for (const TypeExpr* argument : t.args) {
      need(argument, t.range, what, "argument where one stands", depth);
      if (argument && argument->kind == TypeExpr::Number)
        numbers_.insert(argument);
    }
    if (t.kind == TypeExpr::Number && !numbers_.count(&t))
      fail(t.range, what + " is no argument of a generic struct");
  }

  SourceRange text_;
  Diagnostics& diagnostics_;
  std::string failure_; // the first one
  std::vector<Node> pending_;
  std::unordered_set<const void*> seen_, items_, cases_, numbers_;
  std::unordered_set<std::string_view> functions_;
};

} // namespace

const ast::Param* secondOfName(const ast::Function& function) {
  std::unordered_set<std::string_view> names;
  for (const ast::Param& param : function.params)
    if (!param.name.empty() && !names.insert(param.name).second)
      return &param;
  return nullptr;
}

std::string checkTree(const ast::Program& program, SourceRange text, Diagnostics& diagnostics) {
  return TreeCheck(text, diagnostics).program(program);
}

ast::Program* join(const ast::Program& prelude, const ast::Program& main, Arena& arena) {
  std::vector<ast::TopLevel> items(prelude.items.begin(), prelude.items.end());
  items.insert(items.end(), main.items.begin(), main.items.end());
  auto* program = arena.make<ast::Program>();
  program->items = arena.keep(items);
  return program;
}

} // namespace bsgp

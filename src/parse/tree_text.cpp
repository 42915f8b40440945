// The text form of a tree: a line per declaration, parameter and statement, children indented; expressions and types as
// (head parts...) on their line.
#include <fmt/format.h>

#include "parse/parse.h"

namespace bsgp::ast {

const char* spelling(BinaryOp op) {
  static constexpr const char* kSpellings[] = {
      "*", "/", "%", "+", "-", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||", ","};
  return kSpellings[size_t(op)];
}

const char* spelling(UnaryOp op) {
  static constexpr const char* kSpellings[] = {"+", "-", "!", "~", "*", "&", "++", "--", "++", "--"};
  static_assert(std::size(kSpellings) == size_t(UnaryOp::PostDec) + 1);
  return kSpellings[size_t(op)];
}

void appendQuoted(std::string& out, std::string_view bytes) {
  out += '"';
  for (unsigned char c : bytes) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c < 0x20 || c == 0x7f)
      fmt::format_to(std::back_inserter(out), "\\{:03o}", c);
    else
      out += char(c);
  }
  out += '"';
}

namespace {

class Writer {
public:
  explicit Writer(std::string& out) : out_(out) {}

  void item(const TopLevel& top) {
    switch (top.kind) {
    case TopLevel::Function:
      return function(top.as<ast::Function>());
    case TopLevel::Struct:
      return structure(top.as<ast::Struct>());
    case TopLevel::Enum:
      return enumeration(top.as<ast::Enum>());
    case TopLevel::Typedef: {
      auto& node = top.as<ast::Typedef>();
      return line("typedef {} {}", node.name, text(node.type));
    }
    case TopLevel::Global: {
      auto& node = top.as<ast::Global>();
      return line("global {}{}{}", node.is_extern ? "extern " : "", node.is_const ? "const " : "", text(node.decl));
    }
    case TopLevel::StaticAssert:
      return line("{}", text(&top.as<ast::Expr>()));
    case TopLevel::Library:
      return line("library {}", text(&top.as<ast::Expr>()));
    }
  }

private:
  template <class... Args> void line(fmt::format_string<Args...> format, Args&&... args) {
    out_.append(indent_ * 2, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  // ---- types
  std::string text(const TypeExpr* type) {
    if (!type)
      return "none";
    std::string out;
    append(out, type);
    return out;
  }

  void append(std::string& out, const TypeExpr* type) {
    static constexpr const char* kSpaces[] = {"", "host ", "device ", "shared "};
    const char* space = kSpaces[size_t(type->space)];
    if (type->is_const)
      out += "const ";
    switch (type->kind) {
    case TypeExpr::Named:
      out += type->name;
      return;
    case TypeExpr::Auto:
      fmt::format_to(std::back_inserter(out), "{}auto", space);
      return;
    case TypeExpr::Open:
      out += "open";
      return;
    case TypeExpr::Pointer:
      out += fmt::format("({}* ", space);
      break;
    case TypeExpr::Array:
      out += fmt::format("({}array ", space);
      break;
    case TypeExpr::DList:
      out += "(dlist ";
      break;
    case TypeExpr::View:
      out += fmt::format("({}view{} ", space, type->extents);
      break;
    case TypeExpr::TypeOf:
      out += fmt::format("({}typeof ", space);
      break;
    case TypeExpr::Generic:
      out += fmt::format("({}", type->name);
      for (const TypeExpr* argument : type->args)
        append(out += ' ', argument);
      break;
    case TypeExpr::Number:
      return append(out, type->count);
    }
    if (type->inner)
      append(out, type->inner);
    if (type->count && type->inner)
      out += ' ';
    if (type->count)
      append(out, type->count);
    out += ')';
  }

  // ---- expressions
  std::string text(const Expr* expr) {
    std::string out;
    append(out, expr);
    return out;
  }

  [[gnu::noinline]] static void leaf(std::string& out, const Expr& e) {
    auto to = std::back_inserter(out);
    switch (e.kind) {
    case Expr::IntLit:
      fmt::format_to(to, "{}{}{}", e.integer, e.literal_unsigned ? "u" : "", e.literal_bits == 64 ? "l" : "");
      return;
    case Expr::FloatLit:
      fmt::format_to(to, "{:#}{}", e.floating, e.literal_bits == 32 ? "f" : e.literal_bits == 16 ? "h" : "");
      return;
    case Expr::CharLit:
      fmt::format_to(to, "(char {})", int64_t(e.integer));
      return;
    case Expr::BoolLit:
      out += e.integer ? "true" : "false";
      return;
    case Expr::Null:
      out += "null";
      return;
    case Expr::StringLit:
      appendQuoted(out, e.name);
      return;
    case Expr::Thread:
    case Expr::Block:
    case Expr::Warp:
      out += e.kind == Expr::Thread ? "thread." : e.kind == Expr::Block ? "block." : "warp.";
      out += e.name;
      return;
    case Expr::Error:
      out += "error";
      return;
    default:
      out += e.name;
      return;
    }
  }

  // Calls itself to the depth of the tree, so what needs room on the stack is kept out of it.
  void append(std::string& out, const Expr* expr) {
    if (isLeaf(*expr))
      return leaf(out, *expr);
    out += '(';
    appendHead(out, *expr);
    for (const Expr* part : {expr->a, expr->b, expr->c})
      if (part)
        append(out += ' ', part);
    for (const Expr* part : expr->args)
      append(out += ' ', part);
    out += ')';
  }

  static bool isLeaf(const Expr& e) {
    switch (e.kind) {
    case Expr::IntLit:
    case Expr::FloatLit:
    case Expr::CharLit:
    case Expr::StringLit:
    case Expr::BoolLit:
    case Expr::Null:
    case Expr::Name:
    case Expr::Thread:
    case Expr::Block:
    case Expr::Warp:
    case Expr::Error:
      return true;
    default:
      return false;
    }
  }

  [[gnu::noinline]] void appendHead(std::string& out, const Expr& e) {
    static constexpr const char* kNewWords[] = {"new ", "dnew ", "dtempnew "};
    switch (e.kind) {
    case Expr::Lambda:
      out += e.has_op ? "[=] " : "[] ";
      out += e.name;
      return;
    case Expr::OperatorRef:
      out += std::string("operator ") + spelling(e.binary);
      return;
    case Expr::Unary:
      out += e.unary == UnaryOp::PostInc || e.unary == UnaryOp::PostDec ? "post" : "";
      out += spelling(e.unary);
      return;
    case Expr::Binary:
      out += spelling(e.binary);
      return;
    case Expr::Assign:
      out += std::string(e.has_op ? spelling(e.binary) : "") + "=";
      return;
    case Expr::Conditional:
      out += "?:";
      return;
    case Expr::Call:
      out += "call";
      return;
    case Expr::Construct:
      out += "make " + text(e.type);
      return;
    case Expr::Index:
      out += "[]";
      return;
    case Expr::Member:
    case Expr::Arrow:
      (out += e.kind == Expr::Member ? "." : "->") += e.name;
      return;
    case Expr::Cast:
      out += "cast " + text(e.type);
      return;
    case Expr::SizeofType:
      out += "sizeof " + text(e.type);
      return;
    case Expr::SizeofExpr:
      out += "sizeof";
      return;
    case Expr::New:
      out += kNewWords[e.alloc] + text(e.type);
      return;
    case Expr::Delete:
      out += e.alloc == Expr::Host ? "delete" : "dfree";
      return;
    case Expr::InitList:
      out += "list";
      return;
    default:
      return;
    }
  }

  // ---- declarations
  std::string text(const Declarator& declarator) {
    std::string out =
        fmt::format("{}{} {}", declarator.by_reference ? "& " : "", declarator.name, text(declarator.type));
    if (declarator.init) {
      out += " = ";
      append(out, declarator.init);
    }
    return out;
  }

  void function(const ast::Function& f) {
    line("function {}{}{}{}{}{} -> {}", f.is_extern ? "extern " : "", f.is_export ? "export " : "",
         f.is_static ? "static " : "", f.is_inline ? "inline " : "", f.is_strict ? "strict " : "", f.name,
         text(f.result));
    ++indent_;
    for (const Param& param : f.params)
      line("param {}{} {}{}{}", param.by_reference ? "&" : "", param.name, text(param.type),
           param.otherwise ? " = " : "", param.otherwise ? text(param.otherwise) : "");
    if (f.is_variadic)
      line("param ...");
    statement(f.body);
    --indent_;
  }

  void structure(const ast::Struct& node) {
    line("struct {}", node.name);
    ++indent_;
    for (const ast::TypeParam& param : node.params)
      line("type parameter {}{}", param.is_number ? "const " : "", param.name);
    for (const Declarator& field : node.fields)
      line("field {}", text(field));
    --indent_;
  }

  void enumeration(const ast::Enum& node) {
    line("enum{}{}", node.name.empty() ? "" : " ", node.name);
    ++indent_;
    for (const Enumerator& item : node.items)
      line("{}{}{}", item.name, item.value ? " = " : "", item.value ? text(item.value) : "");
    --indent_;
  }

  // ---- statements
  void children(std::initializer_list<const Stmt*> stmts) {
    ++indent_;
    for (const Stmt* stmt : stmts)
      statement(stmt);
    --indent_;
  }

  void labelled(const char* label, const Expr* expr) {
    if (expr)
      line("{} {}", label, text(expr));
  }

  void statement(const Stmt* stmt) {
    if (!stmt)
      return;
    const Stmt& s = *stmt;
    auto with = [&](const Expr* expr) { return expr ? " " + text(expr) : std::string(); };
    std::string extents; // further ones
    for (const Expr* extent : s.extents)
      extents += with(extent);
    switch (s.kind) {
    case Stmt::Empty:
      return line("empty");
    case Stmt::ExprStmt:
      return line("{}", text(s.expr));
    case Stmt::Decl:
      for (const Declarator& declarator : s.decls)
        line("decl {}{}{}", s.is_const ? "const " : "", declarator.is_shared ? "shared " : "", text(declarator));
      return;
    case Stmt::Block:
      line("block");
      ++indent_;
      for (const Stmt* child : s.stmts)
        statement(child);
      --indent_;
      return;
    case Stmt::If:
      return conditional(s);
    case Stmt::For:
      return forLoop(s);
    case Stmt::While:
      line("{}while{}", attributes(s), with(s.expr));
      return children({s.body});
    case Stmt::Do:
      line("{}do-while{}", attributes(s), with(s.expr));
      return children({s.body});
    case Stmt::Switch:
      line("switch{}", with(s.expr));
      return children({s.body});
    case Stmt::Case:
      return line("case{}", with(s.expr));
    case Stmt::Default:
      return line("default");
    case Stmt::Break:
      return line("break");
    case Stmt::Continue:
      return line("continue");
    case Stmt::Return:
      return line("return{}", with(s.expr));
    case Stmt::Spawn:
      line("spawn{}{}{}{}{}{}{}", with(s.expr), extents, s.count ? " block" : "", with(s.count), s.step ? " width" : "",
           with(s.step), s.is_partition ? " partition" : "");
      return children({s.body});
    case Stmt::Barrier:
      return line("barrier{}", s.reassigned ? " RANK_REASSIGNED" : "");
    case Stmt::Require:
      line("require");
      return children({s.body});
    case Stmt::Par:
      line("par");
      return children({s.body});
    case Stmt::Asm:
      return inlineAssembly(s);
    }
  }

  void inlineAssembly(const Stmt& s) {
    line("asm{} {}", s.is_volatile ? " volatile" : "", text(s.expr));
    ++indent_;
    for (const AsmOperand& output : s.outputs)
      line("out {} {}", text(output.constraint), text(output.value));
    for (const AsmOperand& input : s.inputs)
      line("in {} {}", text(input.constraint), text(input.value));
    for (const Expr* clobber : s.clobbers)
      line("clobber {}", text(clobber));
    --indent_;
    line("else");
    children({s.otherwise});
  }

  // The ifs of an else-if chain stand side by side.
  void conditional(const Stmt& first) {
    const Stmt* s = &first;
    line("if {}", text(s->expr));
    children({s->body});
    for (s = s->otherwise; s && s->kind == Stmt::If; s = s->otherwise) {
      line("else if {}", text(s->expr));
      children({s->body});
    }
    if (s) {
      line("else");
      children({s});
    }
  }

  std::string attributes(const Stmt& loop) {
    if (loop.is_wavefront)
      return "wavefront ";
    return !loop.unrolled ? "" : loop.count ? fmt::format("unroll({}) ", text(loop.count)) : "unroll ";
  }

  void forLoop(const Stmt& s) {
    line("{}for", attributes(s));
    ++indent_;
    if (s.init) {
      line("init");
      children({s.init});
    }
    labelled("while", s.expr);
    labelled("step", s.step);
    statement(s.body);
    --indent_;
  }

  std::string& out_;
  size_t indent_ = 0;
};

SourceRange rangeOf(const TopLevel& top) {
  switch (top.kind) {
  case TopLevel::Function:
    return top.as<Function>().range;
  case TopLevel::Struct:
    return top.as<Struct>().range;
  case TopLevel::Enum:
    return top.as<Enum>().range;
  case TopLevel::Typedef:
    return top.as<Typedef>().range;
  case TopLevel::Global:
    return top.as<Global>().decl.range;
  case TopLevel::StaticAssert:
  case TopLevel::Library:
    return top.as<Expr>().range;
  }
  return {};
}

} // namespace

std::string text(const Program& program, const SourceManager& sources, SourcePos only_file) {
  std::string out;
  Writer writer(out);
  for (const TopLevel& item : program.items) {
    SourcePos at = rangeOf(item).begin;
    if (!only_file || (at && sources.begin(at) == sources.begin(only_file)))
      writer.item(item);
  }
  return out;
}

} // namespace bsgp::ast

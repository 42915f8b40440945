// Statements of typed trees as text.
#include "sema/tree_text.h"

#include <fmt/format.h>

namespace bsgp::sema {

const std::string* Names::known(const void* thing) const {
  if (auto at = names_.find(thing); at != names_.end())
    return &at->second;
  return outer_ ? outer_->known(thing) : nullptr;
}

unsigned Names::count(const std::string& name) const {
  auto at = counts_.find(name);
  return (at == counts_.end() ? 0 : at->second) + (outer_ ? outer_->count(name) : 0);
}

const std::string& Names::of(const void* thing, std::string_view name) {
  if (const std::string* found = known(thing))
    return *found;
  std::string wanted(name.empty() ? "temp" : name);
  unsigned number = count(wanted) + 1;
  ++counts_[wanted];
  return names_[thing] = number == 1 ? wanted : fmt::format("{}.{}", wanted, number);
}

void TreeText::line(std::string_view text, SourceRange at, std::string_view note) {
  out_.append(indent_ * 2, ' ');
  out_ += text;
  if (at.valid() || !note.empty())
    out_ += "  //";
  if (at.valid()) {
    LineColumn place = sources_.at(at.begin);
    bool here = home_ && sources_.begin(at.begin) == sources_.begin(home_) && !sources_.ofLibrary(at);
    out_ += here ? fmt::format(" {}:{}", place.line, place.column)
                 : fmt::format(" {}:{}:{}", place.file, place.line, place.column);
  }
  if (!note.empty())
    out_ += fmt::format("{} {}", at.valid() ? "," : "", note);
  out_ += '\n';
}

std::string TreeText::declared(const Variable* v) {
  return fmt::format("{}{} {}{}",
                     v->kind != Variable::Shared ? ""
                     : v->of_tile                ? "shared __per_tile "
                                                 : "shared ",
                     typeName(v->type), v->by_reference ? "&" : "", variables_->of(v, v->name));
}

void TreeText::function(const Function& f) {
  std::string params;
  for (const Variable* v : f.params)
    params += (params.empty() ? "" : ", ") + declared(v);
  line(fmt::format("function {}({}) -> {}", nameOf(&f), params, typeName(f.result)), f.range);
  body(f.body);
}

// Prints the statements of a block, or another statement by itself.
void TreeText::body(const Stmt* s) {
  ++indent_;
  if (s && s->kind == Stmt::Block)
    statements(s->stmts);
  else
    statement(s);
  --indent_;
}

void TreeText::statements(std::span<Stmt* const> list) {
  for (const Stmt* s : list)
    statement(s);
}

void TreeText::statement(const Stmt* s, std::string_view note) {
  if (!s)
    return;
  switch (s->kind) {
  case Stmt::Sequence:
    return statements(s->stmts);
  case Stmt::If:
    return ifStatement(*s, note);
  case Stmt::Loop:
    return loop(*s, note);
  case Stmt::Switch:
    return switchStatement(*s, note);
  case Stmt::Block:
  case Stmt::Par:
  case Stmt::Inlined:
    line(heading(*s), s->range, note);
    ++indent_;
    statements(s->stmts);
    --indent_;
    return;
  default:
    line(heading(*s), s->range, note);
    return s->body ? body(s->body) : void();
  }
}

// Prints the first line of a statement.
std::string TreeText::heading(const Stmt& s) {
  switch (s.kind) {
  case Stmt::Expr:
    return s.expr ? text(s.expr) : "nothing";
  case Stmt::HostAssign:
    return "host " + text(s.expr);
  case Stmt::Decl: {
    std::string value = s.expr ? " = " + text(s.expr) : ""; // it cannot be the declared variable
    return declared(s.variable) + value;
  }
  case Stmt::Block:
    return "block";
  case Stmt::Par:
    return "par";
  case Stmt::Inlined:
    return s.variable ? fmt::format("inlined, return sets {}", variables_->of(s.variable, s.variable->name))
                      : "inlined, return leaves it";
  case Stmt::Break:
    return "break";
  case Stmt::Continue:
    return "continue";
  case Stmt::Return:
    return s.expr ? "return " + text(s.expr) : "return";
  case Stmt::Spawn:
    return fmt::format("spawn {}", text(s.expr));
  case Stmt::Barrier:
    return s.reassigned ? "barrier(RANK_REASSIGNED)" : "barrier";
  case Stmt::Require:
    return "require";
  case Stmt::OldRank:
    return "thread.oldrank = " + text(s.expr);
  case Stmt::Put: {
    std::string to = text(s.expr), target = text(s.target);
    return fmt::format("thread.put({}, {}, {})", to, target, text(s.value));
  }
  default:
    return "";
  }
}

// The ifs of an else-if chain have the same indentation.
void TreeText::ifStatement(const Stmt& first, std::string_view note) {
  const Stmt* s = &first;
  line("if " + text(s->expr), s->range, note);
  body(s->body);
  for (s = s->otherwise; s && s->kind == Stmt::If; s = s->otherwise) {
    line("else if " + text(s->expr), s->range);
    body(s->body);
  }
  if (s) {
    line("else");
    body(s);
  }
}

void TreeText::loop(const Stmt& s, std::string_view note) {
  std::string word = s.test_last ? "do" : "loop";
  if (s.unroll)
    word = (s.unroll == kUnrollAll ? "unroll " : fmt::format("unroll({}) ", s.unroll)) + word;
  line((s.is_wavefront ? "wavefront " : "") + word, s.range, note);
  ++indent_;
  if (s.init) {
    line("first");
    body(s.init);
  }
  if (s.expr && !s.test_last)
    line("while " + text(s.expr));
  if (s.step)
    line("step " + text(s.step));
  line("body");
  body(s.body);
  if (s.expr && s.test_last)
    line("while " + text(s.expr));
  --indent_;
}

void TreeText::switchStatement(const Stmt& s, std::string_view note) {
  line("switch " + text(s.expr), s.range, note);
  ++indent_;
  for (size_t i = 0; i <= s.stmts.size(); ++i) {
    for (const SwitchCase& at : s.cases)
      if (at.first == i)
        line(at.is_default ? "default" : fmt::format("case {}", at.value));
    ++indent_;
    if (i < s.stmts.size())
      statement(s.stmts[i]);
    --indent_;
  }
  --indent_;
}

} // namespace bsgp::sema

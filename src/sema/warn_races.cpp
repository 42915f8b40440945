// Places that all threads of a spawn change at the same time: s[0] += x, with an s of the host.
//
// Only what is certain is said. The address is made of host values, so it is one for all threads. Nothing around the
// statement parts them, nothing before it let some end or changed how many there are, and the spawn has no lock.
// An assignment counts where the value is computed of ranks or of the place itself, op= and ++ always.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "sema/binary_operators.h"
#include "sema/constant.h"
#include "sema/services.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

bool renumbers(const Stmt& s) {
  return (s.kind == Stmt::Barrier && s.reassigned) || s.kind == Stmt::OldRank;
}

bool isAtomic(const Expr& e) {
  return e.kind == Expr::BuiltinCall && e.builtin >= Builtin::AtomicAdd && e.builtin <= Builtin::AtomicStore;
}

// Finds what ends threads, or numbers them anew: functions of the library do, by what is in them. An atomic operation whose result is
// used may be of a lock.
class ThreadChanges {
public:
  bool by(const Expr* e) {
    if (!e)
      return false;
    bool is_asm = e->kind == Expr::BuiltinCall && e->builtin == Builtin::Asm;
    if (is_asm || isAtomic(*e) || (e->kind == Expr::Call && by(*e->function)))
      return true;
    return byParts(e);
  }
  // The same for a statement's expression, whose own result is not used.
  bool byStatement(const Expr* e) { return e && isAtomic(*e) ? byParts(e) : by(e); }

  bool byParts(const Expr* e) {
    for (const Expr* part : {e->a, e->b, e->c})
      if (by(part))
        return true;
    return std::any_of(e->args.begin(), e->args.end(), [&](const Expr* arg) { return by(arg); });
  }

  bool by(const Function& function) {
    auto [known, fresh] = known_.try_emplace(&function, false);
    if (!fresh)
      return known->second;
    bool changes = by(function.body, false);
    known_[&function] = changes;
    return changes;
  }

  // `parting`: or may some threads leave what stands around the statement?
  bool by(const Stmt* s, bool parting) {
    if (!s)
      return false;
    bool leaves = s->kind == Stmt::Return || s->kind == Stmt::Break || s->kind == Stmt::Continue;
    bool has_use = s->kind == Stmt::If || s->kind == Stmt::Loop || s->kind == Stmt::Switch || s->kind == Stmt::Decl ||
                   s->kind == Stmt::Return;
    if ((parting && leaves) || renumbers(*s) || (has_use ? by(s->expr) : byStatement(s->expr)) || by(s->step))
      return true;
    for (const Stmt* inner : s->stmts)
      if (by(inner, parting))
        return true;
    return by(s->init, parting) || by(s->body, parting) || by(s->otherwise, parting);
  }

private:
  std::unordered_map<const Function*, bool> known_;
};

class RaceWalk {
public:
  RaceWalk(Diagnostics& diagnostics, uint32_t block) : diagnostics_(diagnostics), block_(block) {}

  // False: the threads may be fewer, or others, from here on; nothing more is certain.
  bool statement(const Stmt* s) {
    if (!s)
      return true;
    if (s->kind == Stmt::Return || renumbers(*s))
      return false;
    if (s->kind == Stmt::Require) // the host's
      return true;
    if (s->kind == Stmt::Decl && differs(s->expr))
      ranks_.insert(s->variable);
    bool parts = (s->kind == Stmt::If || s->kind == Stmt::Loop || s->kind == Stmt::Switch) &&
                 !(s->expr && isHostValued(s->expr)) && !(s->kind == Stmt::Loop && !s->expr);
    if (parts && changes_.by(s, true))
      return false;
    if (parts) {
      updatesOfSome(*s);
      return true;
    }
    if (s->kind == Stmt::Break || s->kind == Stmt::Continue)
      return false;
    if (s->kind != Stmt::If && s->kind != Stmt::Loop && s->kind != Stmt::Switch && !expression(s->expr))
      return false;
    for (const Stmt* inner : s->stmts)
      if (!statement(inner))
        return false;
    return statement(s->init) && statement(s->body) && statement(s->otherwise) && expression(s->step);
  }

private:
  bool expression(const Expr* e) {
    if (!e)
      return true;
    if (changes_.byStatement(e))
      return false;
    updatesIn(e);
    return true;
  }

  // Those that each thread runs: out[s[0]++] = x.
  void updatesIn(const Expr* e, bool inside = false) {
    if (!e || e->kind == Expr::Conditional || e->kind == Expr::LogicalAnd || e->kind == Expr::LogicalOr)
      return;
    if (isAssignment(*e))
      update(*e, nullptr, inside);
    for (const Expr* part : {e->a, e->b, e->c})
      updatesIn(part, true);
  }

  // if (x > 3) s[0]++;
  void updatesOfSome(const Stmt& s) {
    if (s.kind != Stmt::If || !s.body || !holdsForSeveral(*s.expr))
      return;
    std::span<Stmt* const> list = s.body->stmts;
    auto consider = [&](const Stmt* inner) {
      if (inner->kind == Stmt::Expr && inner->expr && isAssignment(*inner->expr))
        update(*inner->expr, "the threads that come here", false);
    };
    consider(s.body);
    std::ranges::for_each(list, consider);
  }

  // A comparison that no single thread is meant by, as by x == y and thread.rank < 1.
  bool holdsForSeveral(const Expr& e) const {
    using ast::BinaryOp;
    bool compares = e.kind == Expr::Binary && ((e.op >= BinaryOp::Lt && e.op <= BinaryOp::Ge) || e.op == BinaryOp::Ne);
    if (!compares)
      return false;
    bool left = differs(e.a), right = differs(e.b);
    ConstValue limit;
    if (!left && !right)
      return true;
    if (left == right || !constantValue(left ? e.b : e.a, limit))
      return false;
    BinaryOp below = left ? BinaryOp::Lt : BinaryOp::Gt, upTo = left ? BinaryOp::Le : BinaryOp::Ge;
    return e.op == below ? limit.integer > 1 : e.op == upTo ? limit.integer > 0 : true;
  }

  // Is it another value in each thread: a number computed of ranks? What memory has or a call gives may be one for all.
  bool differs(const Expr* e) const {
    if (!e)
      return false;
    switch (e->kind) {
    case Expr::ThreadRank:
    case Expr::BlockRank:
      return true;
    case Expr::Var:
      return ranks_.contains(e->variable) || e->variable->of_grid; // thread.x
    case Expr::Cast:
    case Expr::Binary:
    case Expr::Neg:
    case Expr::Construct:
      return differs(e->a) || differs(e->b) ||
             std::any_of(e->args.begin(), e->args.end(), [&](const Expr* arg) { return differs(arg); });
    default:
      return false;
    }
  }

  // The memory that one place of all threads is in. Other: it is none, or differs from thread to thread.
  // OfBlock: device memory, one place for each block.
  enum class Memory : uint8_t { Other, Device, Block, OfBlock };
  static Memory memoryOf(const Expr* place) {
    for (;; place = place->a)
      switch (place->kind) {
      case Expr::Var:
        return place->variable->kind == Variable::Shared ? Memory::Block : Memory::Other;
      case Expr::Field:
      case Expr::Swizzle:
        break;
      case Expr::Deref:
        return isHostValued(place->a) ? Memory::Device : Memory::Other;
      case Expr::Index:
        if (isBlockId(place->b) && place->a->type->isPointer() && isHostValued(place->a))
          return Memory::OfBlock;
        if (!isHostValued(place->b))
          return Memory::Other;
        if (place->a->type->isPointer())
          return isHostValued(place->a) ? Memory::Device : Memory::Other;
        break;
      default:
        return Memory::Other;
      }
  }

  static bool isBlockId(const Expr* e) {
    while (e->kind == Expr::Cast)
      e = e->a;
    return e->kind == Expr::BlockId;
  }

  static const Expr* withoutCasts(const Expr* e) {
    while (e && e->kind == Expr::Cast)
      e = e->a;
    return e;
  }

  // Is it the place, by its text?
  bool isAt(const Expr* part, const Expr& place) const {
    const SourceManager& sources = diagnostics_.sources();
    part = withoutCasts(part);
    return part && (part->kind == Expr::Index || part->kind == Expr::Deref || part->kind == Expr::Var) &&
           part->range.valid() && sources.text(part->range) == sources.text(place.range);
  }

  // p[0] + 1, 1 + p[0], max(p[0], x), of the place p[0].
  bool readsPlace(const Expr& value, const Expr& place) const {
    const Expr* e = withoutCasts(&value);
    auto isPlace = [&](const Expr* part) { return isAt(part, place); };
    return e->kind == Expr::Binary ? isPlace(e->a) || isPlace(e->b)
                                   : *extremeOf(e) && std::ranges::any_of(e->args, isPlace);
  }

  // The function that is called, max or min; empty: no such call.
  static const char* extremeOf(const Expr* e) {
    e = withoutCasts(e);
    bool call = e && e->kind == Expr::Call;
    return call && e->function->name == "max" ? "max" : call && e->function->name == "min" ? "min" : "";
  }

  // A change of a place as one atomic function makes it, and one reduction.
  struct AtOnce {
    std::string_view function; // "add"; empty: there is none
    std::string_view reduction;
    std::string value; // "x" where its text is not known
  };

  std::string textOf(const Expr* e) const {
    std::string_view text = e && e->range.valid() ? diagnostics_.sources().text(e->range) : std::string_view();
    constexpr size_t kLongest = 40;
    return text.empty() || text.size() > kLongest || text.find('\n') != std::string_view::npos ? "x"
                                                                                               : std::string(text);
  }

  static AtOnce atOnceBy(ast::BinaryOp op, std::string value) {
    const Gathering* gathering = gatheringOf(op);
    if (!gathering)
      return {};
    bool binds = value.find_first_of(" +-*/%&|^?:<>=") == std::string::npos;
    if (op == ast::BinaryOp::Sub)
      value = binds ? "-" + value : "-(" + value + ")";
    return {gathering->atomic, gathering->reduction, std::move(value)};
  }

  AtOnce atOnce(const Expr& e) const {
    if (e.kind == Expr::IncDec)
      return atOnceBy(e.op, "1");
    if (e.kind == Expr::CompoundAssign)
      return atOnceBy(e.op, textOf(e.b));
    const Expr* value = withoutCasts(e.b);
    bool first = !isAt(value->kind == Expr::Binary ? value->a : value->args[0], *e.a);
    if (value->kind != Expr::Binary)
      return {extremeOf(value), extremeOf(value), textOf(value->args[first ? 0 : 1])};
    if (first && value->op == ast::BinaryOp::Sub)
      return {};
    return atOnceBy(value->op, textOf(withoutCasts(first ? value->a : value->b)));
  }

  // The form to write for the change. reduces: a reduction can stand in its place.
  std::string helpFor(const Expr& e, Memory memory, bool reduces) const {
    AtOnce change = atOnce(e);
    std::string place = textOf(e.a);
    std::string address = place.starts_with('*') ? place.substr(1) : "&" + place;
    std::string help = change.function.empty() ? std::string(change.reduction.empty() ? "let one thread do it" : "")
                                               : fmt::format("write an atomic function, as atomic_{}({}, {})",
                                                             change.function, address, change.value);
    if (reduces && !change.reduction.empty())
      help += fmt::format("{}{}reduce({}, {})", help.empty() ? "one value of all is a reduction: " : ", or ",
                          memory == Memory::Device ? "" : "block.", change.reduction, change.value);
    return help.empty() ? "let one thread do it" : help;
  }

  // some: names the threads that do; null: all threads that can. inside: in an expression.
  void update(const Expr& e, const char* some, bool inside) {
    Memory memory = memoryOf(e.a);
    bool in_block = memory == Memory::Block || memory == Memory::OfBlock;
    bool alone = memory == Memory::Other || (in_block && (block_ == 1 || some));
    bool updates = e.kind != Expr::Assign || readsPlace(*e.b, *e.a);
    if (alone || (!updates && (in_block || some || !differs(e.b))))
      return;
    const char* who = some ? some : in_block ? "all threads of a block" : "all threads";
    if (!updates)
      diagnostics_.report(
          Diag::racy_update, e.range,
          fmt::format("{} store to this one place, each a value of its own: one of them stays", who),
          "write to a place of the thread, as p[thread.rank]; one value of all is a reduction: reduce(+, x)");
    else
      diagnostics_.report(Diag::racy_update, e.range,
                          fmt::format("{} change this one place at the same time: changes are lost", who),
                          helpFor(e, memory, !some && !inside));
  }

  Diagnostics& diagnostics_;
  uint32_t block_;
  ThreadChanges changes_;
  std::unordered_set<const Variable*> ranks_; // declared with a value that differs
};

} // namespace

bool mayChangeThreads(const Function& function) {
  return ThreadChanges().by(function);
}

void warnOfRaces(const Stmt& spawn, Diagnostics& diagnostics) {
  ConstValue threads;
  if (constantValue(spawn.expr, threads) && threads.integer <= 1)
    return;
  RaceWalk(diagnostics, spawn.block).statement(spawn.body);
}

} // namespace bsgp::sema

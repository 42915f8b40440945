#include "sema/partition.h"

#include <set>

#include <fmt/format.h>

#include "sema/visit.h"

namespace bsgp::sema {

namespace {

class PartitionCheck {
public:
  PartitionCheck(const Stmt& spawn, Sema& sema) : spawn_(spawn), sema_(sema) {}

  void run() { walk(*spawn_.body); }

private:
  void walk(const Stmt& code) {
    forEachExprIn(&code, [this](const Expr* e) { check(*e); });
  }

  void check(const Expr& e) {
    switch (e.kind) {
    case Expr::BlockRank:
      return refuse(e.range, "block.rank");
    case Expr::Var:
      if (e.variable->kind == Variable::Shared && reported_.insert(e.variable).second)
        refuse(e.variable->range, fmt::format("the shared variable '{}'", e.variable->name));
      return;
    case Expr::BuiltinCall:
      return builtin(e);
    case Expr::Call:
      return call(e);
    default:
      return;
    }
  }

  void builtin(const Expr& e) {
    if (e.builtin == Builtin::BlockSync)
      refuse(e.range, "block.sync()");
    else if (e.builtin == Builtin::WarpSync || e.builtin == Builtin::WarpShuffle || e.builtin == Builtin::WarpBallot)
      refuse(e.range, "a function of warps");
  }

  void call(const Expr& e) {
    const Function& callee = *e.function;
    bool meets = callee.syncs_block || callee.syncs_warp;
    if (!sema_.diag.sources().ofLibrary(callee.range)) {
      if (callee.body && seen_.insert(&callee).second)
        walk(*callee.body);
    } else if (meets && !callee.synchronizes) {
      refuse(e.range, fmt::format("a call of '{}'", callee.name));
    }
  }

  void refuse(SourceRange where, const std::string& what) {
    sema_.diag.report(Diag::in_partition, where, what);
    sema_.diag.report(Diag::note_partition, spawn_.range);
  }

  const Stmt& spawn_;
  Sema& sema_;
  std::set<const Variable*> reported_;
  std::set<const Function*> seen_;
};

} // namespace

void checkPartition(const Stmt& spawn, Sema& sema) {
  PartitionCheck(spawn, sema).run();
}

} // namespace bsgp::sema

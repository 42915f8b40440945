// Finds what the requires of each spawn may do to device memory, and which of its slots lead to memory that they
// allocate.
//
// A host function that requires call is looked at once for each set of its arguments that is fresh. The writes of the
// spawns in it are found by bsp: only there are the pointers of expanded calls followed through the threads'
// variables.
#include <map>

#include "irgen/module_emitter.h"
#include "irgen/pointer_flow.h"
#include "sema/sema.h"
#include "sema/visit.h"

namespace bsgp::irgen {

namespace {

class HostEffects {
public:
  explicit HostEffects(std::span<const ModuleEmitter::SpawnSource> spawns) : spawns_(spawns) {
    facts_.code.emplace_back().anything = true;
    for (uint32_t i = 0; i < spawns.size(); ++i)
      numbers_[spawns[i].flat] = i;
  }

  ir::HostFacts run() {
    for (const ModuleEmitter::SpawnSource& source : spawns_)
      facts_.spawns.push_back(factsOf(source));
    return std::move(facts_);
  }

private:
  static constexpr uint32_t kAnything = 0; // host code that may do anything

  ir::HostFacts::Spawn factsOf(const ModuleEmitter::SpawnSource& source) {
    ir::HostFacts::Spawn spawn;
    const PointerFlow::Stale& stale = staleOf(*source.flat->function, {});
    for (const Slot& slot : source.slots)
      spawn.fresh.push_back(slot.version && stale.isFresh(slot.variable, source.flat));
    for (const FlatRequire* require : source.flat->requires_) {
      ir::HostCode code;
      for (Stmt* stmt : require->body)
        look(stmt, stale, source.flat, code);
      spawn.requires_.push_back(keep(std::move(code)));
    }
    return spawn;
  }

  uint32_t keep(ir::HostCode code) {
    facts_.code.push_back(std::move(code));
    return uint32_t(facts_.code.size() - 1);
  }

  const PointerFlow::Stale& staleOf(const Function& function, const std::vector<bool>& fresh) {
    auto [known, first] = stale_.try_emplace({&function, fresh});
    if (first) {
      auto flow = flows_.try_emplace(&function, function).first;
      known->second = flow->second.withFresh(fresh);
    }
    return known->second;
  }

  uint32_t codeOf(const Function& function, const std::vector<bool>& fresh) {
    // a recursive function may do anything
    auto [known, first] = functions_.try_emplace({&function, fresh}, kAnything);
    if (!first)
      return known->second;
    ir::HostCode code;
    look(function.body, staleOf(function, fresh), nullptr, code);
    return known->second = keep(std::move(code));
  }

  void look(Stmt* stmt, const PointerFlow::Stale& stale, HostPart part, ir::HostCode& code) {
    forEachStmtOfPart(stmt, [&](Stmt* s) {
      for (Expr* e : {s->expr, s->target, s->value, s->step})
        visitExpr(e, [&](Expr* inner) {
          look(inner, stale, part, code);
          return true;
        });
      code.anything |= s->kind == Stmt::Decl && s->variable->type->holds_lists; // freed when its scope ends
      if (s->kind == Stmt::Spawn)
        run(*s, stale, part, code);
    });
  }

  void look(Expr* e, const PointerFlow::Stale& stale, HostPart part, ir::HostCode& code) {
    if (e->kind == Expr::Call)
      return call(e, stale, part, code);
    code.anything |= isAssignment(*e) && (e->type->holds_lists || sema::isListElement(e->a));
    if (e->kind != Expr::BuiltinCall)
      return;
    bool copies = e->builtin == Builtin::Copy && spaceOf(e->args[0]->type) == Space::Device;
    code.anything |= e->builtin == Builtin::Dfree || e->builtin == Builtin::Poke || changesDList(e->builtin) ||
                     (copies && !stale.isFresh(e->args[0], part));
  }

  void call(Expr* e, const PointerFlow::Stale& stale, HostPart part, ir::HostCode& code) {
    if (e->function->is_extern) {
      code.anything = true;
      return;
    }
    code.anything |= e->function->result->holds_lists; // freed when the statement ends
    for (size_t i = 0; i < e->function->params.size(); ++i)
      code.anything |= e->function->params[i]->by_reference && sema::isListElement(e->args[i]);
    std::vector<bool> fresh;
    for (Expr* argument : e->args)
      fresh.push_back(stale.isFresh(argument, part));
    code.calls.push_back(codeOf(*e->function, fresh));
  }

  void run(const Stmt& s, const PointerFlow::Stale& stale, HostPart part, ir::HostCode& code) {
    auto number = numbers_.find(s.flat);
    if (!s.flat || !s.flat->requires_.empty() || number == numbers_.end()) {
      code.anything = true;
      return;
    }
    ir::HostCode::Run run{number->second, {}};
    for (const Slot& slot : spawns_[run.spawn].slots)
      run.fresh.push_back(stale.isFresh(slot.variable, part));
    code.runs.push_back(std::move(run));
  }

  using WithFresh = std::pair<const Function*, std::vector<bool>>; // a function, which of its arguments are fresh
  std::span<const ModuleEmitter::SpawnSource> spawns_;
  ir::HostFacts facts_;
  llvm::DenseMap<const FlatSpawn*, uint32_t> numbers_;
  std::map<const Function*, PointerFlow> flows_;
  std::map<WithFresh, PointerFlow::Stale> stale_;
  std::map<WithFresh, uint32_t> functions_;
};

} // namespace

ir::HostFacts ModuleEmitter::hostFacts() {
  return HostEffects(spawn_sources).run();
}

} // namespace bsgp::irgen

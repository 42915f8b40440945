// On which side functions are checked. Roots, main and what is exported, are host code; what they call is checked for
// the side that calls it. A plain function that nobody calls is checked all the same, for the side that its code fits:
// one of them has to. Callers come first, so that a function which another uncalled one calls has its sides from there.
#include <algorithm>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/checker.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

namespace {

bool isRoot(const ast::Function& node) {
  return node.is_export || node.name == "main";
}

} // namespace

bool isGeneric(const ast::Function& node) {
  return std::any_of(node.params.begin(), node.params.end(), isOpen);
}

bool Sema::checkRoots(const ast::Program& tree) {
  bool rooted = false;
  for (const ast::TopLevel& item : tree.items) {
    if (item.kind != ast::TopLevel::Function)
      continue;
    auto& node = item.as<ast::Function>();
    if (node.is_export)
      for (const ast::Param& param : node.params)
        if (isOpen(param))
          diag.report(Diag::export_open, param.range, node.name, param.name);
    bool sound = node.name != "main" || checkMain(node);
    if (sound && isRoot(node) && node.body && !isGeneric(node))
      rootInstance(node, Side::Host);
    rooted |= !sound || (isRoot(node) && node.body && !isGeneric(node));
  }
  return rooted;
}

bool Sema::mayBeUncalled(const ast::Function& node) const {
  return node.body && !node.of_generic && !isRoot(node) && !node.is_inline && !isGeneric(node) &&
         !checked_.count(&node);
}

void Sema::checkUncalled(const ast::Program& tree) {
  std::vector<const ast::Function*> wanted;
  for (const ast::TopLevel& item : tree.items)
    if (item.kind == ast::TopLevel::Function && mayBeUncalled(item.as<ast::Function>()))
      wanted.push_back(&item.as<ast::Function>());
  for (const ast::Function* node : callersFirst(wanted))
    if (mayBeUncalled(*node))
      checkForSomeSide(*node);
}

// What the text of a function names and may call: overloads alike, operators by their signs.
std::vector<const ast::Function*> Sema::namedIn(const ast::Function& function) const {
  std::vector<const ast::Function*> named;
  auto add = [&](std::string_view name) {
    if (auto set = functions_.find(name); set != functions_.end())
      named.insert(named.end(), set->second.begin(), set->second.end());
  };
  walk(
      function.body, [](const ast::Stmt*) { return true; },
      [&](const ast::Expr* e) {
        if (e->kind == ast::Expr::Name || e->kind == ast::Expr::Thread || e->kind == ast::Expr::Block ||
            e->kind == ast::Expr::Warp)
          add(calledName(e));
        if (e->kind == ast::Expr::Call && isMethodCall(*e))
          for (const ast::Function* callee : callees(*e))
            named.push_back(callee);
        if (e->kind == ast::Expr::Binary || e->kind == ast::Expr::OperatorRef || e->has_op)
          add(fmt::format("operator{}", ast::spelling(e->binary)));
        if (e->kind == ast::Expr::Unary)
          add(fmt::format("operator{}", ast::spelling(e->unary)));
        if (e->kind == ast::Expr::Index)
          add("operator[]");
      },
      [&](const ast::Expr* e) { return knownCondition(e); });
  return named;
}

void Sema::callersLast(const ast::Function& from, std::unordered_set<const ast::Function*>& seen,
                       std::vector<const ast::Function*>& order) {
  if (!from.body || !seen.insert(&from).second)
    return;
  for (const ast::Function* callee : namedIn(from))
    callersLast(*callee, seen, order);
  order.push_back(&from);
}

// Otherwise in the order of the text.
std::vector<const ast::Function*> Sema::callersFirst(const std::vector<const ast::Function*>& wanted) {
  std::unordered_set<const ast::Function*> seen;
  std::vector<const ast::Function*> order;
  for (auto it = wanted.rbegin(); it != wanted.rend(); ++it)
    callersLast(**it, seen, order);
  std::reverse(order.begin(), order.end());
  return order;
}

// Most fit on the side that their text suggests. Where a function fits on none, that is the side whose reasons are
// told.
void Sema::checkForSomeSide(const ast::Function& node) {
  const Traits& found = traits(node);
  if (!found.host_only && found.barriers) {
    diag.report(Diag::collective_not_inline, node.range, node.name);
    return;
  }
  bool device = std::any_of(node.params.begin(), node.params.end(),
                            [](const ast::Param& param) { return param.type->space == ast::Space::Device; });
  bool threads = found.reaches_thread || found.barriers_inside || device;
  Side likely = threads && !found.host_only ? Side::Device : Side::Host;
  Side other = likely == Side::Host ? Side::Device : Side::Host;
  if (!fits(node, likely) && !fits(node, other))
    rootInstance(node, likely);
}

// Checks it for this side; where that is not free of errors, it is as if nothing had been done.
bool Sema::fits(const ast::Function& node, Side side) {
  Diagnostics::Mark before = diag.mark();
  size_t functions = program.functions.size();
  trial_.emplace().addresses = open_addresses_.size();
  trial_->calls = open_calls.size();
  rootInstance(node, side);
  SideTrial made = std::move(*trial_);
  trial_.reset();
  bool fits = diag.errors() == before.errors;
  if (!fits)
    diag.takeSince(before);
  for (Diagnostic& message : made.stay)
    diag.put(std::move(message));
  if (fits)
    return true;
  program.functions.resize(functions);
  for (const std::string& key : made.instances)
    instances_.erase(key);
  for (const ast::Function* function : made.checked)
    checked_.erase(function);
  for (SpaceCell* cell : made.spaces)
    *cell = SpaceCell{};
  open_addresses_.resize(made.addresses);
  open_calls.resize(made.calls);
  return false;
}

Function* Sema::rootInstance(const ast::Function& node, Side side) {
  std::vector<Argument> arguments;
  bool is_main = node.name == "main";
  for (const ast::Param& param : node.params) {
    Argument argument;
    argument.value = make(Expr::Null, parameterType(param, is_main ? types.cell(Space::Host) : nullptr), param.range);
    argument.range = param.range;
    arguments.push_back(argument);
  }
  Function* function = instantiate(node, arguments, node.range, side, nullptr, /*used=*/true);
  // Of the instances that calls may have made, this one is what others see.
  if (function && node.is_export)
    function->is_export = true, function->symbol = std::string(node.name);
  if (function && is_main) {
    program.main = function;
    function->is_main = true;
    if (!isMainResult(function->result)) // of an 'auto'
      diag.report(Diag::bad_main, node.range);
  }
  return function;
}

} // namespace bsgp::sema

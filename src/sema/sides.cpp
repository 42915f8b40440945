#include "sema/sides.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/declare.h"
#include "sema/instantiate.h"
#include "sema/resolve_type.h"
#include "sema/services.h"
#include "sema/traits.h"
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

static std::vector<const ast::Function*> callersFirst(Sema& sema, const std::vector<const ast::Function*>& wanted);
static void checkForSomeSide(Sema& sema, const ast::Function& node);
static bool fits(Sema& sema, const ast::Function& node, Side side);
static Function* rootInstance(Sema& sema, const ast::Function& node, Side side);

bool checkRoots(Sema& sema, const ast::Program& tree) {
  bool rooted = false;
  for (const ast::TopLevel& item : tree.items) {
    if (item.kind != ast::TopLevel::Function)
      continue;
    auto& node = item.as<ast::Function>();
    if (node.is_export)
      for (const ast::Param& param : node.params)
        if (isOpen(param))
          sema.diag.report(Diag::export_open, param.range, node.name, param.name);
    bool sound = node.name != "main" || checkMain(sema, node);
    if (sound && isRoot(node) && node.body && !isGeneric(node))
      rootInstance(sema, node, Side::Host);
    rooted |= !sound || (isRoot(node) && node.body && !isGeneric(node));
  }
  return rooted;
}

static bool mayBeUncalled(const Sema& sema, const ast::Function& node) {
  return node.body && !node.of_generic && !isRoot(node) && !node.is_inline && !isGeneric(node) &&
         !sema.instances.checked.count(&node);
}

void checkUncalled(Sema& sema, const ast::Program& tree) {
  std::vector<const ast::Function*> wanted;
  for (const ast::TopLevel& item : tree.items)
    if (item.kind == ast::TopLevel::Function && mayBeUncalled(sema, item.as<ast::Function>()))
      wanted.push_back(&item.as<ast::Function>());
  for (const ast::Function* node : callersFirst(sema, wanted))
    if (mayBeUncalled(sema, *node))
      checkForSomeSide(sema, *node);
}

// Returns the functions that the text of a function names and may call: all overloads, operators by their signs.
static std::vector<const ast::Function*> namedIn(const Sema& sema, const ast::Function& function) {
  std::vector<const ast::Function*> named;
  auto add = [&](std::string_view name) {
    if (auto set = sema.functions.all.find(name); set != sema.functions.all.end())
      named.insert(named.end(), set->second.begin(), set->second.end());
  };
  walk(
      function.body, [](const ast::Stmt*) { return true; },
      [&](const ast::Expr* e) {
        if (e->kind == ast::Expr::Name || e->kind == ast::Expr::Thread || e->kind == ast::Expr::Block ||
            e->kind == ast::Expr::Warp)
          add(calledName(e));
        if (e->kind == ast::Expr::Call && isMethodCall(*e))
          for (const ast::Function* callee : callees(sema, *e))
            named.push_back(callee);
        if (e->kind == ast::Expr::Binary || e->kind == ast::Expr::OperatorRef || e->has_op)
          add(fmt::format("operator{}", ast::spelling(e->binary)));
        if (e->kind == ast::Expr::Unary)
          add(fmt::format("operator{}", ast::spelling(e->unary)));
        if (e->kind == ast::Expr::Index)
          add("operator[]");
      },
      [&](const ast::Expr* e) { return knownCondition(sema, e); });
  return named;
}

static void callersLast(Sema& sema, const ast::Function& from, std::unordered_set<const ast::Function*>& seen,
                        std::vector<const ast::Function*>& order) {
  if (!from.body || !seen.insert(&from).second)
    return;
  for (const ast::Function* callee : namedIn(sema, from))
    callersLast(sema, *callee, seen, order);
  order.push_back(&from);
}

// Others come in the order of the text.
static std::vector<const ast::Function*> callersFirst(Sema& sema, const std::vector<const ast::Function*>& wanted) {
  std::unordered_set<const ast::Function*> seen;
  std::vector<const ast::Function*> order;
  for (auto it = wanted.rbegin(); it != wanted.rend(); ++it)
    callersLast(sema, **it, seen, order);
  std::reverse(order.begin(), order.end());
  return order;
}

// Most functions fit on the side that their text suggests. If one fits on none, the errors of that side are reported.
static void checkForSomeSide(Sema& sema, const ast::Function& node) {
  const Traits& found = traits(sema, node);
  if (!found.host_only && found.barriers) {
    sema.diag.report(Diag::collective_not_inline, node.range, node.name);
    return;
  }
  bool device = std::any_of(node.params.begin(), node.params.end(),
                            [](const ast::Param& param) { return param.type->space == ast::Space::Device; });
  bool threads = found.reaches_thread || found.barriers_inside || device;
  Side likely = threads && !found.host_only ? Side::Device : Side::Host;
  Side other = likely == Side::Host ? Side::Device : Side::Host;
  if (!fits(sema, node, likely) && !fits(sema, node, other))
    rootInstance(sema, node, likely);
}

// Checks it for this side; if that gives errors, it is undone.
static bool fits(Sema& sema, const ast::Function& node, Side side) {
  Diagnostics::Mark before = sema.diag.mark();
  size_t functions = sema.program.functions.size();
  sema.instances.trial.emplace().addresses = sema.open_addresses.size();
  sema.instances.trial->calls = sema.functions.open_calls.size();
  rootInstance(sema, node, side);
  SideTrial made = std::move(*sema.instances.trial);
  sema.instances.trial.reset();
  bool fits = sema.diag.errors() == before.errors;
  if (!fits)
    sema.diag.takeSince(before);
  for (Diagnostic& message : made.stay)
    sema.diag.put(std::move(message));
  if (fits)
    return true;
  sema.program.functions.resize(functions);
  for (const std::string& key : made.instances)
    sema.instances.all.erase(key);
  for (const ast::Function* function : made.checked)
    sema.instances.checked.erase(function);
  for (SpaceCell* cell : made.spaces)
    *cell = SpaceCell{};
  sema.open_addresses.resize(made.addresses);
  sema.functions.open_calls.resize(made.calls);
  return false;
}

static Function* rootInstance(Sema& sema, const ast::Function& node, Side side) {
  std::vector<Argument> arguments;
  bool is_main = node.name == "main";
  for (const ast::Param& param : node.params) {
    Argument argument;
    argument.value = sema.nodes.make(
        Expr::Null, parameterType(sema, param, is_main ? sema.types.cell(Space::Host) : nullptr), param.range);
    argument.range = param.range;
    arguments.push_back(argument);
  }
  Function* function = instantiate(sema, node, arguments, node.range, side, nullptr, /*used=*/true);
  // Calls may have made instances, too; this one is the exported one.
  if (function && node.is_export)
    function->is_export = true, function->symbol = std::string(node.name);
  if (function && is_main) {
    sema.program.main = function;
    function->is_main = true;
    if (!isMainResult(sema, function->result)) // of an 'auto'
      sema.diag.report(Diag::bad_main, node.range);
  }
  return function;
}

} // namespace bsgp::sema

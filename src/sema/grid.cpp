#include "sema/grid.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_calls.h"
#include "sema/expr_construct.h"
#include "sema/expr_names.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/misplaced.h"
#include "sema/stmt_parallel.h"
#include "sema/warn_constants.h"

namespace bsgp::sema {

namespace {

using ast::BinaryOp;

constexpr std::string_view kExtents[] = {"width", "height", "depth"}, kPlaces[] = {"x", "y", "z"};
constexpr std::string_view kExtentNames[] = {"thread.width", "thread.height", "thread.depth"};
constexpr std::string_view kPlaceNames[] = {"thread.x", "thread.y", "thread.z"};

std::optional<size_t> numberOf(std::string_view name, std::span<const std::string_view> names) {
  auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional<size_t>(found - names.begin());
}

int64_t largest(const Type* rank) {
  return rank->bits == 64 ? INT64_MAX : INT32_MAX;
}

} // namespace

static Variable* constant(Body& body, std::string_view name, Expr* value, SourceRange range,
                          std::vector<Stmt*>& declared);

// Makes variables without values, for a function that is never called: it may be one for either number of dimensions.
const Grid* anyGrid(Sema& sema) {
  if (sema.instances.any_grid)
    return sema.instances.any_grid;
  sema.instances.any_grid = sema.arena.make<Grid>();
  sema.instances.any_grid->dimensions = ast::kMostExtents;
  for (size_t i = 0; i < ast::kMostExtents; ++i) {
    sema.instances.any_grid->extents[i] = sema.arena.make<Variable>(kExtentNames[i], sema.types.i32, SourceRange{});
    sema.instances.any_grid->places[i] = sema.arena.make<Variable>(kPlaceNames[i], sema.types.i32, SourceRange{});
    sema.instances.any_grid->places[i]->side = Side::Device;
  }
  return sema.instances.any_grid;
}

// Makes the grid in host code, before the spawn; its statements go to `before`.
Grid* startGrid(Body& body, std::span<Expr* const> extents, const Type* rank, std::vector<Stmt*>& before) {
  auto* grid = body.sema.arena.make<Grid>();
  grid->dimensions = extents.size();
  for (size_t i = 0; i < extents.size(); ++i) {
    Expr* extent = cast(body, extents[i], rank);
    Variable* variable = constant(body, kExtentNames[i], extent, extents[i]->range, before);
    body.function.locals.push_back(variable);
    grid->extents[i] = variable;
  }
  return grid;
}

// A variable that is not assigned to again.
static Variable* constant(Body& body, std::string_view name, Expr* value, SourceRange range,
                          std::vector<Stmt*>& declared) {
  auto* variable = body.sema.arena.make<Variable>(name, value->type, range);
  variable->side = body.mode.side, variable->is_const = variable->of_grid = true;
  if (ConstValue known; constantValue(value, known))
    variable->constants.push_back(known);
  declared.push_back(body.sema.nodes.declaration(variable, value, range));
  return variable;
}

// spawn (50000, 50000): extents that are ints, and more threads than an int counts.
static void warnOfManyThreads(Body& body, const Grid& grid) {
  const Type* rank = grid.extents[0]->type;
  double threads = 1;
  uint32_t wrapped = 1;
  for (size_t i = 0; i < grid.dimensions; ++i) {
    if (grid.extents[i]->constants.empty())
      return;
    threads *= double(grid.extents[i]->constants[0].integer);
    wrapped *= uint32_t(grid.extents[i]->constants[0].integer);
  }
  if (!warns(body) || rank->bits == 64 || threads <= double(INT32_MAX))
    return;
  auto text = [&](size_t i) { return sourceText(body, grid.extents[i]->range); };
  std::string extents = asLong(text(0));
  for (size_t i = 1; i < grid.dimensions; ++i)
    extents += ", " + text(i);
  SourceRange all{grid.extents[0]->range.begin, grid.extents[grid.dimensions - 1]->range.end};
  body.sema.warnings.report(Diag::constant_overflow, all, "product", typeWithArticle(rank), int32_t(wrapped),
                            fmt::format("write spawn ({}): then it is a long", extents));
}

// Returns the number of threads. The condition for it to be a rank is asserted in `before`.
Expr* threadsOf(Body& body, const Grid& grid, SourceRange range, std::vector<Stmt*>& before) {
  auto product = [&](size_t count) {
    Expr* all = useVariable(body, grid.extents[0], range);
    for (size_t i = 1; i < count; ++i) { // without a range: warnOfManyThreads says what does not fit
      all = binaryOn(body, BinaryOp::Mul, all, useVariable(body, grid.extents[i], range), SourceRange{});
      all->range = range;
    }
    return all;
  };
  auto require = [&](Expr* condition, std::string_view why) {
    Expr* test = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.void_, range);
    test->builtin = Builtin::Assert, test->a = condition, test->text = why;
    before.push_back(body.sema.nodes.statement(test, range));
  };
  const Type* rank = grid.extents[0]->type;
  auto extent = [&](size_t i) { return useVariable(body, grid.extents[i], range); };
  auto zero = [&] { return number(body, 0, rank, range); };
  for (size_t i = 0; i < grid.dimensions; ++i)
    require(binaryOn(body, BinaryOp::Ge, extent(i), zero(), range), "the extents of a spawn are not negative");
  for (size_t i = 1; i < grid.dimensions; ++i) {
    Expr* fits = body.sema.nodes.make(Expr::LogicalOr, body.sema.types.bool_, range);
    fits->a = binaryOn(body, BinaryOp::Eq, extent(i), zero(), range);
    Expr* most = binaryOn(body, BinaryOp::Div, number(body, largest(rank), rank, range), extent(i), range);
    fits->b = binaryOn(body, BinaryOp::Le, product(i), most, range);
    require(fits, rank->bits == 64 ? "the number of threads is a long"
                                   : "the number of threads is an int; with an extent that is a long, it is a long");
  }
  warnOfManyThreads(body, grid);
  return product(grid.dimensions);
}

// Computes places in device code, at the beginning of the spawn: x = rank % width, y = rank / width % height, z =
// rank / width / height.
void placeThreads(Body& body, Grid& grid, SourceRange range, std::vector<Stmt*>& declared) {
  for (size_t i = 0; i < grid.dimensions; ++i) {
    Expr* place = body.sema.nodes.make(Expr::ThreadRank, body.mode.rank_type, range);
    for (size_t inner = 0; inner < i; ++inner)
      place = binaryOn(body, BinaryOp::Div, place, useVariable(body, grid.extents[inner], range), range);
    if (i + 1 < grid.dimensions)
      place = binaryOn(body, BinaryOp::Rem, place, useVariable(body, grid.extents[i], range), range);
    grid.places[i] = constant(body, kPlaceNames[i], place, range, declared);
  }
}

// thread.x, thread.width, ...; null: another name.
Expr* gridMember(Body& body, const ast::Expr* e) {
  auto place = numberOf(e->name, kPlaces), extent = numberOf(e->name, kExtents);
  if (!place && !extent)
    return nullptr;
  if (!body.mode.rank_type)
    return fail(body, Diag::thread_outside_spawn, e->range, e->name);
  size_t i = place ? *place : *extent;
  if (!body.mode.grid || i >= body.mode.grid->dimensions)
    return fail(body, Diag::no_such_dimension, e->range, e->name, i == 2 ? "(w, h, d)" : "(w, h)");
  if (place && !onDevice(body))
    return fail(body, Diag::rank_on_host, e->range, e->name);
  return useVariable(body, place ? body.mode.grid->places[i] : body.mode.grid->extents[i], e->range);
}

// Returns how many of the call's arguments name the thread; `others`: the number of the rest.
size_t ranksIn(const Body& body, const ast::Expr* call, size_t others) {
  size_t given = call->args.size() - std::min(call->args.size(), others);
  bool several = body.mode.grid && given > 1 && given <= ast::kMostExtents &&
                 (given == body.mode.grid->dimensions || body.mode.grid == anyGrid(body.sema));
  return several ? given : 1;
}

// Returns the rank that the first arguments of a call name: the rank itself, or the place of a thread as it was at
// the spawn. -1 if there is no thread. Null if one of them is no number, which is reported.
Expr* rankAt(Body& body, const ast::Expr* call, size_t count) {
  std::vector<Argument> places;
  for (const ast::Expr* written : call->args.first(count)) {
    Expr* place = rvalue(body, written);
    if (place->type->isError())
      return nullptr;
    if (!place->type->isInt()) {
      body.sema.diag.report(Diag::bad_index, place->range, typeName(place->type));
      return nullptr;
    }
    Argument& argument = places.emplace_back();
    argument.value = cast(body, place, body.mode.rank_type), argument.range = place->range;
  }
  if (count == 1)
    return places[0].value;
  for (size_t i = 0; i < count; ++i) {
    Argument& extent = places.emplace_back();
    extent.value = useVariable(body, body.mode.grid->extents[i], call->range), extent.range = call->range;
  }
  Expr* rank = callWith(body, "__rank_at", std::move(places), call->range);
  return rank->type->isError() ? nullptr : rank;
}

} // namespace bsgp::sema

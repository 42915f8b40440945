// Spawns of two and three dimensions. Behind this phase there are none: their extents are variables of the host, the
// places of threads are variables of each thread, which go with it where ranks are assigned anew.
//
//   spawn (w, h) {               const width = w, height = h;  assert(they are not negative, and the product is a rank)
//     … thread.x …          =>   spawn (width * height) { const x = thread.rank % width, y = thread.rank / width;
//   }                              … x … }
//
// A function that is called there sees the same variables: each such spawn has instances of its own of it.
#include <algorithm>
#include <optional>

#include "sema/checker.h"

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

// Variables without values, for a function that nobody calls: it may be one for either number of dimensions.
const Grid* Sema::anyGrid() {
  if (any_grid_)
    return any_grid_;
  any_grid_ = arena.make<Grid>();
  any_grid_->dimensions = ast::kMostExtents;
  for (size_t i = 0; i < ast::kMostExtents; ++i) {
    any_grid_->extents[i] = arena.make<Variable>(kExtentNames[i], types.i32, SourceRange{});
    any_grid_->places[i] = arena.make<Variable>(kPlaceNames[i], types.i32, SourceRange{});
    any_grid_->places[i]->side = Side::Device;
  }
  return any_grid_;
}

// In host code, before the spawn; what has to be done there goes to `before`.
Grid* Body::startGrid(std::span<Expr* const> extents, const Type* rank, std::vector<Stmt*>& before) {
  auto* grid = sema_.arena.make<Grid>();
  grid->dimensions = extents.size();
  for (size_t i = 0; i < extents.size(); ++i) {
    Expr* extent = cast(extents[i], rank);
    Variable* variable = constant(kExtentNames[i], extent, extents[i]->range, before);
    fn_.locals.push_back(variable);
    grid->extents[i] = variable;
  }
  return grid;
}

// A variable that is not assigned to again.
Variable* Body::constant(std::string_view name, Expr* value, SourceRange range, std::vector<Stmt*>& declared) {
  auto* variable = sema_.arena.make<Variable>(name, value->type, range);
  variable->side = side_, variable->is_const = variable->of_grid = true;
  if (ConstValue known; Sema::constantValue(value, known))
    variable->constants.push_back(known);
  Stmt* made = sema_.make(Stmt::Decl, range);
  made->variable = variable, made->expr = value;
  declared.push_back(made);
  return variable;
}

// How many threads there are. What has to hold, so that it is a rank, is asserted in `before`.
Expr* Body::threadsOf(const Grid& grid, SourceRange range, std::vector<Stmt*>& before) {
  auto product = [&](size_t count) {
    Expr* all = useVariable(grid.extents[0], range);
    for (size_t i = 1; i < count; ++i)
      all = binaryOn(BinaryOp::Mul, all, useVariable(grid.extents[i], range), range);
    return all;
  };
  auto require = [&](Expr* condition, std::string_view why) {
    Stmt* made = sema_.make(Stmt::Expr, range);
    made->expr = sema_.make(Expr::BuiltinCall, types_.void_, range);
    made->expr->builtin = Builtin::Assert, made->expr->a = condition, made->expr->text = why;
    before.push_back(made);
  };
  const Type* rank = grid.extents[0]->type;
  auto extent = [&](size_t i) { return useVariable(grid.extents[i], range); };
  auto zero = [&] { return number(0, rank, range); };
  for (size_t i = 0; i < grid.dimensions; ++i)
    require(binaryOn(BinaryOp::Ge, extent(i), zero(), range), "the extents of a spawn are not negative");
  for (size_t i = 1; i < grid.dimensions; ++i) {
    Expr* fits = sema_.make(Expr::LogicalOr, types_.bool_, range);
    fits->a = binaryOn(BinaryOp::Eq, extent(i), zero(), range);
    Expr* most = binaryOn(BinaryOp::Div, number(largest(rank), rank, range), extent(i), range);
    fits->b = binaryOn(BinaryOp::Le, product(i), most, range);
    require(fits, rank->bits == 64 ? "the number of threads is a long"
                                   : "the number of threads is an int; with an extent that is a long, it is a long");
  }
  return product(grid.dimensions);
}

// In device code, where the spawn begins: x = rank % width, y = rank / width % height, z = rank / width / height.
void Body::placeThreads(Grid& grid, SourceRange range, std::vector<Stmt*>& declared) {
  for (size_t i = 0; i < grid.dimensions; ++i) {
    Expr* place = sema_.make(Expr::ThreadRank, rank_type_, range);
    for (size_t inner = 0; inner < i; ++inner)
      place = binaryOn(BinaryOp::Div, place, useVariable(grid.extents[inner], range), range);
    if (i + 1 < grid.dimensions)
      place = binaryOn(BinaryOp::Rem, place, useVariable(grid.extents[i], range), range);
    grid.places[i] = constant(kPlaceNames[i], place, range, declared);
  }
}

// thread.x, thread.width, ...; null: another name.
Expr* Body::gridMember(const ast::Expr* e) {
  auto place = numberOf(e->name, kPlaces), extent = numberOf(e->name, kExtents);
  if (!place && !extent)
    return nullptr;
  if (!rank_type_)
    return fail(Diag::thread_outside_spawn, e->range, e->name);
  size_t i = place ? *place : *extent;
  if (!grid_ || i >= grid_->dimensions)
    return fail(Diag::no_such_dimension, e->range, e->name, i == 2 ? "(w, h, d)" : "(w, h)");
  if (place && !onDevice())
    return fail(Diag::rank_on_host, e->range, e->name);
  return useVariable(place ? grid_->places[i] : grid_->extents[i], e->range);
}

// How many of the call's arguments say which thread is meant; `others`: how many there are beside those.
size_t Body::ranksIn(const ast::Expr* call, size_t others) const {
  size_t given = call->args.size() - std::min(call->args.size(), others);
  bool several =
      grid_ && given > 1 && given <= ast::kMostExtents && (given == grid_->dimensions || grid_ == sema_.anyGrid());
  return several ? given : 1;
}

// Of the numbers in front of a call's arguments: a rank, or the place of a thread as it was at the spawn. -1 where there
// is no thread. Null: one of them is no number, which is said.
Expr* Body::rankAt(const ast::Expr* call, size_t count) {
  std::vector<Argument> places;
  for (const ast::Expr* written : call->args.first(count)) {
    Expr* place = rvalue(written);
    if (place->type->isError())
      return nullptr;
    if (!place->type->isInt()) {
      sema_.diag.report(Diag::bad_index, place->range, typeName(place->type));
      return nullptr;
    }
    Argument& argument = places.emplace_back();
    argument.value = cast(place, rank_type_), argument.range = place->range;
  }
  if (count == 1)
    return places[0].value;
  for (size_t i = 0; i < count; ++i) {
    Argument& extent = places.emplace_back();
    extent.value = useVariable(grid_->extents[i], call->range), extent.range = call->range;
  }
  Expr* rank = callWith("__rank_at", std::move(places), call->range);
  return rank->type->isError() ? nullptr : rank;
}

} // namespace bsgp::sema

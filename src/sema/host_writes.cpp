#include "sema/host_writes.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "sema/binary_operators.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

namespace {

using ast::BinaryOp;

std::string textOf(const ast::Expr* e, const SourceManager& sources) {
  return std::string(sources.text(e->range));
}

// A change of one place that the threads make together: total += x, best = max(best, x).
struct Update {
  enum Kind : uint8_t { None, Operator, Extreme } kind = None;
  std::string op;      // + of +=, max
  std::string reduced; // the operator of the reduction
  std::string value;   // of each thread
  const char* neutral = "0";
  bool counts = false;      // ++
  bool names_place = false; // the value depends on the place in another way, which no reduction has
};

Update updateBy(BinaryOp op, std::string value) {
  const Gathering* gathering = gatheringOf(op);
  if (!gathering)
    return {};
  return {Update::Operator, ast::spelling(op), gathering->reduction, std::move(value), gathering->begin};
}

bool isName(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

// The value of place && x as a bool.
std::string asBool(const ast::Expr* e, const SourceManager& sources) {
  bool is_bool =
      e->kind == ast::Expr::Binary && ((e->binary >= BinaryOp::Lt && e->binary <= BinaryOp::Ne) ||
                                       e->binary == BinaryOp::LogicalAnd || e->binary == BinaryOp::LogicalOr);
  is_bool |= e->kind == ast::Expr::BoolLit || (e->kind == ast::Expr::Unary && e->unary == ast::UnaryOp::Not);
  std::string text = textOf(e, sources);
  if (is_bool)
    return text;
  return isName(text) ? "(bool)" + text : "(bool)(" + text + ")";
}

// all = all && x, any = x || any
Update logicalOf(const ast::Expr* value, const std::string& place, const SourceManager& sources) {
  bool all = value->binary == BinaryOp::LogicalAnd;
  for (const ast::Expr* part : {value->a, value->b})
    if (textOf(part, sources) == place) {
      std::string own = asBool(part == value->a ? value->b : value->a, sources);
      return {Update::Operator, all ? "&" : "|", all ? "&" : "|", std::move(own), all ? "true" : "false"};
    }
  return {};
}

// total = total + x + y, of one operator
Update chainOf(const ast::Expr* value, const std::string& place, const SourceManager& sources) {
  std::string rest;
  const ast::Expr* at = value;
  for (; at->kind == ast::Expr::Binary && at->binary == value->binary; at = at->a)
    rest = textOf(at->b, sources) + (rest.empty() ? "" : fmt::format(" {} ", ast::spelling(value->binary))) + rest;
  bool holds = value->binary != BinaryOp::Sub || at == value->a; // t - x - y takes away a sum
  return holds && textOf(at, sources) == place ? updateBy(value->binary, std::move(rest)) : Update();
}

// total = x + total
Update mirrored(const ast::Expr* value, const std::string& place, const SourceManager& sources) {
  bool holds = textOf(value->b, sources) == place && value->binary != BinaryOp::Sub;
  return holds ? updateBy(value->binary, textOf(value->a, sources)) : Update();
}

bool namesPlace(const ast::Expr* value, const std::string& place, const SourceManager& sources) {
  bool found = false;
  walk(value, [&](const ast::Expr* part) { found |= textOf(part, sources) == place; });
  return found;
}

// max(best, x) or max(x, best), of the place `best`.
Update extremeOf(const ast::Expr* value, const std::string& place, const SourceManager& sources) {
  bool call = value->kind == ast::Expr::Call && value->a->kind == ast::Expr::Name && value->args.size() == 2;
  std::string name = call ? calledName(value->a) : "";
  if (name == "fmax" || name == "fmin")
    name = name.substr(1);
  if (name != "max" && name != "min")
    return {};
  for (int i = 0; i < 2; ++i)
    if (textOf(value->args[size_t(i)], sources) == place)
      return {Update::Extreme, name, name, textOf(value->args[size_t(1 - i)], sources)};
  return {};
}

// if (x > best) best = x; negated: it is assigned where the condition does not hold
Update extremeBy(const ast::Expr* condition, const ast::Expr* value, const std::string& place,
                 const SourceManager& sources, bool negated = false) {
  if (!condition || condition->kind != ast::Expr::Binary || condition->binary < BinaryOp::Lt ||
      condition->binary > BinaryOp::Ge)
    return {};
  std::string left = textOf(condition->a, sources), right = textOf(condition->b, sources), own = textOf(value, sources);
  bool greater = (condition->binary == BinaryOp::Gt || condition->binary == BinaryOp::Ge) != negated;
  if (!(left == own && right == place) && !(left == place && right == own))
    return {};
  const char* name = greater == (left == own) ? "max" : "min";
  return {Update::Extreme, name, name, own};
}

// best = x > best ? x : best
Update chosenOf(const ast::Expr* value, const std::string& place, const SourceManager& sources) {
  bool keeps = textOf(value->b, sources) == place;
  if (!keeps && textOf(value->c, sources) != place)
    return {};
  return extremeBy(value->a, keeps ? value->c : value->b, place, sources, keeps);
}

// total = total + x, and other values that the place itself is in.
Update restated(const ast::Expr* value, const std::string& place, const SourceManager& sources) {
  Update update;
  if (value->kind == ast::Expr::Binary && gatheringOf(value->binary)) {
    update = chainOf(value, place, sources);
    if (update.kind == Update::None)
      update = mirrored(value, place, sources);
  } else if (value->kind == ast::Expr::Binary &&
             (value->binary == BinaryOp::LogicalAnd || value->binary == BinaryOp::LogicalOr)) {
    update = logicalOf(value, place, sources);
  } else if (value->kind == ast::Expr::Conditional) {
    update = chosenOf(value, place, sources);
  } else {
    update = extremeOf(value, place, sources);
  }
  update.names_place = update.kind == Update::None && namesPlace(value, place, sources);
  return update;
}

Update updateOf(const HostWrite& write, const std::string& place, const SourceManager& sources) {
  const ast::Expr* e = write.write;
  if (isCount(e)) {
    bool down = e->unary == ast::UnaryOp::PreDec || e->unary == ast::UnaryOp::PostDec;
    Update update = updateBy(down ? BinaryOp::Sub : BinaryOp::Add, "1");
    update.counts = true;
    return update;
  }
  if (e->kind != ast::Expr::Assign || !e->b)
    return {};
  if (e->has_op)
    return updateBy(e->binary, textOf(e->b, sources));
  if (Update update = restated(e->b, place, sources); update.kind != Update::None || update.names_place)
    return update;
  return extremeBy(write.condition, e->b, place, sources);
}

std::string reductionOf(const Update& update, const std::string& place, const std::string& value) {
  if (update.kind == Update::Extreme)
    return fmt::format("{0} = {1}({0}, reduce({1}, {2}))", place, update.op, value);
  return fmt::format("{} {}= reduce({}, {})", place, update.op, update.reduced, value);
}

} // namespace

std::string deviceMemoryFor(const HostWrite& write, const Expr& place, const SourceManager& sources) {
  const Expr* array = place.kind == Expr::Index ? place.a : nullptr;
  bool plain = array && array->kind == Expr::Var && array->type->isArray() && place.type->isScalar();
  if (!plain)
    return "threads choose the place: keep it in device memory, which the host copies to and from: copy(to, from, "
           "count)";
  std::string_view name = array->variable->name, index = sources.text(place.b->range);
  std::string type = typeName(place.type);
  std::string help = fmt::format("threads choose the element: keep the array in device memory, {}* {} = dnew[{}]{}",
                                 type, name, array->type->count, type);
  if (place.type->isBool() || place.type->bits < 32) // no atomic function takes it
    return help;
  Update update = updateOf(write, textOf(write.write->a, sources), sources);
  bool counts = update.kind == Update::Operator && update.op == "+" && update.value == "1";
  if (update.kind == Update::Extreme)
    help += fmt::format(", and write atomic_{}(&{}[{}], {})", update.op, name, index, update.value);
  else if (update.kind == Update::Operator && update.reduced == "+")
    help += fmt::format(", and write atomic_add(&{}[{}], {})", name, index,
                        !counts && update.value.find('(') != std::string::npos ? "x"
                        : update.op == "-"                                     ? "-" + update.value
                                                                               : update.value);
  if (counts && place.type->isInt() && !write.construct)
    help += fmt::format(", or count all with histogram({}, {}, {})", name, array->type->count, index);
  return help;
}

std::string reductionFor(const HostWrite& write, const SourceManager& sources) {
  std::string place = textOf(write.write->a, sources);
  Update update = place.empty() ? Update() : updateOf(write, place, sources);
  bool assigned = update.kind == Update::None && !update.names_place && !place.empty() && write.reduction &&
                  write.write->kind == ast::Expr::Assign;
  if (!write.wider.empty() && update.kind == Update::Operator && !update.counts)
    update.value = isName(update.value) ? fmt::format("({}){}", write.wider, update.value)
                                        : fmt::format("({})({})", write.wider, update.value);
  if (assigned && write.asked && !write.construct && !write.write->has_op)
    return fmt::format("one value of all threads is a reduction: write {} = reduce({}, {})", place, write.reduction,
                       asBool(write.asked, sources));
  if (assigned && !write.construct && !write.write->has_op)
    return fmt::format(
        "one value of all threads is a reduction: write {} = reduce({}, {}), or with another operator; what each "
        "thread has is a variable of its own",
        place, write.reduction, textOf(write.write->b, sources));
  if (update.kind == Update::None)
    return kOtherPlaces;
  std::string why = "one value of all threads is a reduction: write ";
  bool running = write.in_loop && update.kind == Update::Operator && !update.counts;
  if (running)
    why = fmt::format("what each thread adds up is a variable of its own: declare it in the spawn; {}", why);
  if (!write.construct)
    return why + (update.counts ? fmt::format("{} {}= thread.size", place, update.op)
                                : reductionOf(update, place, update.value));
  std::string outside = fmt::format(", outside of the '{}'", wordOf(*write.construct));
  bool compared = update.kind == Update::Extreme && write.condition && !write.write->has_op &&
                  textOf(write.write->b, sources) == update.value; // if (x > best) best = x;
  if (compared)
    return why + reductionOf(update, place, update.value) + outside;
  if (write.condition && update.counts)
    return fmt::format("{}{} {}= {}{}){}; compact(list, x, {}, LIST_APPEND) gathers what these threads have", why,
                       place, update.op, place == "count" ? "reduce(+, " : "count(", textOf(write.condition, sources),
                       outside, textOf(write.condition, sources));
  if (write.condition && update.kind == Update::Operator)
    return why +
           reductionOf(update, place,
                       fmt::format("{} ? {} : {}", textOf(write.condition, sources), update.value, update.neutral)) +
           outside;
  return fmt::format("{}{}{}, where 'own' is a variable of the thread that has its part", why,
                     reductionOf(update, place, "own"), outside);
}

} // namespace bsgp::sema

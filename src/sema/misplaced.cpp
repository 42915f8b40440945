#include "sema/misplaced.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include <fmt/format.h>

#include "lex/lex.h"
#include "sema/body.h"
#include "sema/host_flow.h"
#include "sema/instantiate.h"
#include "sema/traits.h"

namespace bsgp::sema {

namespace {

// A name, a number, a member, or an expression in parentheses: it means the same beside any operator.
bool isOperand(std::string_view text) {
  if (text.size() > 1 && text.front() == '(' && text.find(')') == text.size() - 1)
    return true;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; });
}

// "thread.kill(({0}) && ({1}))" with the parts in their places; operands lose the parentheses around them.
std::string filled(std::string_view pattern, const std::vector<std::string>& parts) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    bool part = pattern[i] == '{' && i + 2 < pattern.size() && pattern[i + 2] == '}';
    size_t which = part ? static_cast<size_t>(pattern[i + 1] - '0') : parts.size();
    if (which >= parts.size()) {
      out += pattern[i];
      continue;
    }
    bool enclosed = i > 0 && pattern[i - 1] == '(' && i + 3 < pattern.size() && pattern[i + 3] == ')';
    bool bare = enclosed && isOperand(parts[which]);
    if (bare)
      out.pop_back();
    out += parts[which];
    i += bare ? 3 : 2;
  }
  return out;
}

// A call of a function without barriers: it is each thread's, whatever it is given.
bool callsFunction(const Expr* e) {
  if (!e)
    return false;
  return (e->kind == Expr::Call && !e->function->collective) || callsFunction(e->a) || callsFunction(e->b) ||
         callsFunction(e->c) || std::any_of(e->args.begin(), e->args.end(), callsFunction);
}

// True if the expression reads memory of the host, which was reported.
bool readsHostMemory(const Expr* e) {
  if (!e)
    return false;
  bool reads = (e->kind == Expr::Index || e->kind == Expr::Deref) && e->a->type->isPointer();
  if (reads && e->a->type->space->root()->space == Space::Host)
    return true;
  return readsHostMemory(e->a) || readsHostMemory(e->b) || readsHostMemory(e->c) ||
         std::any_of(e->args.begin(), e->args.end(), readsHostMemory);
}

} // namespace

constexpr const char* kWaysToPart = "let all threads agree, as in if (reduce(rop_or, found)); or put what it skips "
                                    "under an 'if', apart from the barriers";

constexpr std::string_view kCalledByAll = "all threads call it: "; // begins a pattern of the library
constexpr std::string_view kIntoNewVariable = "all threads call it, in a statement of its own in front: ";

static std::string waysToRead(const Body& body, const Enclosing& around, SourceRange where);
static void reportMisplaced(Body& body, const Misplaced& one, std::span<const Uniformity> flow);
static void reportInHostFlow(Body& body, const Misplaced& one, const Enclosing& around);
static std::string wayOut(const Body& body, const Misplaced& one, size_t first);

bool refuseInWavefront(Body& body, std::string_view what, SourceRange range) {
  const ast::Stmt* loop = body.mode.wavefront;
  if (!loop || body.mode.unevaluated)
    return false;
  body.sema.block_flow.alreadyTold(range);
  SourceRange& refused = body.flow.refused_in_wavefront;
  bool told = isWithin(refused, range) || isWithin(range, refused); // total = reduce(+, x), par { … }
  if (refused.valid() && told)
    return true;
  refused = range;
  body.sema.diag.report(Diag::in_wavefront, range, what);
  body.sema.diag.report(Diag::note_wavefront, ast::wavefrontWord(loop->range));
  return true;
}

// Reached by all threads or by none; else remembered, for decideFlow to look at.
void placeCollective(Body& body, const char* what, SourceRange range, std::vector<std::string> instead,
                     std::string help) {
  bool nothing_around = body.flow.enclosing.empty() && body.flow.returns.empty();
  bool exchanges = std::string_view(what) == kCallThatGets; // which a wavefront may do
  if (nothing_around || (!exchanges && refuseInWavefront(body, what, range)))
    return;
  body.flow.misplaced.push_back(
      {what, range, body.flow.returns.size(), body.flow.enclosing, std::move(instead), false, std::move(help)});
}

std::string formForAll(const Misplaced& call) {
  if (call.instead.empty() || !call.instead[0].starts_with(kIntoNewVariable))
    return "";
  std::vector<std::string> parts = call.instead;
  parts[0] = "{0}";
  return filled(call.instead[0].substr(kIntoNewVariable.size()), parts);
}

bool isWithin(SourceRange inner, SourceRange outer) {
  return inner.begin >= outer.begin && inner.end <= outer.end;
}

bool isPlacedWithin(const Body& body, SourceRange range) {
  return std::ranges::any_of(body.flow.misplaced, [&](const Misplaced& one) { return isWithin(one.range, range); });
}

std::string wayOutOfExpression(const Body& body, SourceRange range) {
  size_t outside = body.flow.enclosing.size();
  for (const Misplaced& one : body.flow.misplaced)
    if (isWithin(one.range, range) && one.around.size() > outside)
      return wayOut(body, one, outside);
  return "";
}

namespace {

constexpr std::string_view kForkOfSome = "thread.fork({0} ? {1} : 1)";

// if (c) k = thread.fork(2); else k = thread.fork(3);
bool areForksOfBothArms(const Misplaced& one, const Misplaced& other) {
  auto forks = [](const Misplaced& call) {
    return call.around.size() == 1 && !call.instead.empty() && call.instead[0].find(kForkOfSome) != std::string::npos;
  };
  return forks(one) && forks(other) && one.around[0].range.begin == other.around[0].range.begin &&
         !one.around[0].negated && other.around[0].negated;
}

// Two forks of which each thread reaches one become one call, which is reported once.
std::vector<Misplaced> withForksJoined(const std::vector<Misplaced>& all) {
  std::vector<Misplaced> joined;
  for (const Misplaced& one : all) {
    if (joined.empty() || !areForksOfBothArms(joined.back(), one)) {
      joined.push_back(one);
      continue;
    }
    std::string& pattern = joined.back().instead[0];
    pattern = pattern.substr(0, pattern.find(kForkOfSome)) + "thread.fork({0} ? {1} : {2})";
    joined.back().instead.push_back(one.instead[1]);
  }
  return joined;
}

} // namespace

// In a function, or (null) in the spawn whose body is `body`.
void reportMisplaced(Body& body, const Function* function, const Stmt* code, const std::vector<Misplaced>& placed) {
  std::vector<Misplaced> all = withForksJoined(placed);
  std::vector<FlowQuestion> questions;
  for (const Misplaced& one : all)
    for (const Enclosing& around : one.around)
      questions.push_back({around.loop, around.condition});
  if (all.empty())
    return;
  std::vector<Uniformity> answers = body.sema.block_flow.ask(function, *code, questions);
  for (const Misplaced& one : placed)
    body.sema.block_flow.alreadyTold(one.range);
  size_t next = 0;
  for (const Misplaced& one : all) {
    reportMisplaced(body, one, std::span(answers).subspan(next, one.around.size()));
    next += one.around.size();
  }
}

static void reportMisplaced(Body& body, const Misplaced& one, std::span<const Uniformity> flow) {
  const Enclosing* refused = nullptr;
  for (size_t i = 0; i < one.around.size(); ++i) {
    const Enclosing& around = one.around[i];
    const Expr* condition = around.tested();
    if (condition && (condition->type->isError() || readsHostMemory(condition)))
      return;
    Difference reason{.where = around.range};
    bool host = isHostValued(condition, &reason);
    const Difference* difference = flow[i].difference;
    bool same = !difference && !flow[i].params && !flow[i].of_block;
    if (host || same) {
      refused = isHosts(around) ? refused : &around;
      continue;
    }
    body.sema.diag.report(Diag::barrier_divergent, one.range, one.what, wordOf(around.construct),
                          !one.help.empty()                   ? one.help
                          : reason.root == Difference::Memory ? waysToRead(body, around, reason.where)
                                                              : wayOut(body, one, i));
    body.sema.diag.report(Diag::note_why, reason.where, textOf(reason));
    bool further = difference && difference->where.begin != reason.where.begin && textOf(*difference) != textOf(reason);
    if (further && around.made)
      body.sema.diag.report(Diag::note_why, difference->where, textOf(*difference));
    return;
  }
  if (refused)
    reportInHostFlow(body, one, *refused);
}

namespace {

// The place read at `where` in an expression, with the fields and elements of it that are taken; null: there is none.
const Expr* placeRead(const Expr* e, SourceRange where) {
  if (!e)
    return nullptr;
  const Expr* memory = e;
  while (memory->kind == Expr::Field || memory->kind == Expr::Swizzle ||
         (memory->kind == Expr::Index && !memory->a->type->isPointer()))
    memory = memory->a;
  bool reads = memory->kind == Expr::Index || memory->kind == Expr::Deref;
  if (reads && memory->range.begin == where.begin && memory->range.end == where.end)
    return e;
  for (const Expr* part : {e->a, e->b, e->c})
    if (const Expr* found = placeRead(part, where))
      return found;
  for (const Expr* arg : e->args)
    if (const Expr* found = placeRead(arg, where))
      return found;
  return nullptr;
}

// How the host reads a place in device memory; empty: the threads alone know its address.
std::string readByHost(const Body& body, const Expr& place, SourceRange where) {
  const Expr* memory = &place;
  while (memory->range.begin != where.begin || memory->range.end != where.end ||
         (memory->kind != Expr::Index && memory->kind != Expr::Deref) || !memory->a->type->isPointer())
    memory = memory->a;
  if (!isHostValued(memory->a) || !isHostValued(memory->b))
    return "";
  std::string text = sourceText(body, place.range);
  std::string_view pointer = body.sema.diag.sources().text(memory->a->range);
  bool element = memory->kind == Expr::Index, of_list = element && memory->a->kind == Expr::DListData;
  if (of_list || text == "...")
    return of_list ? text : "";
  if (element && memory->a->kind != Expr::Var) // of an array with extents
    return "";
  return fmt::format("peek({}, {}){}", pointer, element ? sourceText(body, memory->b->range) : "0",
                     body.sema.diag.sources().text({where.end, place.range.end}));
}

} // namespace

// The condition reads memory at `where`.
static std::string waysToRead(const Body& body, const Enclosing& around, SourceRange where) {
  const Expr* place = placeRead(around.tested(), where);
  std::string by_host = place ? readByHost(body, *place, where) : "";
  if (by_host.empty())
    return fmt::format("let all threads agree: reduce(rop_or, {}) is one value", sourceText(body, around.range));
  std::string_view name = nameFor(body, around.range.end);
  return fmt::format("let the host read it: require {0} = {1}; in front, and test {0}{2}; or let all threads agree: "
                     "reduce(rop_or, {3}) is one value",
                     name, by_host, around.loop ? "; at the end of the loop's body it is read anew" : "",
                     sourceText(body, around.range));
}

// A local in the condition that could live with the host, were it not for what stands at `how`; or null.
static const Variable* changedByThreads(const Body& body, const Expr* e, const HostLocals::ByThreads*& how) {
  if (!e || !body.flow.host_locals)
    return nullptr;
  if (e->kind == Expr::Var && e->variable->side == Side::Device)
    if (auto at = body.flow.host_locals->threads.find(e->variable->range.begin);
        at != body.flow.host_locals->threads.end()) {
      how = &at->second;
      return e->variable;
    }
  for (const Expr* part : {e->a, e->b, e->c})
    if (const Variable* found = changedByThreads(body, part, how))
      return found;
  return nullptr;
}

// The help for a collective in an operand of && or ||, or in an arm of ?:.
static std::string computedBefore(const Misplaced& one) {
  bool of_loop = std::ranges::any_of(one.around, &Enclosing::tests);
  return of_loop ? "compute it before the loop, in a statement of its own, and again at the end of the loop's body"
                 : "compute it before, in a statement of its own";
}

// Reports collective code that no thread is known to miss, but which still cannot stand there.
static void reportInHostFlow(Body& body, const Misplaced& one, const Enclosing& around) {
  Difference reason{.where = around.range};
  bool known = isHostValued(around.tested(), &reason);
  const HostLocals::ByThreads* how = nullptr;
  const Variable* changed = known ? nullptr : changedByThreads(body, around.tested(), how);
  if (changed)
    reason = {.root = how->assigned ? Difference::ChangedInExpression : Difference::ChangedByAddress,
              .name = changed->name,
              .where = how->range};
  bool parted = !known && around.parted_by.valid();
  if (parted)
    reason = {.root = Difference::TakenBySome,
              .name = body.sema.diag.sources().text(around.parted_by),
              .where = around.parted_by};
  std::string help =
      parted                  ? std::string(kWaysToPart)
      : around.inExpression() ? computedBefore(one)
      : around.isAsm()        ? std::string("write it before the asm, or behind it")
      : changed && how->assigned
          ? fmt::format(
                "write '{}' as a statement, which the host can run: before what asks for it, and where a loop's "
                "condition does, at the end of its body too",
                sourceText(body, reason.where))
      : !known && callsFunction(around.tested())
          ? std::string("each thread calls the function: let the host do it, in a 'require', and test what that gives")
      : !known
          ? std::string("the host has to know the condition: make it of constants, variables of the "
                        "host, thread.size and what reductions give")
          : fmt::format("the arms of a par have none of it: put the '{}' around the par", wordOf(around.construct));
  body.sema.diag.report(Diag::barrier_in_host_flow, one.range, one.what, wordOf(around.construct), help);
  bool has_condition = !around.isAsm() && (!around.loop || around.loop->expr);
  if (!known)
    body.sema.diag.report(Diag::note_why, reason.where, textOf(reason));
  else if (has_condition)
    body.sema.diag.report(Diag::note_condition, around.loop ? around.loop->expr->range : around.range,
                          wordOf(around.construct));
}

// True if an if has other statements in front of the call, which may change what its condition asks.
static bool hasStatementsBefore(const Body& body, const Misplaced& one) {
  const Enclosing& around = one.around.back();
  std::string_view between = body.sema.diag.sources().text({around.range.end, one.range.begin});
  if (size_t at = between.rfind("else"); around.negated && at != std::string_view::npos)
    between.remove_prefix(at);
  return !around.inExpression() && between.find(';') != std::string_view::npos;
}

// Under a condition that differs, the outermost of which is `first`: what all threads can call in its place, where the
// library says it.
static std::string wayOut(const Body& body, const Misplaced& one, size_t first) {
  std::string conditions;
  bool several = first + 1 < one.around.size(), in_loop = false;
  for (size_t i = first; i < one.around.size(); ++i) {
    const Enclosing& around = one.around[i];
    in_loop |= around.loop != nullptr || around.construct == Construct::Switch;
    std::string text = sourceText(body, around.range);
    if (around.negated || several || text.find('?') != std::string::npos)
      text = fmt::format("{}({})", around.negated ? "!" : "", text);
    conditions += (conditions.empty() ? "" : " && ") + text;
  }
  if (!one.instead.empty() && !in_loop) {
    std::vector<std::string> parts = one.instead;
    bool asks_anew = hasStatementsBefore(body, one);
    std::string name(asks_anew ? nameFor(body, one.range.end, {"holds", "chosen"}) : "");
    std::string pattern = std::exchange(parts[0], asks_anew ? name : conditions);
    std::string text = filled(pattern, parts);
    if (text.starts_with(kIntoNewVariable))
      text.insert(kIntoNewVariable.size(), fmt::format("{} = ", nameFor(body, one.range.end)));
    if (size_t call = text.find(": "); asks_anew && call != std::string::npos)
      return fmt::format(
          "write bool {} = {}; in front of the '{}', and behind it, together with what the call needs: {}", name,
          conditions, wordOf(one.around[first].construct), text.substr(call + 2));
    return text;
  }
  if (one.around[first].parted_by.valid())
    return kWaysToPart;
  if (one.around[first].loop && one.what == kCallThatGets)
    return fmt::format("test it in the loop's body, as in if (!({})) break;",
                       sourceText(body, one.around[first].range));
  if (one.around[first].loop)
    return fmt::format(
        "let all threads go round alike, as in while (reduce(rop_or, {})), with an 'if' around what only some do",
        sourceText(body, one.around[first].range));
  return one.around[first].inExpression() ? computedBefore(one) : "move it out, so that all threads reach it";
}

std::string_view nameFor(const Body& body, SourcePos here, std::initializer_list<std::string_view> names) {
  const SourceManager& sources = body.sema.diag.sources();
  Diagnostics reported_before(sources);
  std::unordered_set<std::string_view> taken;
  for (const Token& token : lex(sources, {body.begin, here}, reported_before))
    if (isName(token.kind))
      taken.insert(sources.text(token.range));
  for (std::string_view name : names)
    if (!taken.contains(name))
      return name;
  return "host_value";
}

std::string sourceText(const Body& body, SourceRange range) {
  constexpr size_t kLongest = 60;
  std::string_view text = body.sema.diag.sources().text(range);
  bool fits = text.size() <= kLongest && text.find('\n') == std::string_view::npos;
  return fits ? std::string(text) : "...";
}

// __instead("..."), in a collective of the library, says what all threads can call where the program calls it under a
// condition that differs between them: {0} is the condition, {1} and so on are the arguments. Pattern and arguments, or
// nothing.
std::vector<std::string> insteadOf(Body& body, const Function& function, const std::vector<Argument>& arguments,
                                   SourceRange range) {
  std::vector<std::string> parts;
  const ast::Function* node = declarationOf(body.sema, function);
  if (!node || traits(body.sema, *node).instead.empty())
    return parts;
  std::string pattern(traits(body.sema, *node).instead);
  bool is_statement = body.mode.unused && isWithin(body.mode.unused->range, range);
  if (!is_statement && pattern.starts_with(kCalledByAll))
    pattern.replace(0, kCalledByAll.size(), kIntoNewVariable);
  parts.push_back(std::move(pattern));
  for (const Argument& argument : arguments)
    parts.push_back(sourceText(body, argument.range));
  return parts;
}

} // namespace bsgp::sema

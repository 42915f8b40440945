// Finds the values that cross a barrier, and saves as little as possible.
//
// It goes from the last superstep to the first: a value that a superstep needs from before is recomputed there
// (freedom.h) or loaded. A load asks for a copy of the value under the numbering it is read by; the copy's writer is
// the superstep that defines the value, or, in a later numbering, the first superstep after the reassignment, which
// then needs the value itself:
//
//   superstep 1        superstep 2, reassigned       superstep 3
//   v = load ...       v = t1[oldrank]               v = t2[rank]
//   t1[rank] = v       ... ; t2[rank] = v            ...
//
// A phi at which edges join is a copy of its own, and so is every value that passes a join of several numberings: on
// each edge its stream takes the memory of the value that comes over that edge. A value without a stream there (a
// constant, a recomputed one) is stored by the superstep before.
//
// Times: a copy is written at the end of its writer, a put's target from its beginning. A direct read is at the
// beginning of the reader; one through oldrank or get may read another thread's element until the reader's end, and a
// copy that leaves a superstep over an edge is there at its end.
#include "bsp/crossing.h"

#include <algorithm>

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>

#include "bsp/cheap_values.h"
#include "bsp/lives.h"
#include "ir/names.h"
#include "ir/operations.h"
#include "support/check.h"

namespace bsgp::bsp {

using namespace llvm;
using ir::Op;
using ir::opOf;

namespace {

bool isPointer(const Instruction& value, unsigned space) {
  return value.getType()->isPointerTy() && value.getType()->getPointerAddressSpace() == space;
}

class CrossingFinder {
public:
  CrossingFinder(const ir::Supersteps& steps, const ir::Freedom& freedom, const PrivateMemory& memory,
                 const Reloads& reloads)
      : steps_(steps), freedom_(freedom), memory_(memory), reloads_(reloads),
        layout_((*steps.inOrder().begin())->getModule()->getDataLayout()) {
    result_.steps.resize(steps.count());
    stores_visited_.resize(steps.count() + 1);
  }

  Crossing run() {
    for (Instruction* instruction : steps_.inOrder())
      visitPut(*instruction);
    // a put in a loop may stand behind the barrier at which it lands
    for (Instruction* instruction : steps_.inOrder())
      visitReader(*instruction);
    for (auto& [get, value] : gets_)
      saveForGet(*get, *value);
    for (unsigned number = steps_.count(); number >= 1; --number)
      visitStep(steps_.step(number));
    followWays();
    for (const PrivateArray& array : memory_.arrays)
      if (array.crossesAny())
        saveArray(array);
    findStoredPointers();
    finish();
    return std::move(result_);
  }

private:
  StoredCopy& save(StoredCopy::Kind kind, Instruction& what, Type* type, uint64_t bytes, unsigned writer) {
    auto saved = std::make_unique<StoredCopy>();
    saved->kind = kind;
    saved->what = &what;
    saved->type = type;
    saved->name = displayName(what);
    saved->bytes = uint32_t(bytes);
    saved->writer = writer;
    saved->generation = steps_.generation(writer);
    saved->begin = kind == StoredCopy::PutFlag || kind == StoredCopy::PutPart ? beginning(writer) : end(writer);
    result_.saved.push_back(std::move(saved));
    return *result_.saved.back();
  }

  // Saves a copy that begins where edges join.
  StoredCopy& saveMeeting(StoredCopy::Kind kind, Instruction& what, Type* type, uint64_t bytes, unsigned step) {
    StoredCopy& saved = save(kind, what, type, bytes, step);
    saved.writer = 0;
    saved.begin = beginning(step);
    return saved;
  }

  static void readUntil(StoredCopy& saved, uint32_t time) { saved.reads.push_back(time); }

  // The time of a superstep's last read of its own element; oldrank reads another thread's, up to the end.
  uint32_t lastRead(unsigned step) const { return steps_.step(step).reassigned ? end(step) : beginning(step); }

  uint64_t bytesOf(Type* type) const { return layout_.getTypeStoreSize(type).getFixedValue(); }

  // ---- puts and gets

  void visitPut(Instruction& instruction) {
    auto* call = dyn_cast<CallInst>(&instruction);
    unsigned step = steps_.stepOf(instruction);
    if (opOf(instruction) == Op::PutMark)
      result_.of_put[ir::constantArgument(*call, 1)] =
          &save(StoredCopy::PutFlag, instruction, Type::getInt8Ty(instruction.getContext()), 1, step);
    if (opOf(instruction) != Op::Put)
      return;
    Type* type = call->getArgOperand(2)->getType();
    result_.of_put_part[ir::constantArgument(*call, 1)] =
        &save(StoredCopy::PutPart, instruction, type, bytesOf(type), step);
  }

  void visitReader(Instruction& instruction) {
    auto* call = dyn_cast<CallInst>(&instruction);
    unsigned step = steps_.stepOf(instruction);
    switch (opOf(instruction)) {
    case Op::PutLanded:
      return readUntil(*result_.of_put.lookup(ir::constantArgument(*call, 1)), lastRead(step));
    case Op::PutValue:
      return readUntil(*result_.of_put_part.lookup(ir::constantArgument(*call, 1)), lastRead(step));
    case Op::Get:
      return noteGet(*call);
    default:
      break;
    }
  }

  // The value that a get reads: its thread's copy under the numbering of the last barrier.
  void noteGet(CallInst& get) {
    auto* snapshot = cast<CallInst>(get.getArgOperand(1));
    auto* value = dyn_cast<Instruction>(snapshot->getArgOperand(0));
    if (!value || freedom_.of(*value) == ir::Freedom::kAlways)
      return;
    gets_.push_back({&get, value});
    unsigned barrier = steps_.stepOf(*snapshot);
    auto [known, added] = first_snapshot_.try_emplace({value, steps_.step(barrier).chain}, barrier);
    if (!added)
      known->second = std::min(known->second, barrier);
  }

  void saveForGet(CallInst& get, Instruction& value) {
    if (auto reload = reloads_.of(value, steps_.stepOf(get)); reload && reload->written.empty()) {
      result_.reloads.push_back(std::make_unique<Reload>(std::move(*reload)));
      result_.reload_of_get[&get] = result_.reloads.back().get();
      return;
    }
    unsigned barrier = steps_.stepOf(*cast<CallInst>(get.getArgOperand(1)));
    StoredCopy& saved = freedom_.of(value) == int(steps_.generation(barrier))
                            ? copyForGets(value, steps_.step(barrier).chain)
                            : copyOf(value, steps_.generation(barrier));
    readUntil(saved, end(steps_.stepOf(get)));
    result_.of_get[&get] = &saved;
  }

  // Only gets need a copy of a value that every superstep can compute: one for a chain, as late as its first
  // snapshot.
  StoredCopy& copyForGets(Instruction& value, unsigned chain) {
    StoredCopy*& known = free_copies_[{&value, chain}];
    if (!known)
      known = &store(value, value, first_snapshot_.lookup({&value, chain}));
    return *known;
  }

  // ---- values

  // Its writer is the superstep that defines it, or the first one of the generation; or the copy begins where edges
  // join.
  StoredCopy& copyOf(Instruction& value, unsigned generation) {
    StoredCopy*& known = copies_[{&value, generation}];
    if (known)
      return *known;
    unsigned defined = definingStep(steps_, value), first = steps_.firstOfGeneration(generation);
    bool as_defined = steps_.generation(defined) == generation;
    if (as_defined && !steps_.meets(value))
      return *(known = &store(value, value, defined));
    if (!as_defined && !steps_.step(first).renumbered)
      return *(known = &store(value, value, first));
    unsigned meets_in = as_defined ? defined : first;
    known = &saveMeeting(StoredCopy::Value, value, value.getType(), bytesOf(value.getType()), meets_in);
    meetings_.push_back({known, meets_in});
    return *known;
  }

  // A copy that `writer` stores; `what` gives the name.
  StoredCopy& store(Value& value, Instruction& what, unsigned writer) {
    BSGP_CHECK(value.getType()->isSingleValueType(), "%s crosses a barrier in %s and is not a scalar",
               displayName(what).c_str(), what.getFunction()->getName().str().c_str());
    StoredCopy& saved = save(StoredCopy::Value, what, value.getType(), bytesOf(value.getType()), writer);
    result_.step(writer).stores.push_back({&value, &saved});
    stored_.push_back(writer);
    return saved;
  }

  // ---- edges

  // Finds the sources of the copies that begin where edges join, for each edge. That may ask for copies of other
  // values, in supersteps that have been visited.
  void followWays() {
    while (!meetings_.empty() || !stored_.empty()) {
      if (!stored_.empty()) {
        unsigned writer = stored_.back();
        stored_.pop_back();
        needStored(steps_.step(writer));
        continue;
      }
      auto [copy, step] = meetings_.pop_back_val();
      for (unsigned from : steps_.step(step).from)
        comeFrom(from, step, *copy);
    }
  }

  void comeFrom(unsigned from, unsigned step, StoredCopy& copy) {
    Value* value = copy.what;
    if (steps_.meets(*copy.what) && steps_.stepOf(*copy.what) == step)
      value = incoming(*cast<PHINode>(copy.what), from);
    if (isa<UndefValue>(value))
      return result_.moves[{from, step}].push_back({&copy, nullptr});
    auto* instruction = dyn_cast<Instruction>(value);
    StoredCopy& source = !instruction || freedom_.freeIn(*instruction, from) || neverSaved(*instruction)
                             ? store(*value, *copy.what, from)
                             : sourceOf(*instruction, {from, step}, copy);
    readUntil(source, end(from));
    if (&source != &copy)
      result_.moves[{from, step}].push_back({&copy, &source});
  }

  // Returns the source of a copy. If two variables of a loop begin with the same value, each gets a copy: in shared
  // memory neither could change in place.
  StoredCopy& sourceOf(Instruction& value, Way way, const StoredCopy& copy) {
    auto [from, step] = way;
    StoredCopy& source = copyOf(value, steps_.generation(from));
    bool enters_loop = from < step && any_of(steps_.step(step).from, [&](unsigned other) { return other >= step; });
    bool is_taken = any_of(result_.moves[way], [&](const Move& move) { return move.from == &source; });
    return enters_loop && is_taken && source.writer ? store(value, *copy.what, source.writer) : source;
  }

  Value* incoming(PHINode& phi, unsigned from) const {
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
      if (steps_.stepOf(*phi.getIncomingBlock(i)->getTerminator()) == from)
        return phi.getIncomingValue(i);
    return PoisonValue::get(phi.getType());
  }

  void visitStep(const ir::Superstep& step) {
    for (BasicBlock* block : step.blocks)
      for (Instruction& instruction : *block)
        visitUses(instruction, step);
    loadOrRecompute(step);
    needStored(step);
  }

  // Needs the values that are stored only to move, or are computed for a get.
  void needStored(const ir::Superstep& step) {
    StepTransfers& transfers = result_.step(step.number);
    for (size_t& next = stores_visited_[step.number]; next < transfers.stores.size(); ++next) {
      need(transfers.stores[next].value, step, false);
      loadOrRecompute(step); // may ask for more stores
    }
  }

  void visitUses(Instruction& instruction, const ir::Superstep& step) {
    if (opOf(instruction) == Op::Snapshot || ir::comesFromOutside(instruction))
      return;
    if (opOf(instruction) == Op::Get) {
      auto* value = cast<CallInst>(instruction.getOperand(1))->getArgOperand(0);
      noteUse(value, step);
      if (!result_.of_get.count(&instruction) && !result_.reload_of_get.count(&instruction))
        need(value, step, true);
    }
    for (Value* operand : instruction.operands()) {
      noteUse(operand, step);
      need(operand, step, true);
    }
  }

  // Decides for a value and its operands: known here, recomputed, or loaded from a superstep before.
  void need(Value* wanted, const ir::Superstep& step, bool used) {
    SmallVector<Value*, 8> work{wanted};
    while (!work.empty()) {
      auto* value = dyn_cast<Instruction>(work.pop_back_val());
      if (!value || ir::isHandle(*value) || isa<AllocaInst>(value))
        continue;
      bool outside = ir::comesFromOutside(*value), free = freedom_.freeIn(*value, step.number);
      bool here = !outside && steps_.stepOf(*value) == step.number && !steps_.meets(*value);
      if (here || (outside && free) || !needed_.insert({value, step.number}).second)
        continue;
      if (free || neverSaved(*value)) {
        result_.step(step.number).recomputed.push_back(value);
        work.append(value->value_op_begin(), value->value_op_end());
      } else {
        wanted_.push_back({value, used});
      }
    }
  }

  // A value that little arithmetic makes of other values needed here is recomputed, not loaded.
  void loadOrRecompute(const ir::Superstep& step) {
    auto known = [&](const Instruction& value) {
      return isa<AllocaInst>(value) || freedom_.freeIn(value, step.number) ||
             needed_.contains({const_cast<Instruction*>(&value), step.number});
    };
    for (size_t next = 0; next < wanted_.size(); ++next) {
      auto [value, used] = wanted_[next];
      if (!isCheap(*value, known)) {
        load(*value, step, used);
        continue;
      }
      result_.step(step.number).recomputed.push_back(value);
      if (used)
        addUse(*value, step.number);
      for (Value* operand : value->operands())
        need(operand, step, false);
    }
    wanted_.clear();
  }

  void load(Instruction& value, const ir::Superstep& step, bool used) {
    const Reload* reload = reloadOf(value, step);
    StoredCopy* saved = nullptr;
    if (!reload || !reload->written.empty()) {
      saved = &copyOf(value, step.reassigned ? step.before : step.generation);
      saved->reload = reload;
      readUntil(*saved, lastRead(step.number));
    }
    result_.step(step.number).loads.push_back({&value, saved, reload});
    if (used)
      addUse(value, step.number);
    if (isPointer(value, ir::kSharedSpace))
      result_.pointers.push_back({&value, nullptr, step.number});
    if (!isPointer(value, 0))
      return;
    SmallVector<const Value*, 4> objects;
    getUnderlyingObjects(&value, objects, nullptr, 0);
    auto array = find_if(objects, [](const Value* object) { return isa<AllocaInst>(object); });
    if (array != objects.end())
      result_.pointers.push_back({&value, *array, step.number});
  }

  // Decides at the last use of the value, which is visited first. A value that is stored for a get anyway is loaded
  // from there. Behind joins, uses in other chains may follow: each decides for itself, and tests nothing at run
  // time.
  const Reload* reloadOf(Instruction& value, const ir::Superstep& step) {
    auto [entry, first] = reload_of_.try_emplace({&value, steps_.isLine() ? 0 : step.number}, nullptr);
    const Reload*& known = entry->second;
    bool stored = copies_.count({&value, step.reassigned ? step.before : step.generation});
    if (!first || stored)
      return known;
    auto reload = reloads_.of(value, step.number);
    if (reload && (steps_.isLine() || reload->written.empty())) {
      result_.reloads.push_back(std::make_unique<Reload>(std::move(*reload)));
      known = result_.reloads.back().get();
    }
    return known;
  }

  // ---- the rows of the table

  void addUse(Instruction& value, unsigned step) {
    std::vector<unsigned>& used = used_[&value];
    if (used.empty() || used.back() != step) // supersteps come in descending order
      used.push_back(step);
  }

  // Casts and address arithmetic without a name are part of the expression around them: their operands count as used.
  void noteUse(Value* wanted, const ir::Superstep& step) {
    SmallVector<Value*, 4> work{wanted};
    while (!work.empty()) {
      auto* value = dyn_cast<Instruction>(work.pop_back_val());
      if (!value || ir::isHandle(*value) || isa<AllocaInst>(value) || opOf(*value) == Op::Param)
        continue;
      bool outside = ir::comesFromOutside(*value);
      unsigned defined = definingStep(steps_, *value);
      if (outside ? steps_.generation(defined) == step.generation : defined == step.number && !steps_.meets(*value))
        continue;
      bool named = !ir::sourceName(*value).empty();
      if (neverSaved(*value) && !named)
        work.append(value->value_op_begin(), value->value_op_end());
      else if (named || freedom_.of(*value) != ir::Freedom::kAlways) // else as good as a parameter
        addUse(*value, step.number);
    }
  }

  // ---- arrays

  // Follows the contents through the supersteps. A superstep that only reads leaves the copy unchanged.
  void saveArray(const PrivateArray& array) {
    std::vector<StoredCopy*> held(steps_.count() + 1); // at the end of each superstep
    SmallVector<std::pair<StoredCopy*, unsigned>, 4> meetings;
    CrossingRow row{array.alloca, 0, {}};
    for (const ir::Superstep& step : steps_.all()) {
      StoredCopy* current = array.needed[step.number] ? held[step.from.front()] : nullptr;
      if (array.needed[step.number] && step.meet) {
        current = &saveMeeting(StoredCopy::Array, *array.alloca, nullptr, array.bytes, step.number);
        meetings.push_back({current, step.number});
      }
      visitArray(array, step, current, row);
      held[step.number] = current;
    }
    for (auto [copy, step] : meetings)
      for (unsigned from : steps_.step(step).from) {
        if (held[from])
          readUntil(*held[from], end(from));
        if (held[from] != copy)
          result_.moves[{from, step}].push_back({copy, held[from]});
      }
    result_.rows.push_back(std::move(row));
  }

  // `current`: the copy at the beginning of the superstep, then the one at its end.
  void visitArray(const PrivateArray& array, const ir::Superstep& step, StoredCopy*& current, CrossingRow& row) {
    if (current && (array.touched[step.number] || step.reassigned)) {
      BSGP_CHECK(!array.early[step.number], "the array %s of %s is used before oldrank in superstep %u",
                 displayName(*array.alloca).c_str(), array.alloca->getFunction()->getName().str().c_str(), step.number);
      readUntil(*current, lastRead(step.number));
      result_.step(step.number).array_loads.push_back({array.alloca, current});
      if (array.touched[step.number])
        row.used.push_back(step.number);
    }
    if (!array.crosses[step.number]) {
      current = nullptr;
    } else if (!current || array.modified[step.number] || step.reassigned) {
      current = &save(StoredCopy::Array, *array.alloca, nullptr, array.bytes, step.number);
      result_.step(step.number).array_stores.push_back({array.alloca, current});
      row.defined = row.defined ? row.defined : step.number;
    }
  }

  void findStoredPointers() {
    auto crosses = [&](const Value* object) {
      return !isa<AllocaInst>(object) || any_of(memory_.arrays, [&](const PrivateArray& array) {
        return array.alloca == object && array.crossesAny();
      });
    };
    for (const StoredPointer& stored : memory_.stored)
      if (crosses(stored.into))
        result_.pointers.push_back({stored.into, stored.array, stored.step});
  }

  void finish() {
    for (StepTransfers& transfers : result_.steps) {
      auto by_order = [&](const Transfer& a, const Transfer& b) { return orderOf(a.value) < orderOf(b.value); };
      std::sort(transfers.recomputed.begin(), transfers.recomputed.end(),
                [&](Instruction* a, Instruction* b) { return steps_.order(*a) < steps_.order(*b); });
      std::stable_sort(transfers.loads.begin(), transfers.loads.end(), by_order);
      std::stable_sort(transfers.stores.begin(), transfers.stores.end(), by_order);
    }
    for (auto& [value, used] : used_) {
      std::reverse(used.begin(), used.end());
      result_.rows.push_back({value, definingStep(steps_, *value), used});
    }
    std::sort(result_.rows.begin(), result_.rows.end(),
              [&](const CrossingRow& a, const CrossingRow& b) { return rowOrder(a) < rowOrder(b); });
    std::sort(result_.saved.begin(), result_.saved.end(), [&](const auto& a, const auto& b) {
      return std::pair(a->begin, steps_.order(*a->what)) < std::pair(b->begin, steps_.order(*b->what));
    });
    findLives(steps_, result_);
  }

  unsigned orderOf(const Value* value) const {
    auto* instruction = dyn_cast<Instruction>(value);
    return instruction ? steps_.order(*instruction) : 0;
  }

  std::pair<unsigned, unsigned> rowOrder(const CrossingRow& row) const {
    return {row.defined, steps_.order(*row.value)};
  }

  const ir::Supersteps& steps_;
  const ir::Freedom& freedom_;
  const PrivateMemory& memory_;
  const Reloads& reloads_;
  const DataLayout& layout_;
  Crossing result_;
  std::vector<std::pair<CallInst*, Instruction*>> gets_;
  DenseMap<std::pair<Instruction*, unsigned>, unsigned> first_snapshot_; // value, chain: barrier
  DenseMap<std::pair<Instruction*, unsigned>, StoredCopy*> copies_;      // by generation
  DenseMap<std::pair<Instruction*, unsigned>, StoredCopy*> free_copies_; // by chain
  DenseMap<std::pair<Instruction*, unsigned>, const Reload*> reload_of_; // by superstep, or 0 for all
  // those whose edges are still to be followed, and the superstep where they begin
  SmallVector<std::pair<StoredCopy*, unsigned>, 8> meetings_;
  std::vector<std::pair<Instruction*, bool>> wanted_; // in the superstep that is visited, and whether it uses it
  std::vector<unsigned> stored_;                      // supersteps that have got more to store
  std::vector<size_t> stores_visited_;                // by superstep
  DenseMap<Instruction*, std::vector<unsigned>> used_;
  DenseSet<std::pair<Instruction*, unsigned>> needed_; // in that superstep
};

} // namespace

unsigned definingStep(const ir::Supersteps& steps, const Instruction& value) {
  Op op = opOf(value);
  if (op == Op::Rank || op == Op::Size)
    return ir::stepOfEpoch(*cast<CallInst>(value).getArgOperand(0));
  return steps.stepOf(value);
}

namespace {

// Optimization leaves joins without names; one gets the name of the single variable whose values it joins.
std::string nameOfJoined(const Instruction& join) {
  std::string name;
  if (!isa<SelectInst, PHINode>(join))
    return name;
  for (const Value* operand : join.operands()) {
    std::string other = isa<SelectInst>(join) && operand == join.getOperand(0) ? "" : ir::sourceName(*operand);
    if (!other.empty() && !name.empty() && other != name)
      return "";
    if (!other.empty())
      name = other;
  }
  return name;
}

} // namespace

std::string displayName(const Instruction& value) {
  if (std::string name = ir::sourceName(value); !name.empty())
    return name;
  if (std::string name = nameOfJoined(value); !name.empty())
    return name;
  auto id = [&](unsigned argument) { return std::to_string(ir::constantArgument(cast<CallInst>(value), argument)); };
  switch (opOf(value)) {
  case Op::Rank:
    return "thread.rank";
  case Op::Size:
    return "thread.size";
  case Op::PutMark:
    return "put " + id(1) + " landed";
  case Op::Put:
    return "put part " + id(1);
  default:
    return "%" + (value.hasName() ? value.getName().str() : value.getOpcodeName());
  }
}

bool neverSaved(const Instruction& value) {
  return isa<CastInst, GetElementPtrInst>(value);
}

Crossing findCrossing(const ir::Supersteps& steps, const ir::Freedom& freedom, const PrivateMemory& memory,
                      const Reloads& reloads) {
  return CrossingFinder(steps, freedom, memory, reloads).run();
}

} // namespace bsgp::bsp

// Finds the values that cross a barrier, and saves as little as possible.
//
// From the last superstep to the first: what a superstep needs from before is recomputed there (freedom.h) or loaded. A
// load asks for a copy of the value under the numbering it is read by; the copy's writer is the superstep that defines
// the value, or, in a later numbering, the first superstep after the reassignment, which then needs the value itself:
//
//   superstep 1        superstep 2, reassigned       superstep 3
//   v = load ...       v = t1[oldrank]               v = t2[rank]
//   t1[rank] = v       ... ; t2[rank] = v            ...
//
// Lifetimes: a copy is written at the end of its writer, a put's target from its beginning. A direct read is
// at the beginning of the reader; one through oldrank or get may read another thread's element until the reader's end.
#include "bsp/crossing.h"

#include <algorithm>

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>

#include "ir/names.h"
#include "ir/operations.h"
#include "support/check.h"

namespace bsgp::bsp {

using namespace llvm;
using ir::Op;
using ir::opOf;

namespace {

uint32_t beginning(unsigned step) {
  return 2 * step;
}
uint32_t end(unsigned step) {
  return 2 * step + 1;
}

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
  }

  Crossing run() {
    for (Instruction* instruction : steps_.inOrder())
      visitCommunication(*instruction);
    for (auto& [get, value] : gets_)
      saveForGet(*get, *value);
    for (unsigned number = steps_.count(); number >= 1; --number)
      visitStep(steps_.step(number));
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
    uint32_t start = kind == StoredCopy::PutFlag || kind == StoredCopy::PutPart ? beginning(writer) : end(writer);
    saved->life = {start, start};
    result_.saved.push_back(std::move(saved));
    return *result_.saved.back();
  }

  static void readUntil(StoredCopy& saved, uint32_t time) { saved.life.end = std::max(saved.life.end, time); }

  // When a superstep that reads its own element is done with it: oldrank leads to another's.
  uint32_t lastRead(unsigned step) const { return steps_.step(step).reassigned ? end(step) : beginning(step); }

  uint64_t bytesOf(Type* type) const { return layout_.getTypeStoreSize(type).getFixedValue(); }

  // ---- puts and gets

  void visitCommunication(Instruction& instruction) {
    auto* call = dyn_cast<CallInst>(&instruction);
    unsigned step = steps_.stepOf(instruction);
    switch (opOf(instruction)) {
    case Op::PutMark:
      result_.of_put[ir::constantArgument(*call, 1)] =
          &save(StoredCopy::PutFlag, instruction, Type::getInt8Ty(instruction.getContext()), 1, step);
      break;
    case Op::Put: {
      Type* type = call->getArgOperand(2)->getType();
      result_.of_put_part[ir::constantArgument(*call, 1)] =
          &save(StoredCopy::PutPart, instruction, type, bytesOf(type), step);
      break;
    }
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
    if (!value || freedom_.oldest(*value) == ir::Freedom::kAlways)
      return;
    gets_.push_back({&get, value});
    unsigned barrier = steps_.stepOf(*snapshot);
    auto [known, added] = first_snapshot_.try_emplace({value, steps_.generation(barrier)}, barrier);
    if (!added)
      known->second = std::min(known->second, barrier);
  }

  void saveForGet(CallInst& get, Instruction& value) {
    unsigned step = steps_.stepOf(get);
    StoredCopy& saved = copyOf(value, steps_.generation(step - 1));
    readUntil(saved, end(step));
    result_.of_get[&get] = &saved;
  }

  // ---- values

  StoredCopy& copyOf(Instruction& value, unsigned generation) {
    StoredCopy*& known = copies_[{&value, generation}];
    if (known)
      return *known;
    BSGP_CHECK(value.getType()->isSingleValueType(), "%s crosses a barrier in %s and is not a scalar",
               displayName(value).c_str(), value.getFunction()->getName().str().c_str());
    unsigned writer = writerOf(value, generation);
    known = &save(StoredCopy::Value, value, value.getType(), bytesOf(value.getType()), writer);
    result_.step(writer).stores.push_back({&value, known});
    return *known;
  }

  unsigned writerOf(Instruction& value, unsigned generation) const {
    if (freedom_.oldest(value) >= int(generation)) // only a get wants a copy of it: as late as the snapshot
      return first_snapshot_.lookup({&value, generation});
    unsigned defined = definingStep(steps_, value);
    return steps_.generation(defined) == generation ? defined : steps_.firstOfGeneration(generation);
  }

  void visitStep(const ir::Superstep& step) {
    StepTransfers& transfers = result_.step(step.number);
    needed_.clear();
    for (BasicBlock* block : step.blocks)
      for (Instruction& instruction : *block)
        visitUses(instruction, step);
    for (size_t i = 0; i < transfers.stores.size(); ++i) // values that only move, or are computed for a get
      need(transfers.stores[i].value, step, false);
    auto by_order = [&](auto& a, auto& b) { return steps_.order(*a.value) < steps_.order(*b.value); };
    std::sort(transfers.recomputed.begin(), transfers.recomputed.end(),
              [&](Instruction* a, Instruction* b) { return steps_.order(*a) < steps_.order(*b); });
    std::sort(transfers.loads.begin(), transfers.loads.end(), by_order);
    std::sort(transfers.stores.begin(), transfers.stores.end(), by_order);
  }

  void visitUses(Instruction& instruction, const ir::Superstep& step) {
    if (opOf(instruction) == Op::Snapshot || ir::comesFromOutside(instruction))
      return;
    if (opOf(instruction) == Op::Get) {
      auto* value = cast<CallInst>(instruction.getOperand(1))->getArgOperand(0);
      noteUse(value, step);
      if (!result_.of_get.count(&instruction))
        need(value, step, true);
    }
    for (Value* operand : instruction.operands()) {
      noteUse(operand, step);
      need(operand, step, true);
    }
  }

  // Decides for a value and all it is computed from: known here, recomputed, or loaded.
  void need(Value* wanted, const ir::Superstep& step, bool used) {
    SmallVector<Value*, 8> work{wanted};
    while (!work.empty()) {
      auto* value = dyn_cast<Instruction>(work.pop_back_val());
      if (!value || ir::isHandle(*value) || isa<AllocaInst>(value))
        continue;
      bool outside = ir::comesFromOutside(*value), free = freedom_.freeIn(*value, step.number);
      bool here = !outside && steps_.stepOf(*value) == step.number;
      if (here || (outside && free) || !needed_.insert(value).second)
        continue;
      if (free || neverSaved(*value)) {
        result_.step(step.number).recomputed.push_back(value);
        work.append(value->value_op_begin(), value->value_op_end());
      } else {
        load(*value, step, used);
      }
    }
  }

  void load(Instruction& value, const ir::Superstep& step, bool used) {
    const Reload* reload = reloadOf(value, step);
    StoredCopy* saved = nullptr;
    if (!reload || !reload->written.empty()) {
      saved = &copyOf(value, step.generation - step.reassigned);
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

  // Decided where the value is used last, which comes first. What is stored for a get anyway is loaded from there.
  const Reload* reloadOf(Instruction& value, const ir::Superstep& step) {
    auto [known, first] = reload_of_.try_emplace(&value, nullptr);
    bool stored = copies_.count({&value, step.generation - step.reassigned});
    if (!first || stored)
      return known->second;
    if (auto reload = reloads_.of(value, step.number)) {
      result_.reloads.push_back(std::make_unique<Reload>(std::move(*reload)));
      known->second = result_.reloads.back().get();
    }
    return known->second;
  }

  // ---- the rows of the table

  void addUse(Instruction& value, unsigned step) {
    std::vector<unsigned>& used = used_[&value];
    if (used.empty() || used.back() != step) // supersteps come in descending order
      used.push_back(step);
  }

  // Casts and address arithmetic without a name are part of the expression around them: their operands are what is
  // used.
  void noteUse(Value* wanted, const ir::Superstep& step) {
    SmallVector<Value*, 4> work{wanted};
    while (!work.empty()) {
      auto* value = dyn_cast<Instruction>(work.pop_back_val());
      if (!value || ir::isHandle(*value) || isa<AllocaInst>(value) || opOf(*value) == Op::Param)
        continue;
      bool outside = ir::comesFromOutside(*value);
      unsigned defined = definingStep(steps_, *value);
      if (outside ? steps_.generation(defined) == step.generation : defined == step.number)
        continue;
      bool named = !ir::sourceName(*value).empty();
      if (neverSaved(*value) && !named)
        work.append(value->value_op_begin(), value->value_op_end());
      else if (named || freedom_.oldest(*value) != ir::Freedom::kAlways) // else as good as a parameter
        addUse(*value, step.number);
    }
  }

  // ---- arrays

  // Follows the contents through the supersteps. A superstep that only reads leaves the copy as it is.
  void saveArray(const PrivateArray& array) {
    StoredCopy* current = nullptr;
    CrossingRow row{array.alloca, 0, {}};
    for (const ir::Superstep& step : steps_.all()) {
      bool reads = current && (array.touched[step.number] || step.reassigned);
      if (reads) {
        BSGP_CHECK(!array.early[step.number], "the array %s of %s is used before oldrank in superstep %u",
                   displayName(*array.alloca).c_str(), array.alloca->getFunction()->getName().str().c_str(),
                   step.number);
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
    result_.rows.push_back(std::move(row));
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
    for (auto& [value, used] : used_) {
      std::reverse(used.begin(), used.end());
      result_.rows.push_back({value, definingStep(steps_, *value), used});
    }
    std::sort(result_.rows.begin(), result_.rows.end(),
              [&](const CrossingRow& a, const CrossingRow& b) { return rowOrder(a) < rowOrder(b); });
    std::sort(result_.saved.begin(), result_.saved.end(), [&](const auto& a, const auto& b) {
      return std::pair(a->life.start, steps_.order(*a->what)) < std::pair(b->life.start, steps_.order(*b->what));
    });
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
  DenseMap<std::pair<Instruction*, unsigned>, unsigned> first_snapshot_; // value, generation: barrier
  DenseMap<std::pair<Instruction*, unsigned>, StoredCopy*> copies_;
  DenseMap<Instruction*, const Reload*> reload_of_;
  DenseMap<Instruction*, std::vector<unsigned>> used_;
  DenseSet<Instruction*> needed_; // in the superstep at hand
};

} // namespace

unsigned definingStep(const ir::Supersteps& steps, const Instruction& value) {
  Op op = opOf(value);
  if (op == Op::Rank || op == Op::Size)
    return ir::stepOfEpoch(*cast<CallInst>(value).getArgOperand(0));
  return steps.stepOf(value);
}

namespace {

// Joins that optimization made have lost their names, but join values of one variable.
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

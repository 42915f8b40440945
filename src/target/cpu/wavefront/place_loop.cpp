#include "target/cpu/wavefront/place_loop.h"

#include <llvm/IR/CFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>

#include "plan/plan_abi.h"
#include "target/common/attributes.h"
#include "target/cpu/ranks/parallel_accesses.h"
#include "target/cpu/vectorize/lane_votes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kRounds = 4;          // of a station between two looks
constexpr unsigned kLooks = 64;          // at a station before the other lanes run in any case
constexpr unsigned kEnough = 3, kOf = 4; // a station goes on while more than 3 of 4 lanes are there

} // namespace

PlaceLoopWriter::PlaceLoopWriter(const WavefrontRegion& region, ThreadFrame& frame, unsigned places, Value* count,
                                 GlobalVariable* forms, Flags flags)
    : region_(region), frame_(frame), places_(places), count_(count), forms_(forms), flags_(flags),
      function_(*region.entry->getParent()), context_(function_.getContext()) {}

BasicBlock* PlaceLoopWriter::newBlock(const Twine& name) {
  return BasicBlock::Create(context_, name, &function_);
}

AllocaInst* PlaceLoopWriter::newVariable(Type* type, const Twine& name) {
  AllocaInst* variable = IRBuilder<>(frame_.entry, frame_.entry->begin()).CreateAlloca(type, nullptr, name);
  variables_.push_back(variable);
  return variable;
}

// A variable that all places share.
AllocaInst* PlaceLoopWriter::newOfAll(Type* type, const Twine& name) {
  AllocaInst* variable = IRBuilder<>(frame_.entry, frame_.entry->begin()).CreateAlloca(type, nullptr, name);
  variable->setMetadata(kLanes, MDNode::get(context_, {}));
  return variable;
}

Value* PlaceLoopWriter::isSet(IRBuilder<>& builder, AllocaInst& flag) {
  Type* type = flag.getAllocatedType();
  Value* value = builder.CreateLoad(type, &flag);
  return type->isIntegerTy(1) ? value : builder.CreateICmpSLT(value, ConstantInt::get(type, 0));
}

void PlaceLoopWriter::set(IRBuilder<>& builder, AllocaInst& flag, bool value) {
  Type* type = flag.getAllocatedType();
  builder.CreateStore(value ? Constant::getAllOnesValue(type) : Constant::getNullValue(type), &flag);
}

Value* PlaceLoopWriter::countOf(IRBuilder<>& builder, AllocaInst& flag) {
  return builder.CreateCall(declareVote(*function_.getParent(), LaneVote::Count), {isSet(builder, flag)});
}

// ---- segments

void PlaceLoopWriter::openSegments() {
  Type* i32 = Type::getInt32Ty(context_);
  Type* flag = flags_ == Flags::Bits ? Type::getInt1Ty(context_) : i32;
  alive_ = newVariable(flag, "place.alive");
  frame_.index = newVariable(i32, "place.index");
  next_ = newOfAll(i32, "run.next");
  for (const Segment& segment : region_.segments) {
    Code& code = codes_.emplace_back();
    code.top = newBlock("segment"), code.end = newBlock("segment.end");
    code.at = newVariable(flag, "at." + segment.point->getName());
    if (segment.station && forms_)
      code.looked = newOfAll(Type::getInt64Ty(context_), "looked"),
      code.busy = newOfAll(Type::getInt64Ty(context_), "busy");
    frame_.tops.push_back(code.top);
    IRBuilder<> builder(code.top);
    if (!segment.station)
      set(builder, *code.at, false);
    builder.CreateBr(segment.point);
  }
  openFeed();
}

// The first segment takes a thread. A place that finds none is no longer alive.
void PlaceLoopWriter::openFeed() {
  BasicBlock *feed = codes_[0].top, *enter = newBlock("feed.enter"), *none = newBlock("feed.none");
  IRBuilder<> builder(feed->getTerminator());
  Value* index = builder.CreateCall(declareVote(*function_.getParent(), LaneVote::Feed), {next_});
  builder.CreateCondBr(builder.CreateICmpULT(index, count_), enter, none);
  feed->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(enter);
  builder.CreateStore(index, frame_.index);
  builder.CreateBr(region_.segments[0].point);
  builder.SetInsertPoint(none);
  set(builder, *alive_, false);
  builder.CreateBr(codes_[0].end);
  frame_.tops[0] = enter;
}

// ---- edges between segments

void PlaceLoopWriter::takeEdges(ThreadValues& values) {
  for (auto [number, segment] : enumerate(region_.segments))
    for (BasicBlock* block : segment.blocks) {
      if (block == region_.end)
        continue;
      SmallSetVector<BasicBlock*, 2> after(succ_begin(block), succ_end(block));
      for (BasicBlock* to : after) {
        unsigned there = region_.segment_of.lookup(to);
        if (region_.segments[there].point == to)
          takeEdge(values, number, *block, *to);
      }
    }
}

void PlaceLoopWriter::takeEdge(ThreadValues& values, unsigned from, BasicBlock& block, BasicBlock& to) {
  unsigned there = region_.segment_of.lookup(&to);
  BasicBlock* edge = newBlock("to." + to.getName());
  IRBuilder<> builder(edge);
  for (PHINode& phi : to.phis())
    builder.CreateStore(values.at(phi.getIncomingValueForBlock(&block), from), values.variableOf(phi));
  if (region_.segments[from].station && there != from) {
    set(builder, *codes_[from].at, false);
    codes_[from].elsewhere.push_back(edge);
  }
  set(builder, *codes_[there].at, true);
  builder.CreateBr(codes_[from].end);
  block.getTerminator()->replaceSuccessorWith(&to, edge);
}

// At the end of the region the place is free for the next thread.
void PlaceLoopWriter::endThread() {
  unsigned last = region_.segment_of.lookup(region_.end);
  Instruction* end = region_.end->getTerminator();
  IRBuilder<> builder(end);
  set(builder, *codes_[0].at, true);
  builder.CreateBr(codes_[last].end);
  end->eraseFromParent();
}

void PlaceLoopWriter::readPhis(ThreadValues& values) {
  for (auto [number, segment] : enumerate(region_.segments))
    for (PHINode& phi : make_early_inc_range(segment.point->phis())) {
      if (segment.station)
        codes_[number].phis.push_back(values.variableOf(phi));
      IRBuilder<> builder(codes_[number].top, codes_[number].top->begin());
      phi.replaceAllUsesWith(builder.CreateLoad(phi.getType(), values.variableOf(phi), phi.getName()));
      phi.eraseFromParent();
    }
}

// The phis of a station that nothing else reads need not be kept for lanes that are not there: each edge to the station
// sets them. Other variables are set once, and a thread may come back to the station.
void PlaceLoopWriter::forget() {
  for (const Code& code : codes_)
    for (AllocaInst* phi : code.phis) {
      bool is_read_elsewhere = any_of(phi->users(), [&](const User* user) {
        return isa<LoadInst>(user) && cast<LoadInst>(user)->getParent() != code.top;
      });
      if (is_read_elsewhere)
        continue;
      for (BasicBlock* block : code.elsewhere)
        new StoreInst(PoisonValue::get(phi->getAllocatedType()), phi, block->getTerminator()->getIterator());
    }
}

// ---- the machine

// Segments in the order in which they run behind the stations: first what stands behind the last of these.
std::vector<unsigned> PlaceLoopWriter::segmentsBehindStations() const {
  unsigned count = region_.segments.size(), last = 0;
  for (unsigned number = 0; number != count; ++number)
    if (region_.segments[number].station)
      last = number;
  std::vector<unsigned> order;
  for (unsigned i = 1; i <= count; ++i)
    if (unsigned number = (last + i) % count; !region_.segments[number].station)
      order.push_back(number);
  return order;
}

BasicBlock* PlaceLoopWriter::writeSegment(unsigned number, BasicBlock& begin) {
  Code& code = codes_[number];
  BasicBlock *some = newBlock("segment.some"), *next = newBlock("segment.next");
  IRBuilder<> builder(&begin);
  builder.CreateCondBr(builder.CreateIsNotNull(countOf(builder, *code.at)), some, next);
  builder.SetInsertPoint(some);
  builder.CreateCondBr(isSet(builder, *code.at), code.top, code.end);
  builder.SetInsertPoint(code.end);
  builder.CreateBr(next);
  return next;
}

// The loop of a station, for the lanes that are there; goes on at `done`.
void PlaceLoopWriter::writeStation(unsigned number, BasicBlock& begin, BasicBlock& done) {
  Code& code = codes_[number];
  BasicBlock *look = newBlock("station"), *round = newBlock("round"), *after = newBlock("station.look");
  BasicBlock* elsewhere = newBlock("elsewhere");
  BranchInst::Create(look, &begin);
  IRBuilder<> builder(look);
  PHINode* looks = builder.CreatePHI(builder.getInt32Ty(), 2, "looks");
  builder.CreateBr(round);
  builder.SetInsertPoint(round);
  PHINode* rounds = builder.CreatePHI(builder.getInt32Ty(), 2, "rounds");
  builder.CreateCondBr(isSet(builder, *code.at), code.top, elsewhere);
  builder.SetInsertPoint(elsewhere);
  set(builder, *code.at, false);
  builder.CreateBr(code.end);
  code.elsewhere.push_back(elsewhere);
  builder.SetInsertPoint(code.end);
  Value* next_round = builder.CreateAdd(rounds, builder.getInt32(1));
  builder.CreateCondBr(builder.CreateICmpEQ(next_round, builder.getInt32(kRounds)), after, round);
  builder.SetInsertPoint(after);
  Value* next_look = builder.CreateAdd(looks, builder.getInt32(1));
  Value* here = countOf(builder, *code.at);
  countLanes(builder, code, here);
  Value* enough = builder.CreateICmpUGT(builder.CreateMul(here, builder.getInt32(kOf)),
                                        builder.CreateMul(countOf(builder, *alive_), builder.getInt32(kEnough)));
  Value* goes_on = builder.CreateAnd(enough, builder.CreateICmpULT(next_look, builder.getInt32(kLooks)));
  builder.CreateCondBr(goes_on, look, &done);
  looks->addIncoming(builder.getInt32(0), &begin);
  looks->addIncoming(next_look, after);
  rounds->addIncoming(builder.getInt32(0), look);
  rounds->addIncoming(next_round, code.end);
}

void PlaceLoopWriter::countLanes(IRBuilder<>& builder, const Code& code, Value* here) {
  if (!code.looked)
    return;
  auto add = [&](AllocaInst* counter, Value* by) {
    builder.CreateStore(builder.CreateAdd(builder.CreateLoad(by->getType(), counter), by), counter);
  };
  add(code.looked, builder.getInt64(places_));
  add(code.busy, builder.CreateZExt(here, builder.getInt64Ty()));
}

// At the end of a run: adds its counts to those of the kernel.
void PlaceLoopWriter::keepCounts(BasicBlock& exit) {
  IRBuilder<> builder(&exit);
  unsigned station = 0;
  for (const Code& code : codes_) {
    if (!code.looked || station == BSGP_FORM_STATIONS)
      continue;
    for (auto [counter, word] : {std::pair(code.looked, 0u), std::pair(code.busy, 1u)}) {
      uint64_t offset = offsetof(bsgp_forms, stations) + (station * 2 + word) * sizeof(uint64_t);
      Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), forms_, offset);
      builder.CreateAtomicRMW(AtomicRMWInst::Add, place, builder.CreateLoad(builder.getInt64Ty(), counter), Align(8),
                              AtomicOrdering::Monotonic);
    }
    ++station;
  }
}

// Runs the station with the most lanes.
BasicBlock* PlaceLoopWriter::writeStations(BasicBlock& begin) {
  std::vector<unsigned> stations;
  for (unsigned number = 0; number != region_.segments.size(); ++number)
    if (region_.segments[number].station)
      stations.push_back(number);
  BasicBlock *done = newBlock("stations.done"), *at = &begin;
  IRBuilder<> builder(at);
  SmallVector<Value*, 4> counts;
  if (stations.size() > 1)
    for (unsigned number : stations)
      counts.push_back(countOf(builder, *codes_[number].at));
  for (unsigned i = 0; i != stations.size(); ++i) {
    if (i + 1 == stations.size()) {
      writeStation(stations[i], *at, *done);
      continue;
    }
    Value* most = builder.getTrue();
    for (unsigned other = i + 1; other != stations.size(); ++other)
      most = builder.CreateAnd(most, builder.CreateICmpUGE(counts[i], counts[other]));
    BasicBlock *take = newBlock("station.take"), *others = newBlock("station.others");
    builder.CreateCondBr(most, take, others);
    writeStation(stations[i], *take, *done);
    builder.SetInsertPoint(at = others);
  }
  return done;
}

PlaceLoop PlaceLoopWriter::write(ThreadValues& values) {
  takeEdges(values);
  readPhis(values);
  endThread();
  PlaceLoop loop{newBlock("run"), newBlock("run.done")};
  BasicBlock *head = newBlock("place"), *machine = newBlock("machine"), *latch = newBlock("place.next");
  IRBuilder<> builder(loop.first);
  builder.CreateStore(builder.getInt32(0), next_);
  for (const Code& code : codes_)
    if (code.looked)
      builder.CreateStore(builder.getInt64(0), code.looked), builder.CreateStore(builder.getInt64(0), code.busy);
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  PHINode* place = builder.CreatePHI(builder.getInt32Ty(), 2, "place");
  for (AllocaInst* variable : concat<AllocaInst* const>(variables_, values.variables()))
    builder.CreateStore(PoisonValue::get(variable->getAllocatedType()), variable);
  set(builder, *alive_, true);
  for (unsigned number = 0; number != codes_.size(); ++number)
    set(builder, *codes_[number].at, number == 0);
  builder.CreateBr(machine);
  BasicBlock* at = writeStations(*machine);
  for (unsigned number : segmentsBehindStations())
    at = writeSegment(number, *at);
  forget();
  builder.SetInsertPoint(at);
  builder.CreateCondBr(builder.CreateIsNotNull(countOf(builder, *alive_)), machine, latch);
  builder.SetInsertPoint(latch);
  Value* next = builder.CreateAdd(place, builder.getInt32(1));
  place->addIncoming(builder.getInt32(0), loop.first);
  place->addIncoming(next, latch);
  BranchInst* back = builder.CreateCondBr(builder.CreateICmpEQ(next, builder.getInt32(places_)), loop.exit, head);
  back->setMetadata(LLVMContext::MD_loop, loopOverThreads(context_, kPlaces));
  keepCounts(*loop.exit);
  return loop;
}

} // namespace bsgp::target

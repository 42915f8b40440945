// Writes the loop over places that runs the segments of a region, for all threads of a run.
//
//   places:    for each place of a vector, side by side:
//   machine:     for the station with the most lanes, while enough lanes are there:
//                  kRounds times: if (at station) an iteration of its loop
//                for each other segment, from the one behind the last station on:
//                  if (any lane is at its point) if (at point) the segment
//                again while a lane has a thread
//
// Every lane of the loop is a *place* for one thread. At the end of the region it takes the next thread of the run.
#pragma once

#include "target/cpu/wavefront/thread_values.h"

namespace bsgp::target {

// How a condition of a place is kept: as a bit, where the machine has registers for those of all lanes, or as wide as
// what it selects, 0 or -1.
enum class Flags { Bits, Words };

struct PlaceLoop {
  llvm::BasicBlock *first = nullptr, *exit = nullptr; // `exit` is for the caller to fill
};

// `count`: threads of this run, i32. `forms`: the kernel's bsgp_forms, which counts lanes; null: nobody does. Fills in `tops` and `index` of the frame; the blocks of the region are part of the
// loop afterwards, with variables for what crosses from one to another.
class PlaceLoopWriter {
public:
  PlaceLoopWriter(const WavefrontRegion& region, ThreadFrame& frame, unsigned places, llvm::Value* count,
                  llvm::GlobalVariable* forms, Flags flags);

  void openSegments(); // makes the tops; before values are asked for
  PlaceLoop write(ThreadValues& values);
  llvm::ArrayRef<llvm::AllocaInst*> variables() const { return variables_; }

private:
  struct Code {
    llvm::BasicBlock* top = nullptr;                     // begins the segment
    llvm::BasicBlock* end = nullptr;                     // all its edges to points lead here
    llvm::AllocaInst* at = nullptr;                      // i1: the thread is at the point
    llvm::AllocaInst *looked = nullptr, *busy = nullptr; // i64: lanes at looks at a station of this run
    llvm::SmallVector<llvm::AllocaInst*, 4> phis;        // of the point of a station
    llvm::SmallVector<llvm::BasicBlock*, 4> elsewhere;   // of a station: run for lanes that leave it, or are not there
  };

  llvm::BasicBlock* newBlock(const llvm::Twine& name);
  llvm::AllocaInst* newVariable(llvm::Type* type, const llvm::Twine& name);
  static llvm::Value* isSet(llvm::IRBuilder<>& builder, llvm::AllocaInst& flag);
  static void set(llvm::IRBuilder<>& builder, llvm::AllocaInst& flag, bool value);
  llvm::Value* countOf(llvm::IRBuilder<>& builder, llvm::AllocaInst& flag);
  void openFeed();
  void readPhis(ThreadValues& values);
  void takeEdges(ThreadValues& values);
  void takeEdge(ThreadValues& values, unsigned from, llvm::BasicBlock& block, llvm::BasicBlock& to);
  void endThread();
  llvm::AllocaInst* newOfAll(llvm::Type* type, const llvm::Twine& name);
  void countLanes(llvm::IRBuilder<>& builder, const Code& code, llvm::Value* here);
  void keepCounts(llvm::BasicBlock& exit);
  void forget();
  llvm::BasicBlock* writeStations(llvm::BasicBlock& begin);
  void writeStation(unsigned number, llvm::BasicBlock& begin, llvm::BasicBlock& done);
  llvm::BasicBlock* writeSegment(unsigned number, llvm::BasicBlock& begin);
  std::vector<unsigned> segmentsBehindStations() const;

  const WavefrontRegion& region_;
  ThreadFrame& frame_;
  const unsigned places_;
  llvm::Value* const count_;
  llvm::GlobalVariable* const forms_;
  const Flags flags_;
  llvm::Function& function_;
  llvm::LLVMContext& context_;
  std::vector<Code> codes_;
  llvm::AllocaInst *alive_ = nullptr, *next_ = nullptr; // flag: the place has a thread; i32: the run's next thread
  llvm::SmallVector<llvm::AllocaInst*, 16> variables_;
};

} // namespace bsgp::target

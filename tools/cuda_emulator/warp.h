// 32 threads that run in lockstep where they can. Lanes that are at different places are held as splits; the one at the
// lowest place runs, so that lanes meet again where their ways join.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "op.h"

namespace bsgp::emulator {

class Block;
struct Kernel;

constexpr uint32_t kAllLanes = ~uint32_t(0);

// A kernel that went wrong; ends the launch.
struct Fault {
  int error; // CUresult
  std::string message;
};

enum class Wait : uint8_t { none, lanes, barrier };

struct Split {
  uint32_t pc, mask;
  Wait wait;
  uint8_t barrier;
};

class Warp {
public:
  // What handlers use.
  uint32_t exec = 0;  // lanes that the instruction is for
  uint32_t pc = 0;    // of the next instruction
  uint32_t carry = 0; // of add.cc and the like
  uint32_t syncs = 0; // bar.warp.sync that it has passed
  char* frame = nullptr;

  template <class T> T* at(uint32_t offset) { return reinterpret_cast<T*>(frame + offset); }
  void setPredicate(uint32_t offset, uint32_t value) {
    uint32_t* p = at<uint32_t>(offset);
    *p = (*p & ~exec) | (value & exec);
  }

  Block& block() { return *block_; }
  uint32_t index() const { return index_; } // in the block
  uint32_t live() const { return live_; }
  uint32_t active() const { return active_; }
  char* local() { return local_; }
  char* slots() { return slots_; }

  void branch(uint32_t target);                        // exec goes to target, the other lanes on
  void branchEach(const uint32_t* lane_targets);       // each lane of exec to its own
  void exit();                                         // of exec
  uint32_t gather(const Op&, const uint32_t* members); // lanes of exec whose partners are all here; the others wait
  // exec waits, pc stays at this instruction; `anywhere`: others of the warp may wait in other places.
  void await(const Op&, uint8_t barrier, bool anywhere);
  template <class F> uint32_t releaseBarrier(uint8_t barrier, F each); // each(split) before it goes on

  // What the block uses.
  void start(Block&, uint32_t index, uint32_t lanes, char* frame, char* local, char* slots);
  bool run(uint32_t budget); // false: no lane could do anything
  bool done() const { return live_ == 0; }
  std::string whereLanesWait() const;
  [[noreturn]] void fault(const Op&, unsigned lane, int error, const std::string& what);

private:
  void push(uint32_t pc, uint32_t mask, Wait wait = Wait::none, uint8_t barrier = 0);
  bool select();
  bool selectNext();
  void becomeCurrent(size_t split);
  void runSlice(uint32_t& budget);

  Block* block_ = nullptr;
  uint32_t index_ = 0, live_ = 0, active_ = 0;
  uint32_t stop_pc_ = ~0u;     // where the next split above the running one stands
  bool event_ = false;         // the choice of lanes must be made anew
  bool always_choose_ = false; // splits stand below the running one: they wait
  bool in_turns_ = false;      // this slice belongs to a split that is not the lowest
  uint32_t slices_ = 0;
  char *local_ = nullptr, *slots_ = nullptr;
  std::vector<Split> splits_; // that do not run now
};

template <class F> uint32_t Warp::releaseBarrier(uint8_t barrier, F each) {
  uint32_t released = 0;
  for (Split& split : splits_) {
    if (split.wait != Wait::barrier || split.barrier != barrier)
      continue;
    each(*this, split);
    released |= split.mask;
    split.wait = Wait::none;
    ++split.pc;
  }
  event_ = true;
  return released;
}

} // namespace bsgp::emulator

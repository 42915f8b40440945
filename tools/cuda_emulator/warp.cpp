#include "warp.h"

#include <algorithm>
#include <bit>

#include "block.h"
#include "kernel.h"

namespace bsgp::emulator {

namespace {
constexpr uint32_t kTurn = 256; // instructions for a split that is not the lowest
}

void Warp::start(Block& block, uint32_t index, uint32_t lanes, char* frame_memory, char* local, char* slots) {
  block_ = &block;
  index_ = index;
  live_ = active_ = lanes >= 32 ? kAllLanes : (uint32_t(1) << lanes) - 1;
  frame = frame_memory;
  local_ = local;
  slots_ = slots;
  pc = slices_ = syncs = 0;
  stop_pc_ = ~0u;
  event_ = in_turns_ = false;
  splits_.clear();
}

void Warp::fault(const Op& op, unsigned lane, int error, const std::string& what) {
  const Kernel& kernel = block_->kernel();
  throw Fault{error, "kernel " + kernel.name + ", line " + std::to_string(kernel.lines[op.number]) +
                         " of its module, " + std::string(kernel.texts[op.number]) + ": " + what + ", " +
                         block_->threadName(*this, lane)};
}

// Lanes that come to a place where others wait for lanes go on with them.
void Warp::push(uint32_t at, uint32_t mask, Wait wait, uint8_t barrier) {
  for (Split& split : splits_) {
    bool both_in_barrier = split.wait == Wait::barrier || wait == Wait::barrier;
    if (split.pc != at || (both_in_barrier && (split.wait != wait || split.barrier != barrier)))
      continue;
    split.mask |= mask;
    split.wait = both_in_barrier ? Wait::barrier : Wait::none;
    return;
  }
  splits_.push_back({at, mask, wait, barrier});
}

void Warp::becomeCurrent(size_t split) {
  pc = splits_[split].pc;
  active_ = splits_[split].mask;
  std::erase_if(splits_, [&](const Split& other) {
    bool joins = other.pc == pc && other.wait != Wait::barrier;
    active_ |= joins ? other.mask : 0;
    return joins;
  });
  stop_pc_ = ~0u;
  always_choose_ = false;
  for (const Split& other : splits_) {
    if (other.pc > pc)
      stop_pc_ = std::min(stop_pc_, other.pc);
    else
      always_choose_ = true;
  }
}

// The lowest split that can run.
bool Warp::select() {
  event_ = false;
  if (active_)
    push(pc, active_);
  active_ = 0;
  size_t best = splits_.size();
  for (size_t i = 0; i < splits_.size(); ++i)
    if (splits_[i].wait == Wait::none && (best == splits_.size() || splits_[i].pc < splits_[best].pc))
      best = i;
  if (best == splits_.size())
    return false;
  becomeCurrent(best);
  return true;
}

// Another one than the lowest, each in turn, so that lanes that wait for a flag do not keep off those that set it.
bool Warp::selectNext() {
  if (active_)
    push(pc, active_);
  active_ = 0;
  size_t can_run = 0;
  for (const Split& split : splits_)
    can_run += split.wait == Wait::none;
  if (can_run < 2)
    return false;
  std::sort(splits_.begin(), splits_.end(), [](const Split& a, const Split& b) { return a.pc < b.pc; });
  size_t wanted = 1 + slices_ / 2 % (can_run - 1);
  for (size_t i = 0; i < splits_.size(); ++i)
    if (splits_[i].wait == Wait::none && wanted-- == 0) {
      becomeCurrent(i);
      stop_pc_ = ~0u;
      return true;
    }
  return false;
}

bool Warp::run(uint32_t budget) {
  in_turns_ = ++slices_ % 2 == 0 && selectNext();
  if (in_turns_)
    budget = kTurn;
  else if (!select())
    return false;
  for (event_ = false; budget > 0;) {
    runSlice(budget);
    if (in_turns_ && active_)
      event_ = false;
    else if (budget > 0 && (in_turns_ || !select()))
      break;
  }
  return true;
}

void Warp::runSlice(uint32_t& budget) {
  const Op* code = block_->kernel().code.data();
  while (budget > 0) {
    --budget;
    const Op& op = code[pc++];
    exec = active_ & (*at<uint32_t>(op.guard) ^ op.guard_flip);
    if (exec)
      op.run(*this, op);
    if (event_ || pc == stop_pc_)
      return;
  }
}

void Warp::branch(uint32_t target) {
  uint32_t rest = active_ & ~exec;
  active_ = exec;
  if (rest)
    push(pc, rest);
  pc = target;
  event_ = rest || target >= stop_pc_ || always_choose_;
}

void Warp::branchEach(const uint32_t* targets) {
  uint32_t here = active_ & ~exec;
  for (uint32_t lanes = exec; lanes; lanes &= lanes - 1)
    push(targets[std::countr_zero(lanes)], lanes & (0 - lanes));
  active_ = here;
  event_ = true;
}

void Warp::exit() {
  uint32_t count = static_cast<uint32_t>(std::popcount(exec));
  live_ &= ~exec;
  active_ &= ~exec;
  for (Split& split : splits_)
    if (split.wait == Wait::lanes)
      split.wait = Wait::none;
  event_ = true;
  block_->exited(count);
}

void Warp::await(const Op& op, uint8_t barrier, bool anywhere) {
  for (const Split& split : splits_)
    if (split.wait == Wait::barrier && split.barrier == barrier && split.pc != pc - 1 && !anywhere)
      fault(op, static_cast<unsigned>(std::countr_zero(exec)), 719,
            "other threads of the warp wait for the same barrier in another place");
  push(pc - 1, exec, Wait::barrier, barrier);
  active_ &= ~exec;
  event_ = true;
}

uint32_t Warp::gather(const Op& op, const uint32_t* members) {
  uint32_t ready = 0;
  for (uint32_t rest = exec; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    uint32_t mask = members[lane];
    if (!(mask >> lane & 1))
      fault(op, lane, 719, "the mask of members does not name the thread itself");
    if (mask & live_ & ~exec)
      continue;
    ready |= uint32_t(1) << lane;
    for (uint32_t others = mask & exec; others; others &= others - 1)
      if (members[std::countr_zero(others)] != mask)
        fault(op, lane, 719, "threads that name each other have different masks of members");
  }
  if (uint32_t rest = exec & ~ready) {
    push(pc - 1, rest, Wait::lanes);
    active_ &= ~rest;
    exec = ready;
    event_ = true;
  }
  return ready;
}

std::string Warp::whereLanesWait() const {
  const Kernel& kernel = block_->kernel();
  std::string text;
  for (const Split& split : splits_) {
    uint32_t number = kernel.code[split.pc].number;
    text +=
        "\n  " + std::to_string(std::popcount(split.mask)) + " threads of warp " + std::to_string(index_) +
        " wait in line " + std::to_string(kernel.lines[number]) + ", " + std::string(kernel.texts[number]) +
        (split.wait == Wait::lanes ? ", for lanes of their warp that do not come" : ", for the rest of their block");
  }
  return text;
}

} // namespace bsgp::emulator

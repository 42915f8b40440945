#include "ops_control.h"

#include "block.h"
#include "lanes.h"

namespace bsgp::emulator {

namespace {

void branch(Warp& w, const Op& op) {
  w.branch(op.aux);
}

void branchByTable(Warp& w, const Op& op) {
  const auto& table = w.block().kernel().tables[op.aux];
  const uint32_t* index = w.at<uint32_t>(op.o[0]);
  uint32_t targets[32] = {};
  forLanes(w.exec, [&](unsigned i) {
    if (index[i] >= table.size())
      w.fault(op, i, 719, "there is no target " + std::to_string(index[i]));
    targets[i] = table[index[i]];
  });
  w.branchEach(targets);
}

void exitLanes(Warp& w, const Op&) {
  w.exit();
}

void trap(Warp& w, const Op& op) {
  w.fault(op, static_cast<unsigned>(std::countr_zero(w.exec)), 719, "trap");
}

void nop(Warp&, const Op&) {}

} // namespace

Handler branchHandler() {
  return branch;
}
Handler tableHandler() {
  return branchByTable;
}
Handler exitHandler() {
  return exitLanes;
}
Handler trapHandler() {
  return trap;
}
Handler nopHandler() {
  return nop;
}

} // namespace bsgp::emulator

#include "runtime/cpu/small_launches.h"

#include <algorithm>
#include <bit>

#include "runtime/device.h"

namespace bsgp::runtime {
namespace {

constexpr double kBlock = BSGP_BLOCK;
constexpr uint32_t kRest = 512;       // settled: launches from pair to pair
constexpr uint32_t kRestOfShort = 16; // launches that are not timed behind one too short for it; others may be longer

// The first of a pair, until the second has run.
struct Pending {
  double ns = 0; // of a thread
  uint32_t timed = 0, form = BSGP_FORM_LANES;
};

float leadOfPair(const Pending& pending, uint32_t form, double ns) {
  double lanes = form == BSGP_FORM_LANES ? ns : pending.ns, alone = form == BSGP_FORM_LANES ? pending.ns : ns;
  return leadOf(lanes * kBlock, alone * kBlock);
}

} // namespace

bool isSmall(const bsgp_launch& launch) {
  return blockCount(launch) < kFewestBlocks || launch.size < kFewestBlocks * BSGP_BLOCK;
}

SmallTurn nextOfSmall(bsgp_forms& forms) {
  auto record = loadSlot<FormRecord>(forms, kSmallSlot);
  if (record.left) {
    --record.left;
    storeSlot(forms, kSmallSlot, record);
    return {record.better(), false};
  }
  if (record.isNew()) {
    record.form = nearestChoice(forms, 0);
    storeSlot(forms, kSmallSlot, record);
  }
  auto pending = loadSlot<Pending>(forms, kPendingSlot);
  if (pending.timed)
    return {pending.form ^ 1u, true};
  return {record.isReversed() ? record.better() ^ 1u : record.better(), true};
}

FormsRun reportSmall(bsgp_forms& forms, const bsgp_launch& launch, const SmallTurn& turn, double ns) {
  int64_t blocks = blockCount(launch);
  FormsRun ran{blocks, turn.form == BSGP_FORM_ALONE ? blocks : 0};
  if (!turn.timed)
    return ran;
  auto record = loadSlot<FormRecord>(forms, kSmallSlot);
  auto pending = loadSlot<Pending>(forms, kPendingSlot);
  double of_thread = ns / double(std::max<int64_t>(launch.size, 1));
  if (ns < kShortestNs) {
    record.left = kRestOfShort;
  } else if (!pending.timed || pending.form == turn.form) {
    pending = {of_thread, 1, turn.form};
  } else {
    float lead = leadOfPair(pending, turn.form, of_thread);
    ran.lead = lead;
    ran.pairs = 1;
    record.compare(lead, std::min(of_thread, pending.ns) * kBlock);
    if (record.settled)
      record.left = record.contradicted ? 0 : kRest; // a pair that contradicts asks for another
    pending = {};
  }
  storeSlot(forms, kSmallSlot, record);
  storeSlot(forms, kPendingSlot, pending);
  return ran;
}

} // namespace bsgp::runtime

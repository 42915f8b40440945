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

// The lead of the record's form over its rival.
float leadOfPair(const FormRecord& record, const Pending& pending, uint32_t form, double ns) {
  return form == record.form ? leadOf(ns * kBlock, pending.ns * kBlock) : leadOf(pending.ns * kBlock, ns * kBlock);
}

uint32_t otherOf(const FormRecord& record, uint32_t form) {
  return form == record.form ? record.rival : record.form;
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
    record.begin(nearestChoice(forms, 0), formsOf(forms));
    storeSlot(forms, kSmallSlot, record);
  }
  auto pending = loadSlot<Pending>(forms, kPendingSlot);
  if (pending.timed)
    return {otherOf(record, pending.form), true};
  return {record.isReversed() ? otherOf(record, record.better()) : record.better(), true};
}

FormsRun reportSmall(bsgp_forms& forms, const bsgp_launch& launch, const SmallTurn& turn, double ns) {
  int64_t blocks = blockCount(launch);
  FormsRun ran;
  ran.blocks[turn.form] = blocks;
  if (!turn.timed)
    return ran;
  auto record = loadSlot<FormRecord>(forms, kSmallSlot);
  auto pending = loadSlot<Pending>(forms, kPendingSlot);
  double of_thread = ns / double(std::max<int64_t>(launch.size, 1));
  if (ns < kShortestNs) {
    record.left = kRestOfShort;
  } else if (!pending.timed || !record.isBetween(pending.form, turn.form)) {
    pending = {of_thread, 1, turn.form};
  } else {
    float lead = leadOfPair(record, pending, turn.form, of_thread);
    ran.compared(record.form, record.rival, lead);
    record.compare(lead, std::min(of_thread, pending.ns) * kBlock, formsOf(forms));
    if (record.settled)
      record.left = record.contradicted ? 0 : kRest; // a pair that contradicts asks for another
    pending = {};
  }
  storeSlot(forms, kSmallSlot, record);
  storeSlot(forms, kPendingSlot, pending);
  return ran;
}

} // namespace bsgp::runtime

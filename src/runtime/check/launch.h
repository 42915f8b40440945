// What a launch of watched code knows of its checks, and what a thread of this machine keeps of them.
#pragma once

#include "plan/check_abi.h"
#include "runtime/check/checker.h"
#include "runtime/check/history.h"
#include "runtime/check/orders.h"
#include "runtime/check/rows.h"
#include "runtime/check/worker.h"

namespace bsgp::runtime::check {

// What was shown of a launch, by the first of its workers.
struct Shown {
  std::once_flag once;
  std::unique_ptr<LaunchRows> rows;
  std::atomic<bool> cannot_race{false}; // no access to device memory: they need not be looked at
};

} // namespace bsgp::runtime::check

// Lives as long as the launch; the members below are set by Checker::begin.
struct bsgp_check_launch {
  bsgp::runtime::check::Checker* checker;
  const bsgp_plan* plan;
  const bsgp_kernel* kernel;
  const bsgp_site* library_call = nullptr;        // where the program called the library last; null: nowhere
  uint64_t number = 0;                            // of the launch, from 1
  uint64_t serial = 0;                            // of all contexts' launches
  uint32_t epoch = 0;                             // of its entries
  bsgp::runtime::check::entry::Layout layout{};   // theirs
  bsgp::runtime::check::Orders* orders = nullptr; // of its threads
  std::shared_ptr<bsgp::runtime::check::Histories> histories = nullptr;
  std::vector<bsgp::runtime::check::UnsetRanges::Range> unset{}; // of the frame, as offsets: what nobody has set
  bsgp::runtime::check::CallFindings* call = nullptr;            // that it is in; null: unknown
  std::shared_ptr<bsgp::runtime::check::Shown> shown = nullptr;
};

// The state of checks for a launch of watched code.
#pragma once

#include "plan/check_abi.h"
#include "runtime/check/checker.h"
#include "runtime/check/history.h"
#include "runtime/check/orders.h"
#include "runtime/check/rows.h"
#include "runtime/check/worker.h"

namespace bsgp::runtime::check {

// The proofs for a launch, made by the first of its workers.
struct Shown {
  std::once_flag once;
  std::unique_ptr<LaunchRows> rows;
  std::atomic<bool> cannot_race{false}; // no access to device memory can: they need not be compared
};

} // namespace bsgp::runtime::check

// Lives as long as the launch; the members below are set by Checker::begin.
struct bsgp_check_launch {
  bsgp::runtime::check::Checker* checker;
  const bsgp_plan* plan;
  const bsgp_kernel* kernel;
  const bsgp_site* library_call = nullptr;        // the program's last call of the library; null: there was none
  uint64_t number = 0;                            // of the launch, from 1
  uint64_t serial = 0;                            // of all contexts' launches
  uint32_t epoch = 0;                             // of its entries
  bsgp::runtime::check::entry::Layout layout{};   // theirs
  bsgp::runtime::check::Orders* orders = nullptr; // of its threads
  std::shared_ptr<bsgp::runtime::check::Histories> histories = nullptr;
  std::vector<bsgp::runtime::check::UnsetRanges::Range> unset{}; // of the frame, as offsets: unset variables
  bsgp::runtime::check::CallFindings* call = nullptr;            // the call that it is in; null: unknown
  std::shared_ptr<bsgp::runtime::check::Shown> shown = nullptr;
};

// What a launch of watched code knows of its checks, and what a thread of this machine keeps of them.
#pragma once

#include "plan/check_abi.h"
#include "runtime/check/checker.h"
#include "runtime/check/worker.h"

// Lives as long as the launch.
struct bsgp_check_launch {
  bsgp::runtime::check::Checker* checker;
  const bsgp_plan* plan;
  const bsgp_kernel* kernel;
  uint64_t number;                         // of the launch, from 1
  const bsgp_site* library_call = nullptr; // where the program called the library last; null: nowhere
};

// Handles the events of a context, which runtime/watch.h declares.
#include <algorithm>
#include <span>

#include "runtime/check/checked_call.h"
#include "runtime/check/checker.h"
#include "runtime/check/launch.h"

namespace bsgp::runtime::check {
namespace {

class CheckedLaunch final : public LaunchWatch {
public:
  CheckedLaunch(Checker& checker, const bsgp_plan& plan, const bsgp_kernel& kernel, int64_t threads)
      : orders_(int64_t(plan.block)), record_{&checker, &plan, &kernel} {
    checker.begin(record_, orders_, threads);
  }
  ~CheckedLaunch() override { record_.checker->end(record_); }
  bsgp_check_launch* record() override { return &record_; }

private:
  Orders orders_;
  bsgp_check_launch record_;
};

// The bytes of the frame that kernels read as parameters.
uint64_t frameBytes(const bsgp_plan& plan) {
  uint64_t end = 0;
  for (const bsgp_kernel& kernel : std::span(plan.kernels, plan.kernel_count))
    for (const bsgp_param& param : std::span(kernel.params, kernel.param_count))
      if (param.kind == BSGP_PARAM_FRAME)
        end = std::max<uint64_t>(end, param.index + param.bytes);
  return end;
}

// The variables of the host that nobody has set, as offsets in the frame.
std::vector<UnsetRanges::Range> unsetIn(const UnsetRanges& unset, const char* frame, const bsgp_plan& plan) {
  if (unset.empty())
    return {};
  auto begin = reinterpret_cast<uintptr_t>(frame);
  std::vector<UnsetRanges::Range> ranges = unset.within(begin, frameBytes(plan));
  for (auto& [first, last] : ranges)
    first -= begin, last -= begin;
  return ranges;
}

} // namespace

// If there are too many allocations for records, the freed ones lose theirs.
std::vector<WatchedBlock> Checker::allocated(const WatchedBlock& block, const Origin& origin) {
  if (add(block.begin, block.bytes, block.space, origin)) [[likely]]
    return {};
  std::vector<WatchedBlock> released = releaseAll();
  if (!add(block.begin, block.bytes, block.space, origin))
    allocations.countUnknown();
  return released;
}

// Only the library has had pointers to its own temporaries, so they are not held.
std::vector<WatchedBlock> Checker::freed(const WatchedBlock& block, bool is_damaged, const bsgp_site* at,
                                         uint64_t peak_bytes) {
  constexpr uint64_t kMost = 256 << 20, kMostOfHost = 32 << 20;
  bool is_of_device = block.space == Space::Device;
  Allocation* allocation = free(block.begin, at);
  if (is_damaged)
    return {};
  if (allocation && allocation->is_of_library)
    return released({{block.begin, block.bytes, block.space, allocation}});
  Quarantine& waiting = is_of_device ? quarantine_ : host_quarantine_;
  return released(waiting.add({block.begin, block.bytes, block.space, allocation},
                              is_of_device ? std::max(kMost, peak_bytes / 4) : kMostOfHost));
}

std::vector<WatchedBlock> Checker::releaseAll() {
  std::vector<WatchedBlock> all = released(quarantine_.takeAll());
  std::vector<WatchedBlock> of_host = released(host_quarantine_.takeAll());
  all.insert(all.end(), of_host.begin(), of_host.end());
  return all;
}

std::vector<WatchedBlock> Checker::released(const std::vector<Quarantine::Block>& blocks) {
  std::vector<WatchedBlock> all;
  for (const Quarantine::Block& block : blocks) {
    if (block.allocation)
      forget(block.allocation);
    all.push_back({block.begin, block.bytes, block.space});
  }
  return all;
}

std::unique_ptr<CallWatch> Checker::callBegins() {
  auto call = std::make_unique<CheckedCall>();
  call->errors_before = reports.findings();
  return call;
}

std::string Checker::callEnds(CallWatch& call) {
  auto& checked = static_cast<CheckedCall&>(call);
  reachedByCallers();
  return firstError(checked.findings, checked.errors_before);
}

std::unique_ptr<LaunchWatch> Checker::launchBegins(const bsgp_call& call, const bsgp_plan& plan,
                                                   const bsgp_kernel& kernel, const char* frame, int64_t threads) {
  auto launch = std::make_unique<CheckedLaunch>(*this, plan, kernel, threads);
  bsgp_check_launch& record = *launch->record();
  record.unset = unsetIn(unset, frame, plan);
  if (CheckedCall* checked = checkedCall(&call)) {
    record.call = &checked->findings;
    record.library_call = checked->library_call;
  }
  return launch;
}

} // namespace bsgp::runtime::check

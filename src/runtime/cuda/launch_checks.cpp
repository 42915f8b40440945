#include "runtime/cuda/launch_checks.h"

#include <algorithm>
#include <cstring>

#include "runtime/check/gpu_findings.h"
#include "runtime/check/launch.h"
#include "runtime/check/race_state.h"
#include "runtime/failure.h"

namespace bsgp::runtime::cuda {
namespace {

constexpr uint64_t kCapacity = 1 << 16, kMostOfSite = 1 << 12;
constexpr size_t kHarmless = 64; // bytes that bad accesses reach, behind the header: zeros, and others

std::vector<uint32_t> stepTable() {
  std::vector<uint32_t> table;
  for (unsigned state = 0; state <= check::kRaced; ++state)
    for (bool is_owner : {false, true})
      for (unsigned access_class = 0; access_class < check::kRaceClasses; ++access_class) {
        check::RaceStep step = check::raceStep(check::RaceState(state), is_owner, check::RaceClass(access_class));
        auto bit = [](bool is_set, uint32_t bit) { return is_set ? bit : 0; };
        table.push_back(step.next | bit(step.as_owners, BSGP_RACE_AS_OWNERS) |
                        bit(step.as_others, BSGP_RACE_AS_OTHERS) | bit(step.as_read, BSGP_RACE_AS_READ) |
                        bit(step.owners_as_read, BSGP_RACE_OWNERS_AS_READ) |
                        bit(step.owners_as_others, BSGP_RACE_OWNERS_AS_OTHERS) |
                        bit(check::hasOthers(check::RaceState(state)), BSGP_RACE_HAD_OTHERS));
      }
  return table;
}

bool looksFor(const Work& work, uint32_t kind, uint32_t of_kernel) {
  return (work.kernel.gpu->checks & of_kernel) && work.launch.check->checker->looksFor(kind);
}

} // namespace

LaunchChecks::~LaunchChecks() {
  for (auto& [begin, shadow] : shadows_)
    drop(shadow.entries), drop(shadow.written);
  for (Block* block : {&header_, &table_, &unset_, &findings_, &counts_, &puts_, &steps_})
    drop(*block);
}

void LaunchChecks::drop(Block& block) {
  if (block.address)
    memory_.release(block.address, block.bytes);
  block = {};
}

Result<void> LaunchChecks::clear(const Block& block) {
  if (!block.address)
    return {};
  if (CUresult result = gpu_.driver().cuMemsetD8Async(block.address, 0, block.bytes, gpu_.stream()))
    return gpu_.failed(result, "cuMemsetD8Async", formatted("%zu bytes", block.bytes));
  gpu_.gave();
  return {};
}

// `zeros`: a new block is zero, and the old contents are lost.
Result<void> LaunchChecks::grow(Block& block, size_t bytes, bool zeros) {
  if (block.bytes >= bytes)
    return {};
  drop(block);
  std::string why;
  block.address = memory_.allocate(bytes, why);
  if (!block.address)
    return Error{formatted("cannot allocate %zu bytes of the GPU's memory for checks: ", bytes) + why +
                 "\n  help: --check=bounds,arithmetic needs the least"};
  block.bytes = bytes;
  return zeros ? clear(block) : Result<void>();
}

Result<CUdeviceptr> LaunchChecks::begin(const Work& work) {
  said_ = {};
  if (work.launch.check) { // else the context does not check: all accesses count as good
    if (auto described = describe(work); !described)
      return described.error();
  }
  if (auto grown = grow(header_, sizeof said_ + 2 * kHarmless, false); !grown)
    return grown.error();
  if (auto cleared = clear(header_); !cleared)
    return cleared.error();
  said_.zeros = header_.address + sizeof said_, said_.trash = said_.zeros + kHarmless;
  if (auto given = copies_.toDevice(header_.address, &said_, sizeof said_); !given)
    return given.error();
  return header_.address;
}

Result<void> LaunchChecks::describe(const Work& work) {
  const bsgp_check_launch& launch = *work.launch.check;
  check::Checker& checker = *launch.checker;
  checker.sawCode();
  if (work.kernel.gpu->checks & BSGP_GPU_WRITTEN)
    checker.followsWrites();
  if (work.kernel.gpu->checks & BSGP_GPU_ATOMIC_RESULTS)
    checker.sawAtomic();
  said_.epoch = launch.epoch, said_.rank_bits = launch.layout.rankBits();
  said_.block = uint64_t(work.launch.block);
  if (auto done = forgetOldLaunches(launch); !done)
    return done;
  if (auto done = addMemories(work); !done)
    return done;
  if (auto done = addTables(work); !done)
    return done;
  return addFindings(*work.kernel.gpu->code);
}

// Epochs begin anew when all have been used.
Result<void> LaunchChecks::forgetOldLaunches(const bsgp_check_launch& launch) {
  bool begins_anew = launch.epoch <= last_epoch_;
  last_epoch_ = launch.epoch;
  if (!begins_anew)
    return {};
  for (auto& [begin, shadow] : shadows_)
    if (auto cleared = clear(shadow.entries); !cleared)
      return cleared;
  return clear(puts_);
}

Result<void> LaunchChecks::addMemories(const Work& work) {
  check::AllocationMap& allocations = work.launch.check->checker->allocations;
  std::vector<check::Allocation*> all;
  allocations.forAll([&](check::Allocation& allocation) {
    bool is_there = allocation.space == Space::Device && !allocation.is_foreign;
    if (is_there && allocations.at(allocation.begin) == &allocation)
      all.push_back(&allocation);
  });
  std::ranges::sort(all, {}, &check::Allocation::begin);
  memories_.clear();
  for (check::Allocation* allocation : all)
    if (auto added = addMemory(work, *allocation); !added)
      return added;
  dropUnused(work.launch.check->number);
  said_.memory_count = memories_.size();
  if (auto given = give<bsgp_gpu_memory>(table_, memories_); !given)
    return given;
  said_.memories = table_.address;
  return {};
}

Result<void> LaunchChecks::addMemory(const Work& work, check::Allocation& allocation) {
  constexpr uint64_t kGranule = 256; // as allocations.h has them
  uint64_t end = allocation.begin + (allocation.bytes / kGranule + 1) * kGranule;
  bsgp_gpu_memory memory{allocation.begin, end, allocation.bytes, allocation.extent.load(), 0, 0, 0, 0};
  Shadow& shadow = shadows_[allocation.begin];
  if (shadow.serial != allocation.serial)
    drop(shadow.entries), drop(shadow.written), shadow = {};
  shadow.serial = allocation.serial, shadow.launch = work.launch.check->number;
  shadow.bytes = nullptr;
  bool is_live = !allocation.is_freed.load() && allocation.bytes;
  if (is_live && !allocation.is_of_library && looksFor(work, BSGP_CHECK_RACE, BSGP_GPU_RACES)) {
    if (auto added = addEntries(work, allocation, shadow); !added)
      return added;
    memory.entries = shadow.entries.address, memory.granules = shadow.granules, memory.shift = shadow.shift;
  }
  if (is_live && looksFor(work, BSGP_CHECK_INIT, BSGP_GPU_WRITTEN)) {
    if (auto added = addWritten(allocation, shadow); !added)
      return added;
    memory.written = shadow.bytes ? shadow.written.address : 0;
  }
  memories_.push_back(memory);
  return {};
}

// Entries of earlier launches are no longer needed: if granules have to be smaller, they are dropped.
Result<void> LaunchChecks::addEntries(const Work& work, const check::Allocation& allocation, Shadow& shadow) {
  unsigned shift = work.kernel.gpu->checks >> BSGP_GPU_SHIFT;
  if (shadow.entries.address && shadow.shift <= shift)
    return {};
  shadow.shift = shift;
  shadow.granules = ((allocation.bytes - 1) >> shift) + 1;
  drop(shadow.entries);
  return grow(shadow.entries, 3 * shadow.granules * sizeof(uint64_t), true);
}

Result<void> LaunchChecks::addWritten(check::Allocation& allocation, Shadow& shadow) {
  shadow.bytes = allocation.written.load(std::memory_order_acquire);
  if (!shadow.bytes)
    return {};
  shadow.given.resize(shadow.bytes->bytesOfBits() / sizeof(uint64_t));
  std::memcpy(shadow.given.data(), shadow.bytes->bits(), shadow.bytes->bytesOfBits());
  return give<uint64_t>(shadow.written, shadow.given);
}

void LaunchChecks::dropUnused(uint64_t launch) {
  for (auto at = shadows_.begin(); at != shadows_.end();) {
    if (at->second.launch == launch) {
      ++at;
      continue;
    }
    drop(at->second.entries), drop(at->second.written);
    at = shadows_.erase(at);
  }
}

// Copies the tables of states, of unset host variables, and of puts.
Result<void> LaunchChecks::addTables(const Work& work) {
  if (!steps_.address)
    if (auto given = give<uint32_t>(steps_, stepTable()); !given)
      return given;
  said_.steps = steps_.address;
  const auto& unset = work.launch.check->unset;
  static_assert(sizeof(unset[0]) == 2 * sizeof(uint64_t));
  if (auto given = give<check::UnsetRanges::Range>(unset_, unset); !given)
    return given;
  said_.unset = unset_.address, said_.unset_count = unset.size();
  uint32_t puts = work.kernel.gpu->puts;
  if (!puts || !work.launch.check->checker->looksFor(BSGP_CHECK_RACE))
    return {};
  said_.size = uint64_t(work.launch.size);
  said_.put_rows = std::min(puts, check::Checker::kPuts);
  if (auto grown = grow(puts_, said_.put_rows * said_.size * sizeof(uint64_t), true); !grown)
    return grown;
  said_.puts = puts_.address;
  return {};
}

Result<void> LaunchChecks::addFindings(const bsgp_gpu_code& code) {
  if (auto grown = grow(
          findings_, (kCapacity + uint64_t(code.check_site_count) * BSGP_GPU_FIRST) * sizeof(bsgp_gpu_finding), false);
      !grown)
    return grown;
  if (auto grown = grow(counts_, (code.check_site_count + 1) * sizeof(uint32_t), false); !grown)
    return grown;
  if (auto cleared = clear(counts_); !cleared)
    return cleared;
  said_.findings = findings_.address, said_.counts = counts_.address;
  said_.capacity = kCapacity, said_.most_of_site = kMostOfSite, said_.site_count = code.check_site_count;
  return {};
}

Result<void> LaunchChecks::end(const Work& work) {
  if (auto done = gpu_.synchronize(); !done || !work.launch.check)
    return done;
  if (auto fetched = copies_.toHost(&said_, header_.address, sizeof said_); !fetched)
    return fetched;
  auto findings = fetchFindings();
  if (!findings)
    return findings.error();
  if (auto fetched = fetchWritten(); !fetched)
    return fetched;
  check::Checker& checker = *work.launch.check->checker;
  checker.ranOnGpu(said_.lost);
  checker.countUnjudged(said_.unjudged);
  check::tellFindings(work.launch, *work.kernel.gpu->code, *findings);
  return {};
}

Result<std::vector<bsgp_gpu_finding>> LaunchChecks::fetchFindings() {
  std::vector<bsgp_gpu_finding> findings;
  if (!said_.any)
    return findings;
  uint64_t first = said_.site_count * BSGP_GPU_FIRST;
  findings.resize(first + std::min(said_.found, said_.capacity));
  std::vector<uint32_t> counts(said_.site_count);
  size_t bytes = findings.size() * sizeof(bsgp_gpu_finding);
  if (auto fetched = copies_.toHost(findings.data(), findings_.address, bytes); !fetched)
    return fetched.error();
  if (auto fetched = copies_.toHost(counts.data(), counts_.address, counts.size() * sizeof(uint32_t)); !fetched)
    return fetched.error();
  for (size_t site = 0; site < counts.size(); ++site)
    for (size_t i = 0; i < std::min<size_t>(counts[site], BSGP_GPU_FIRST); ++i)
      findings.push_back(findings[site * BSGP_GPU_FIRST + i]);
  findings.erase(findings.begin(), findings.begin() + ptrdiff_t(first));
  return findings;
}

Result<void> LaunchChecks::fetchWritten() {
  std::vector<uint64_t> now;
  for (auto& [begin, shadow] : shadows_) {
    if (!shadow.bytes)
      continue;
    now.resize(shadow.given.size());
    if (auto fetched = copies_.toHost(now.data(), shadow.written.address, now.size() * sizeof(uint64_t)); !fetched)
      return fetched;
    shadow.bytes->changed(shadow.given.data(), now.data());
  }
  return {};
}

} // namespace bsgp::runtime::cuda

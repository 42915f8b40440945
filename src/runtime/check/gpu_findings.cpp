#include "runtime/check/gpu_findings.h"

#include <algorithm>

#include "runtime/check/launch.h"
#include "runtime/check/races.h"
#include "runtime/check/tell.h"

namespace bsgp::runtime::check {
namespace {

struct Found {
  const bsgp_launch& launch;
  const bsgp_gpu_code& code;
  const bsgp_gpu_finding& said;
  const bsgp_check_site& site;

  Checker& checker() const { return *launch.check->checker; }
  Who who() const { return {launch.check, said.rank, launch.block, launch.size}; }
  const bsgp_check_site* siteNumbered(uint64_t number) const { // as entries count them, from 1
    return number && number <= code.check_site_count ? code.check_sites[number - 1] : nullptr;
  }
};

void tellAccess(const Found& found, What what) {
  constexpr uint64_t kSomewhere = 1 << 20; // shared memory of a GPU begins at 0, which is not NULL
  uint64_t at = found.said.a, base = found.said.b;
  if (found.site.space == BSGP_MEMORY_SHARED)
    at += kSomewhere - base, base = kSomewhere;
  bool is_found = found.site.space < BSGP_MEMORY_SHARED && !isNull(base);
  const Allocation* memory = is_found ? found.checker().allocations.at(base) : nullptr;
  tellOutside(found.checker(), found.who(), {at, base, memory, what}, found.site);
}

// False: it is none of this launch, or of the same block, or it does not conflict.
bool setOther(Finding& finding, const Found& found, uint64_t word) {
  const bsgp_check_launch& check = *found.launch.check;
  int64_t rank = check.layout.rankOf(word), block = found.launch.block;
  if (entry::epochOf(word) != check.epoch || rank / block == found.said.rank / block)
    return false;
  const bsgp_check_site* other = found.siteNumbered(check.layout.siteOf(word));
  finding.other_rank = rank;
  finding.other = other && canRace(raceClassOf(*other), raceClassOf(found.site)) ? other : nullptr;
  return finding.other != nullptr;
}

void tellRace(const Found& found) {
  auto [entry, others, reads] = found.said.words;
  Allocation* memory = found.checker().allocations.at(found.said.a);
  if (!memory)
    return;
  const entry::Layout& layout = found.launch.check->layout;
  Finding finding;
  finding.what = What::Race;
  finding.site = &found.site;
  finding.who = found.who();
  finding.allocation = memory;
  finding.offset = int64_t(found.said.a - memory->begin);
  finding.room = memory->extent.load(std::memory_order_relaxed);
  finding.others_too = hasOthers(entry::stateOf(entry));
  if (layout.rankOf(entry) / found.launch.block == found.said.rank / found.launch.block)
    setOther(finding, found, others);
  else if (!setOther(finding, found, entry) && layout.siteOf(entry))
    setOther(finding, found, reads);
  found.checker().reports.add(finding);
}

void tellPut(const Found& found) {
  const entry::Layout& layout = found.launch.check->layout;
  uint32_t bytes = found.site.element_bytes ? found.site.element_bytes : found.site.bytes;
  Finding finding;
  finding.what = What::PutRace;
  finding.site = &found.site;
  finding.who = found.who();
  finding.offset = int64_t(found.said.a) * std::max<int64_t>(bytes, 1);
  finding.other = found.siteNumbered(layout.siteOf(found.said.words[0]));
  finding.other_rank = layout.rankOf(found.said.words[0]);
  found.checker().reports.add(finding);
}

void tellFinding(const Found& found) {
  switch (found.said.what >> 32) {
  case BSGP_TOLD_OUTSIDE:
    return tellAccess(found, What::Outside);
  case BSGP_TOLD_MISALIGNED:
    return tellAccess(found, What::Misaligned);
  case BSGP_TOLD_VALUE:
    return tellValue(found.checker(), found.who(), uint32_t(found.said.b), int64_t(found.said.a), found.site);
  case BSGP_TOLD_RACE:
    return tellRace(found);
  default:
    return tellPut(found);
  }
}

} // namespace

void tellFindings(const bsgp_launch& launch, const bsgp_gpu_code& code, std::span<const bsgp_gpu_finding> findings) {
  for (const bsgp_gpu_finding& said : findings)
    if (auto number = uint32_t(said.what); number < code.check_site_count)
      tellFinding({launch, code, said, *code.check_sites[number]});
}

} // namespace bsgp::runtime::check

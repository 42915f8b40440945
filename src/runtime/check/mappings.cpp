#include "runtime/check/mappings.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

namespace bsgp::runtime::check {
namespace {

// The kernel reads a set of signals from there before it finds that no change is asked for: its error tells whether
// it could read.
bool isReadable(uintptr_t address) {
  constexpr int kNoSuchChange = -1;
  constexpr size_t kSetBytes = 8;
  int saved = errno;
  bool failed = syscall(SYS_rt_sigprocmask, kNoSuchChange, address & ~(kSetBytes - 1), nullptr, kSetBytes) != 0;
  bool readable = !failed || errno != EFAULT;
  errno = saved;
  return readable;
}

// False if the system does not list them.
bool readMappings(std::vector<Mapping>& all) {
  std::ifstream file("/proc/self/maps");
  if (!file)
    return false;
  all.clear();
  for (std::string line; std::getline(file, line);) {
    uintptr_t begin = 0, end = 0;
    char flags[5] = {};
    bool is_range = std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, flags) == 3;
    if (!is_range || flags[0] != 'r')
      continue;
    bool is_writable = flags[1] == 'w';
    if (!all.empty() && all.back().end == begin && all.back().is_writable == is_writable)
      all.back().end = end;
    else
      all.push_back({begin, end, is_writable});
  }
  return true;
}

class Mappings {
public:
  // If an address is readable but not in the known mappings, these are old and are read again.
  Mapping around(uintptr_t address) {
    std::lock_guard lock(mutex_);
    Mapping found = known(address);
    if (found.end || !isReadable(address))
      return found;
    return readMappings(all_) ? known(address) : Mapping{0, UINTPTR_MAX, true};
  }

  // Memory may have become writable since the mappings were read: so they are read again, up to kMost times.
  Mapping forWriting(uintptr_t address) {
    constexpr uint32_t kMost = 100;
    Mapping found = around(address);
    if (!found.end || found.is_writable)
      return found;
    std::lock_guard lock(mutex_);
    if (rereads_++ < kMost && readMappings(all_))
      return known(address);
    return found;
  }

private:
  Mapping known(uintptr_t address) const {
    auto next = std::upper_bound(all_.begin(), all_.end(), address,
                                 [](uintptr_t at, const Mapping& mapping) { return at < mapping.begin; });
    return next != all_.begin() && std::prev(next)->holds(address, 1) ? *std::prev(next) : Mapping{};
  }

  std::mutex mutex_;
  std::vector<Mapping> all_;
  uint32_t rereads_ = 0;
};

Mappings& mappings() {
  static auto* const all = new Mappings; // threads may run while the process ends
  return *all;
}

} // namespace

Mapping mappingAt(uintptr_t address) {
  return mappings().around(address);
}

bool isMapped(uintptr_t at, uint64_t bytes, bool writes) {
  thread_local Mapping last;
  if (last.holds(at, bytes) && (last.is_writable || !writes)) [[likely]]
    return true;
  Mapping found = writes ? mappings().forWriting(at) : mappings().around(at);
  if (!found.holds(at, 1) || (writes && !found.is_writable))
    return false;
  last = found;
  bytes = bytes ? bytes : 1;
  return found.holds(at, bytes) || (found.end > at && isMapped(found.end, bytes - (found.end - at), writes));
}

} // namespace bsgp::runtime::check

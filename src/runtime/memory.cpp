#include "runtime/memory.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "runtime/failure.h"

namespace bsgp::runtime {
namespace {

constexpr uint8_t kPoison = 0xCB;

std::atomic<uint64_t>& unloads() {
  static std::atomic<uint64_t> count{0};
  return count;
}

std::string damageText(const AllocatedBlock& entry, bool behind) {
  bool known = entry.origin.site && entry.origin.unloads == timesUnloaded();
  const char* type = known && entry.origin.site->text ? entry.origin.site->text : nullptr;
  std::string count = formatted("%" PRId64, entry.origin.count);
  std::string elements = type ? count + " x " + type : count + " elements";
  std::string bytes = formatted("%zu bytes", entry.bytes);
  std::string what = entry.origin.count ? elements + " (" + bytes + ")" : bytes;
  return errorAt(known ? entry.origin.site : nullptr) +
         formatted("something wrote %s the %s that were allocated%s\n  help: look for an index into them that is %s",
                   behind ? "behind the end of" : "before the begin of", what.c_str(), known ? " here" : "",
                   behind ? "too large" : "negative");
}

AllocatedBlock* findIn(AllocatedBlocks& blocks, const void* block) {
  auto found = blocks.by_begin.find(reinterpret_cast<uintptr_t>(block));
  return found == blocks.by_begin.end() ? nullptr : &found->second;
}

// Finds the allocation that the address lies in.
AllocatedBlock* around(AllocatedBlocks& blocks, const void* address) {
  auto at = reinterpret_cast<uintptr_t>(address);
  auto behind = blocks.by_begin.upper_bound(at);
  if (behind == blocks.by_begin.begin())
    return nullptr;
  AllocatedBlock& entry = std::prev(behind)->second;
  bool is_begin = std::prev(behind)->first == at; // also of an allocation of no bytes
  return is_begin || at - std::prev(behind)->first < entry.bytes ? &entry : nullptr;
}

void insertInto(AllocatedBlocks& blocks, const AllocatedBlock& entry) {
  auto begin = reinterpret_cast<uintptr_t>(entry.block);
  if (blocks.spare_count == 0) {
    blocks.by_begin[begin] = entry;
    return;
  }
  auto node = std::move(blocks.spares[--blocks.spare_count]);
  node.key() = begin, node.mapped() = entry;
  blocks.by_begin.insert(std::move(node));
}

AllocatedBlock removeFrom(AllocatedBlocks& blocks, const AllocatedBlock& entry) {
  auto node = blocks.by_begin.extract(reinterpret_cast<uintptr_t>(entry.block));
  AllocatedBlock removed = node.mapped();
  if (blocks.spare_count < blocks.kMostSpares)
    blocks.spares[blocks.spare_count++] = std::move(node);
  return removed;
}

} // namespace

void forgetSites() {
  unloads().fetch_add(1);
}

uint64_t timesUnloaded() {
  return unloads().load(std::memory_order_relaxed);
}

// A damaged block is not given back, here and in release: the heap around it may be damaged too.
Memory::~Memory() {
  if (watch_)
    giveBack(watch_->releaseAll());
  for (const auto& [begin, entry] : device_blocks_.by_begin)
    if (!entry.is_damaged)
      device_.release(entry.block, withRoom(entry.bytes));
  for (const auto& [begin, entry] : host_blocks_.by_begin)
    if (!entry.is_damaged)
      std::free(static_cast<char*>(entry.block) - guard::kBytes);
}

void Memory::noteDamage(AllocatedBlock& entry, guard::Damage damage) {
  if (!is_damaged_.load())
    damage_ = damageText(entry, damage == guard::Damage::Behind);
  is_damaged_.store(true);
  entry.is_damaged = true;
}

void Memory::lookForDamage(AllocatedBlocks& blocks, guard::Damage wanted) {
  for (auto& [begin, entry] : blocks.by_begin)
    if (!entry.is_damaged && guard::find(entry.block, entry.bytes) == wanted)
      noteDamage(entry, wanted);
}

// Runs under the lock. A damage in front mostly comes from another block's end.
bool Memory::isWhole(AllocatedBlock& entry) {
  guard::Damage damage = guard::find(entry.block, entry.bytes);
  if (damage == guard::Damage::Before && guarded_)
    lookForDamage(device_blocks_, guard::Damage::Behind);
  if (damage == guard::Damage::Before)
    lookForDamage(host_blocks_, guard::Damage::Behind);
  if (damage != guard::Damage::None && !entry.is_damaged)
    noteDamage(entry, damage);
  return !entry.is_damaged;
}

void Memory::lookForDamage() {
  std::lock_guard lock(mutex_);
  for (guard::Damage damage : {guard::Damage::Behind, guard::Damage::Before}) {
    if (guarded_)
      lookForDamage(device_blocks_, damage);
    lookForDamage(host_blocks_, damage);
  }
}

std::string Memory::takeDamage() {
  if (!is_damaged_.load(std::memory_order_relaxed)) [[likely]]
    return {};
  std::lock_guard lock(mutex_);
  is_damaged_.store(false);
  return std::exchange(damage_, {});
}

void Memory::count(size_t bytes) {
  live_blocks_.fetch_add(1, std::memory_order_relaxed);
  uint64_t now = live_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  uint64_t peak = peak_bytes_.load(std::memory_order_relaxed);
  while (now > peak && !peak_bytes_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

// If the device fails here, it also fails in its next operation, which has a place to report it.
void Memory::fillWithPoison(void* block, size_t bytes) {
  (void)device_.fill(block, kPoison, bytes);
}

// If code watches itself, a pointer one past the end leads to no other memory. CPUs have a margin for that.
size_t Memory::withRoom(size_t bytes) const {
  constexpr size_t kRoom = 512;
  return watch_ && !guarded_ && bytes <= SIZE_MAX - kRoom ? bytes + kRoom : bytes;
}

void* Memory::take(size_t bytes, std::string& why) {
  void* block = device_.allocate(withRoom(bytes), why);
  if (!block && watch_ && giveBack(watch_->releaseAll()))
    block = device_.allocate(withRoom(bytes), why);
  if (!block)
    return nullptr;
  count(bytes);
  if (poison_) [[unlikely]]
    fillWithPoison(block, bytes);
  return block;
}

void Memory::give(void* block, size_t bytes) {
  if (poison_) [[unlikely]]
    fillWithPoison(block, bytes);
  device_.release(block, withRoom(bytes));
  uncount(bytes);
}

void Memory::uncount(size_t bytes) {
  live_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  live_blocks_.fetch_sub(1, std::memory_order_relaxed);
}

Memory::Allocation Memory::allocate(size_t bytes, Origin origin, std::string& why) {
  void* block = take(bytes, why);
  if (!block)
    return {};
  if (guarded_)
    guard::set(block, bytes);
  origin.unloads = timesUnloaded();
  if (watch_) [[unlikely]]
    giveBack(watch_->allocated({block, bytes, Space::Device}, origin));
  std::lock_guard lock(mutex_);
  try {
    insertInto(device_blocks_, {block, bytes, next_serial_, origin});
  } catch (const std::bad_alloc&) {
    device_.release(block, withRoom(bytes));
    uncount(bytes);
    throw;
  }
  return {block, next_serial_++};
}

size_t Memory::roomAt(const void* address, Space space) {
  std::lock_guard lock(mutex_);
  AllocatedBlock* found = around(space == Space::Device ? device_blocks_ : host_blocks_, address);
  if (!found)
    return SIZE_MAX;
  return found->bytes - size_t(static_cast<const char*>(address) - static_cast<const char*>(found->block));
}

bool Memory::release(void* block, uint64_t serial, const bsgp_site* at) {
  AllocatedBlock entry;
  {
    std::lock_guard lock(mutex_);
    auto* found = findIn(device_blocks_, block);
    if (!found || (serial && found->serial != serial))
      return false;
    if (guarded_)
      isWhole(*found);
    entry = removeFrom(device_blocks_, *found);
  }
  if (watch_) [[unlikely]]
    hold(entry, Space::Device, at);
  else if (entry.is_damaged)
    uncount(entry.bytes);
  else
    give(entry.block, entry.bytes);
  return true;
}

void* Memory::allocateHost(size_t bytes, Origin origin) {
  size_t whole_bytes = 0;
  if (__builtin_add_overflow(bytes, 2 * guard::kBytes, &whole_bytes))
    return nullptr;
  void* whole = std::malloc(whole_bytes);
  if (!whole)
    return nullptr;
  void* block = static_cast<char*>(whole) + guard::kBytes;
  guard::set(block, bytes);
  origin.unloads = timesUnloaded();
  if (poison_)
    std::memset(block, kPoison, bytes);
  if (watch_) [[unlikely]]
    giveBack(watch_->allocated({block, bytes, Space::Host}, origin));
  std::lock_guard lock(mutex_);
  try {
    insertInto(host_blocks_, {block, bytes, 0, origin});
  } catch (const std::bad_alloc&) {
    std::free(whole);
    throw;
  }
  return block;
}

bool Memory::releaseHost(void* block, const bsgp_site* at) {
  AllocatedBlock entry;
  {
    std::lock_guard lock(mutex_);
    auto* found = findIn(host_blocks_, block);
    if (!found)
      return false;
    isWhole(*found);
    entry = removeFrom(host_blocks_, *found);
  }
  if (watch_) [[unlikely]]
    hold(entry, Space::Host, at);
  if (entry.is_damaged || watch_)
    return true;
  if (poison_)
    std::memset(entry.block, kPoison, entry.bytes);
  std::free(static_cast<char*>(entry.block) - guard::kBytes);
  return true;
}

// Leaves the block to the watch, which holds it so that later accesses are seen to be to freed memory.
void Memory::hold(const AllocatedBlock& entry, Space space, const bsgp_site* at) {
  if (space == Space::Device)
    uncount(entry.bytes);
  if (poison_ && !entry.is_damaged && space == Space::Device)
    fillWithPoison(entry.block, entry.bytes);
  else if (poison_ && !entry.is_damaged)
    std::memset(entry.block, kPoison, entry.bytes);
  uint64_t peak = peak_bytes_.load(std::memory_order_relaxed);
  giveBack(watch_->freed({entry.block, entry.bytes, space}, entry.is_damaged, at, peak));
}

// False if there was nothing to give back.
bool Memory::giveBack(const std::vector<WatchedBlock>& held) {
  for (const WatchedBlock& block : held)
    if (block.space == Space::Device)
      device_.release(block.begin, withRoom(block.bytes));
    else
      std::free(static_cast<char*>(block.begin) - guard::kBytes);
  return !held.empty();
}

MemoryCounts Memory::counts() const {
  return {live_bytes_.load(std::memory_order_relaxed), peak_bytes_.load(std::memory_order_relaxed),
          live_blocks_.load(std::memory_order_relaxed)};
}

} // namespace bsgp::runtime

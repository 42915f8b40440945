#include "driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sys/resource.h>

namespace bsgp::emulator {

namespace {
constexpr size_t kMostCommands = 4096; // then all of them run

// The memory and the range of addresses that it has take its size each: together a quarter of the address space, at most.
uint64_t usualMemory() {
  constexpr uint64_t kUsual = uint64_t(4) << 30, kPart = 8;
  rlimit limit;
  bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_limited ? std::min<uint64_t>(kUsual, limit.rlim_cur / kPart) : kUsual;
}

} // namespace

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 0) : otherwise;
}

void*& currentContext() {
  static thread_local void* context = nullptr;
  return context;
}

Driver& Driver::get() {
  static Driver* driver = new Driver; // outlives all that may call it when the process ends
  return *driver;
}

void Driver::initialize() {
  if (initialized)
    return;
  initialized = true;
  sm = static_cast<unsigned>(setting("BSGP_CUDA_EMULATOR_SM", 80));
  lazy_ = setting("BSGP_CUDA_EMULATOR_LAZY", 1) != 0;
  leaks_ = setting("BSGP_CUDA_EMULATOR_LEAKS", 0) != 0;
  memory = std::make_unique<DeviceMemory>(setting("BSGP_CUDA_EMULATOR_MEMORY", usualMemory()));
  if (setting("BSGP_CUDA_EMULATOR_RACES", 0))
    races = std::make_unique<Races>(memory->total());
  std::atexit([] { Driver::get().reportLeaks(); });
}

// The default stream waits for all that block, and they for it.
bool Driver::ordered(const Stream* waits, const Stream* runs) {
  if (waits == runs)
    return true;
  return (!waits || waits->blocking) && (!runs || runs->blocking);
}

CUresult Driver::enqueue(const Stream* stream, std::function<CUresult()> run) {
  commands_.push_back({stream, std::move(run)});
  if (commands_.size() > kMostCommands)
    return finishAll();
  return lazy_ ? CUDA_SUCCESS : finish(stream);
}

bool Driver::pending(const Stream* stream) const {
  for (const Command& command : commands_)
    if (ordered(stream, command.stream))
      return true;
  return false;
}

bool Driver::runOne(const Stream* stream) {
  for (auto command = commands_.begin(); command != commands_.end(); ++command) {
    if (!ordered(stream, command->stream))
      continue;
    auto run = std::move(command->run);
    commands_.erase(command);
    CUresult result = sticky == CUDA_SUCCESS ? run() : sticky;
    if (result != CUDA_SUCCESS)
      sticky = result;
    return true;
  }
  return false;
}

CUresult Driver::finish(const Stream* stream) {
  while (runOne(stream)) {
  }
  return sticky;
}

CUresult Driver::finishAll() {
  while (!commands_.empty())
    finish(commands_.front().stream);
  return sticky;
}

CUresult Driver::allocate(uint64_t bytes, Pool* pool, uint64_t* out) {
  if (!out || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t address = memory->allocate(bytes);
  if (!address) { // what waits to be freed may make room
    if (CUresult result = finishAll())
      return result;
    address = memory->allocate(bytes);
  }
  if (!address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (pool) {
    pool_of[address] = pool;
    pool->used += bytes;
    pool->used_high = std::max(pool->used_high, pool->used);
    pool->reserved = std::max(pool->reserved, pool->used);
    pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
  }
  *out = address;
  return CUDA_SUCCESS;
}

bool Driver::releaseMemory(uint64_t address) {
  uint64_t bytes = memory->allocated(address);
  if (!bytes || !memory->release(address))
    return false;
  freeing.erase(address);
  auto taken = pool_of.find(address);
  if (taken != pool_of.end()) {
    taken->second->used -= bytes;
    pool_of.erase(taken);
  }
  return true;
}

CUresult Driver::fault(CUresult result, const std::string& message) {
  std::fprintf(stderr, "CUDA emulator: %s\n", message.c_str());
  return result;
}

void Driver::reportLeaks() const {
  if (!leaks_ || retained < 0)
    return;
  size_t variables = 0;
  for (const Module* module : modules)
    variables += module->variableCount();
  auto line = [](const char* what, size_t count) {
    if (count)
      std::fprintf(stderr, "CUDA emulator: leaked: %zu %s\n", count, what);
  };
  line("allocations of device memory", memory ? memory->count() - variables : 0);
  line("allocations of pinned memory", memory ? memory->pinnedCount() : 0);
  line("modules", modules.size());
  line("streams", streams.size());
  line("events", events.size());
  line("memory pools", pools.size());
  line("links", links.size());
  line("references to the primary context", static_cast<size_t>(retained));
}

// The primary context goes, and all that is in it.
void Driver::tearDown() {
  finishAll();
  commands_.clear();
  reportLeaks();
  for (Module* module : modules)
    delete module;
  for (Stream* stream : streams)
    delete stream;
  for (Event* event : events)
    delete event;
  for (Pool* pool : pools)
    delete pool;
  modules.clear();
  streams.clear();
  events.clear();
  pools.clear();
  pool_of.clear();
  freeing.clear();
  default_pool = Pool();
  memory->releaseAll();
  sticky = CUDA_SUCCESS;
}

} // namespace bsgp::emulator

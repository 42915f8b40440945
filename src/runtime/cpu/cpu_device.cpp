// All cores of the host. Device memory is host memory in huge pages; the blocks of a launch are shared out by the pool.
#include "runtime/blocks.h"
#include "runtime/cpu/copy.h"
#include "runtime/cpu/pool.h"
#include "runtime/device.h"

namespace bsgp::runtime {
namespace {

class CpuDevice final : public Device {
public:
  explicit CpuDevice(const DeviceOptions& options)
      : blocks_(options.cache_bytes), pool_({.threads = options.threads}) {}

  const char* name() const override { return "cpu"; }
  unsigned threads() const override { return pool_.threads(); }
  size_t margin() const override { return BlockCache::kMargin; }
  void* allocate(size_t bytes, std::string&) override { return blocks_.take(bytes); }
  void release(void* block, size_t bytes) override { blocks_.give(block, bytes); }
  size_t cachedBytes() const override { return blocks_.cached(); }
  Result<void> fill(void* to, uint8_t byte, size_t bytes) override {
    fillBytes(pool_, to, byte, bytes);
    return {};
  }
  Result<void> copy(void* to, Space, const void* from, Space, size_t bytes, DeviceCall*) override {
    copyBytes(pool_, to, from, bytes);
    return {};
  }

  Result<void> launch(const Work& work, std::unique_ptr<DeviceCall>&) override {
    const bsgp_launch& launch = work.launch;
    // A program that makes blocks of one thread has cut its work by the number of workers.
    bool large = launch.block == 1 && blockCount(launch) <= 64 * int64_t(threads());
    auto items = large ? Pool::Items::Large : Pool::Items::Unknown;
    pool_.forRanges(
        blockCount(launch),
        [&](int64_t first_block, int64_t end_block) { work.kernel.run(&launch, first_block, end_block); }, items);
    return {};
  }

private:
  BlockCache blocks_;
  Pool pool_;
};

} // namespace

std::unique_ptr<Device> createCpuDevice(const DeviceOptions& options) {
  return std::make_unique<CpuDevice>(options);
}

} // namespace bsgp::runtime

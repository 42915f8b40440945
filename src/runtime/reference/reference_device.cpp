// The oracle: one thread, one block after the other, in an order that the launch's seed shuffles. What a program may
// not rely on comes out differently for different seeds.
#include <cstring>
#include <numeric>
#include <vector>

#include "runtime/blocks.h"
#include "runtime/device.h"

namespace bsgp::runtime {
namespace {

uint64_t nextRandom(uint64_t& state) { // splitmix64
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

std::vector<int64_t> shuffledOrder(int64_t count, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[nextRandom(seed) % i]);
  return order;
}

class ReferenceDevice final : public Device {
public:
  explicit ReferenceDevice(const DeviceOptions& options) : blocks_(options.cache_bytes) {}

  const char* name() const override { return "reference"; }
  unsigned threads() const override { return 1; }
  void* allocate(size_t bytes) override { return blocks_.take(bytes); }
  void release(void* block, size_t bytes) override { blocks_.give(block, bytes); }
  size_t cachedBytes() const override { return blocks_.cached(); }
  void fill(void* to, uint8_t byte, size_t bytes) override { std::memset(to, byte, bytes); }
  void copy(void* to, Space, const void* from, Space, size_t bytes) override {
    if (bytes)
      std::memmove(to, from, bytes);
  }

  void launch(const bsgp_kernel& kernel, const bsgp_launch& launch) override {
    if (launch.shuffle == 0)
      return kernel.run(&launch, 0, blockCount(launch));
    for (int64_t block : shuffledOrder(blockCount(launch), launch.shuffle))
      kernel.run(&launch, block, block + 1);
  }

private:
  BlockCache blocks_;
};

} // namespace

std::unique_ptr<Device> createReferenceDevice(const DeviceOptions& options) {
  return std::make_unique<ReferenceDevice>(options);
}

} // namespace bsgp::runtime

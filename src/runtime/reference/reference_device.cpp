// The oracle: one thread, one block after the other, in an order that the launch's seed shuffles. What a program may
// not rely on comes out differently for different seeds.
//
// The folder `runtime/reference` orders blocks. The order of the lanes of a block is in the compiled code
// (target/cpu/ranks/shuffled_loop.h), which a program has for this device alone.
#include <cstring>
#include <numeric>
#include <vector>

#include "runtime/blocks.h"
#include "runtime/device.h"
#include "runtime/interrupt.h"

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
  bsgp_code_kind code() const override { return BSGP_CODE_REFERENCE; }
  size_t margin() const override { return BlockCache::kMargin; }
  void* allocate(size_t bytes, std::string&) override { return blocks_.take(bytes); }
  void release(void* block, size_t bytes) override { blocks_.give(block, bytes); }
  size_t cachedBytes() const override { return blocks_.cached(); }
  Result<void> fill(void* to, uint8_t byte, size_t bytes) override {
    std::memset(to, byte, bytes);
    return {};
  }
  Result<void> copy(void* to, Space, const void* from, Space, size_t bytes, DeviceCall*) override {
    if (bytes)
      std::memmove(to, from, bytes);
    return {};
  }

  Result<void> launch(const Work& work, std::unique_ptr<DeviceCall>&) override {
    const bsgp_launch& launch = work.launch;
    bool is_whole = true;
    if (launch.shuffle == 0) {
      is_whole = inSteps(blockCount(launch), [&](int64_t first, int64_t end) { work.kernel.run(&launch, first, end); });
    } else {
      std::vector<int64_t> order = shuffledOrder(blockCount(launch), launch.shuffle);
      is_whole = inSteps(blockCount(launch), [&](int64_t first, int64_t end) {
        for (int64_t i = first; i < end; ++i)
          work.kernel.run(&launch, order[size_t(i)], order[size_t(i)] + 1);
      });
    }
    return is_whole ? Result<void>() : Result<void>(interruption());
  }

private:
  template <class Function> static bool inSteps(int64_t count, const Function& function) {
    if (Interrupt* interrupt = Interrupt::current())
      return runInSteps(
          *interrupt, count,
          [](const void* f, int64_t first, int64_t end) { (*static_cast<const Function*>(f))(first, end); }, &function);
    function(0, count);
    return true;
  }

  BlockCache blocks_;
};

} // namespace

std::unique_ptr<Device> createReferenceDevice(const DeviceOptions& options) {
  return std::make_unique<ReferenceDevice>(options);
}

} // namespace bsgp::runtime

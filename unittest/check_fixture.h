// Launches of watched code, without a compiler.
#pragma once

#include <optional>

#include "plan_fixture.h"
#include "runtime/check/checked_call.h"
#include "runtime/check/launch.h"
#include "runtime/context.h"

namespace bsgp::test {

using bsgp::runtime::check::checkerOf;

inline ContextOwner makeCheckedContext(const char* kinds, const char* target = "reference") {
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.target = target;
  options.threads = 2;
  options.poison = -1;
  options.check = kinds;
  return ContextOwner(bsgp_context_create(&options));
}

// Stands for a launch of a kernel whose threads are the test's.
class Watched {
public:
  explicit Watched(bsgp_context* context, int64_t size = 1000, int64_t block = 256) {
    plan_.site = &kSpawnSite;
    kernel_.name = "kernel";
    kernel_.superstep = 1;
    begin(context, size, block);
  }
  ~Watched() { end(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  // Another launch of the same kernel.
  void begin(bsgp_context* context, int64_t size, int64_t block) {
    end();
    check_ = {checkerOf(*context), &plan_, &kernel_};
    checkerOf(*context)->begin(check_, orders_.emplace(block), size);
    launch_.size = size;
    launch_.block = block;
    launch_.check = &check_;
  }
  void* access(int64_t rank, void* address, const void* base, const bsgp_check_site& site) {
    return bsgp_rt_check_access(&launch_, rank, address, base, &site);
  }
  void end() {
    if (check_.checker)
      check_.checker->end(check_);
    check_.checker = nullptr;
  }
  const bsgp_launch* launch() const { return &launch_; }

private:
  bsgp_plan plan_{};
  bsgp_kernel kernel_{};
  bsgp_check_launch check_{};
  std::optional<bsgp::runtime::check::Orders> orders_;
  bsgp_launch launch_{};
};

} // namespace bsgp::test

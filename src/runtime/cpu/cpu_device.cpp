// Runs kernels on all cores of the host.
//
// The folder `runtime/cpu` takes launches, copies and fills; gives them to the threads of a pool (pool.h), a range of
// blocks at a time, and returns when all is done. For kernels with two forms it finds out which one is faster
// (forms.h). Device memory is host memory in huge pages (blocks.h). Compiled code computes the ranges.
#include "runtime/append.h"
#include "runtime/blocks.h"
#include "runtime/cpu/copy.h"
#include "runtime/cpu/forms.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/small_launches.h"
#include "runtime/device.h"
#include "runtime/profile.h"

namespace bsgp::runtime {
namespace {

class CpuDevice final : public Device {
public:
  explicit CpuDevice(const DeviceOptions& options)
      : rule_(options.form), blocks_(options.cache_bytes), pool_({.threads = options.threads}) {}

  const char* name() const override { return "cpu"; }
  bsgp_code_kind code() const override { return BSGP_CODE_CPU; }
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
    run(work);
    return endOfLaunch();
  }

  Result<void> launchProfiled(const Work& work, std::unique_ptr<DeviceCall>&, Profile& profile) override {
    auto span = Profile::begin();
    FormsRun ran = run(work);
    profile.launched(work.plan, work.kernel, work.launch.size, span);
    if (work.kernel.forms)
      profile.ran(work.plan, work.kernel, ran);
    return endOfLaunch();
  }

private:
  static Result<void> endOfLaunch() {
    const Interrupt* interrupt = Interrupt::current();
    return interrupt && interrupt->isEnded() ? Result<void>(interruption()) : Result<void>();
  }

  // Runs a launch, and returns how many blocks ran in which form if the kernel has two.
  FormsRun run(const Work& work) {
    if (!work.kernel.forms) {
      runAs(work, BSGP_FORM_LANES);
      return {};
    }
    int64_t blocks = blockCount(work.launch);
    uint32_t form = BSGP_FORM_LANES;
    if (rule_ == FormRule::Mixed)
      return runMixed(work);
    if (rule_ == FormRule::Measured && isSmall(work.launch))
      return runSmall(work);
    if (rule_ != FormRule::Measured)
      form = formAsRuled(*work.kernel.forms);
    if (rule_ != FormRule::Measured || isSettled(*work.kernel.forms, work.launch, form)) {
      runAs(work, form);
      FormsRun ran;
      ran.blocks[form] = blocks;
      return ran;
    }
    return runTrial(work);
  }

  // Returns lanes if the kernel lacks the form of the rule.
  uint32_t formAsRuled(const bsgp_forms& forms) const {
    uint32_t form = rule_ == FormRule::Alone       ? BSGP_FORM_ALONE
                    : rule_ == FormRule::Wavefront ? BSGP_FORM_WAVEFRONT
                                                   : BSGP_FORM_LANES;
    return formsOf(forms) >> form & 1 ? form : uint32_t(BSGP_FORM_LANES);
  }

  void runAs(const Work& work, uint32_t form) {
    // A program that makes blocks of one thread has cut its work by the number of workers.
    bool large = work.launch.block == 1 && blockCount(work.launch) <= 64 * int64_t(threads());
    forBlocks(
        work, [&](const uint64_t* params, int64_t first, int64_t end) { runBlocks(work, form, params, first, end); },
        large ? Pool::Items::Large : Pool::Items::Unknown, &work.kernel);
  }

  static void runBlocks(const Work& work, uint32_t form, const uint64_t* params, int64_t first, int64_t end) {
    bsgp_launch launch = work.launch;
    launch.form = form, launch.params = params;
    work.kernel.run(&launch, first, end);
  }

  // Calls run(params, first, end) for ranges of all blocks.
  template <class Run>
  void forBlocks(const Work& work, const Run& run, Pool::Items items = Pool::Items::Unknown,
                 const void* known = nullptr) {
    Appending appending(work);
    if (appending.any())
      return pool_.forRanges(
          blockCount(work.launch), [&](int64_t first, int64_t end) { appending.blocks(first, end, run); }, items, known,
          appending.mostBlocks());
    pool_.forRanges(
        blockCount(work.launch), [&](int64_t first, int64_t end) { run(work.launch.params, first, end); }, items,
        known);
  }

  FormsRun runSmall(const Work& work) {
    using Clock = std::chrono::steady_clock;
    SmallTurn turn = nextOfSmall(*work.kernel.forms);
    auto begin = turn.timed ? Clock::now() : Clock::time_point();
    runAs(work, turn.form);
    return reportSmall(*work.kernel.forms, work.launch, turn, turn.timed ? double((Clock::now() - begin).count()) : 0);
  }

  // Runs neighbouring blocks in different forms.
  FormsRun runMixed(const Work& work) {
    uint32_t made = formsOf(*work.kernel.forms), forms[BSGP_FORMS], count = 0;
    for (uint32_t form = 0; form < BSGP_FORMS; ++form)
      if (made >> form & 1)
        forms[count++] = form;
    int64_t blocks = blockCount(work.launch), odd = work.launch.size & 1;
    forBlocks(work, [&](const uint64_t* params, int64_t first, int64_t end) {
      for (int64_t block = first; block != end; ++block)
        runBlocks(work, forms[(block + odd) % count], params, block, block + 1);
    });
    FormsRun ran;
    for (uint32_t i = 0; i < count; ++i) // the blocks whose number leaves that rest
      ran.blocks[forms[i]] = (blocks + count - 1 - (i + count - odd % count) % count) / count;
    return ran;
  }

  FormsRun runTrial(const Work& work) {
    using Clock = std::chrono::steady_clock;
    FormTrial trial(*work.kernel.forms, work.launch);
    forBlocks(work, [&](const uint64_t* params, int64_t first, int64_t end) {
      while (first != end) {
        FormTrial::Turn turn = trial.next(first, end);
        auto begin = turn.timed ? Clock::now() : Clock::time_point();
        runBlocks(work, turn.form, params, first, turn.end);
        if (turn.timed)
          trial.report(first, turn, double((Clock::now() - begin).count()));
        first = turn.end;
      }
    });
    return trial.keep();
  }

  const FormRule rule_;
  BlockCache blocks_;
  Pool pool_;
};

} // namespace

std::unique_ptr<Device> createCpuDevice(const DeviceOptions& options) {
  return std::make_unique<CpuDevice>(options);
}

} // namespace bsgp::runtime

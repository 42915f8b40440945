// Executes a plan: walks its steps, iteration by iteration if it has loops. A run's resources (streams, temporaries
// of its collectives) are given back when it ends, however it ends. Runs nest: a require may call a host function
// that has a spawn of its own.
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "runtime/context.h"
#include "runtime/crash.h"
#include "runtime/few.h"
#include "runtime/partition.h"

namespace bsgp::runtime {
namespace {

constexpr uint32_t kRoundsBetweenLooks = 64;
constexpr const char* kTargets[] = {"cpu", "reference", "cuda"}; // by bsgp_code_kind

struct StreamMemory {
  void* data; // null: none
  size_t bytes;
};

// Keeps memory that streams of a loop gave back for those of the next iteration: one of a microsecond has no time to
// allocate. It keeps small blocks only: the time to allocate a large one does not matter.
class Spares {
public:
  bool keep(const StreamMemory& memory) {
    if (count_ == kMost || memory.bytes > kLargest)
      return false;
    spares_[count_++] = memory;
    return true;
  }

  StreamMemory take(size_t bytes) {
    for (uint32_t i = count_; i-- > 0;)
      if (StreamMemory found = spares_[i]; found.bytes >= bytes && found.bytes / 2 <= bytes) {
        spares_[i] = spares_[--count_];
        return found;
      }
    return {nullptr, 0};
  }

  template <class Give> void giveBack(Give give) {
    while (count_ > 0)
      give(spares_[--count_]);
  }

private:
  static constexpr uint32_t kMost = 8;
  static constexpr size_t kLargest = 256 << 10;
  StreamMemory spares_[kMost];
  uint32_t count_ = 0;
};

class Run : private PartitionHost {
public:
  Run(bsgp_call& call, const bsgp_plan& plan, void* frame)
      : call_(call), plan_(plan), frame_(static_cast<char*>(frame)), memories_(plan.stream_count),
        streams_(memories_.data()), outer_temps_(call.spawn_temps.beginRun()) {
    for (uint32_t i = 0; i < plan.stream_count; ++i)
      streams_[i] = {nullptr, 0};
  }
  ~Run() override {
    for (uint32_t i = 0; i < plan_.stream_count; ++i)
      freeStream(i);
    giveSparesBack();
    call_.spawn_temps.endRun(outer_temps_, call_.context->memory);
  }

  int32_t execute();

private:
  int32_t runSteps();
  int32_t step(const bsgp_step& step);
  int32_t readSize(const bsgp_site* site);
  int32_t checkSize(const bsgp_site* site) const;
  int32_t require(const bsgp_step& step);
  int32_t allocate(const bsgp_step& step);
  int32_t launch(uint32_t kernel, int64_t threads, uint32_t block) override;
  int32_t readStream(uint32_t stream, void* to, size_t bytes) override;
  int32_t writeStream(uint32_t stream, const void* from, size_t bytes) override;
  int32_t look() override;
  int32_t clear(const bsgp_step& step);
  bool fitsDevice() const;
  uint64_t inFrame(const bsgp_param& param) const;
  void fillParams(const bsgp_kernel& kernel, uint32_t block, uint64_t* slots);
  uint64_t shuffleSeed();
  bool isInLoop() const { return rounds_ > 0; }
  bool isTaken(const bsgp_step& branch) const;
  int32_t lookForFailure();
  int32_t lookForInterrupt();
  void move(const bsgp_step& step);
  bool isNamedElsewhere(uint32_t index);
  void freeStream(uint32_t index);
  void giveBack(const StreamMemory& memory);
  void giveSparesBack();

  bsgp_call& call_;
  const bsgp_plan& plan_;
  char* const frame_;
  Few<StreamMemory, 24> memories_;
  StreamMemory* const streams_;
  Spares spares_;
  const size_t outer_temps_;
  int64_t size_ = 0, old_size_ = 0;
  uint32_t rounds_ = 0;    // jumps back so far
  bool is_shared_ = false; // streams may name the same memory
};

int32_t Run::execute() {
  if (plan_.version != BSGP_PLAN_VERSION)
    return call_.fail(BSGP_FAILED, plan_.site,
                      formatted("compiled for another version of the runtime (plan version %u, here %d)\n"
                                "  help: compile the program again",
                                plan_.version, int(BSGP_PLAN_VERSION)));
  if (!fitsDevice())
    return call_.fail(
        BSGP_UNAVAILABLE, plan_.site,
        formatted("the code is for target %s, and the context's target is %s\n  help: compile for that target "
                  "(bsgp_compile_options::reference and gpu), or make the context with another one "
                  "(bsgp_options::target, BSGP_TARGET)",
                  kTargets[plan_.code], call_.context->device->name()));
  if (int32_t status = readSize(plan_.site))
    return status;
  old_size_ = size_;
  if (int32_t status = lookForInterrupt()) [[unlikely]]
    return status;
  return runSteps();
}

int32_t Run::runSteps() {
  const bsgp_step* const steps = plan_.steps;
  const uint32_t count = plan_.step_count;
  for (uint32_t at = 0; at < count;) {
    const bsgp_step& next = steps[at++];
    if (next.kind != BSGP_STEP_JUMP && !(next.kind == BSGP_STEP_BRANCH && isTaken(next))) {
      if (int32_t status = step(next)) [[unlikely]]
        return status;
      continue;
    }
    bool is_round = next.other < at;
    at = next.other;
    if (!is_round)
      continue;
    int32_t status = ++rounds_ % kRoundsBetweenLooks == 0 ? lookForFailure() : int32_t(BSGP_OK);
    if (status == BSGP_OK)
      status = lookForInterrupt();
    if (status != BSGP_OK) [[unlikely]]
      return status;
  }
  return BSGP_OK;
}

bool Run::fitsDevice() const {
  return plan_.kernel_count == 0 || plan_.code == call_.context->device->code();
}

int32_t Run::step(const bsgp_step& step) {
  switch (step.kind) {
  case BSGP_STEP_REQUIRE:
  case BSGP_STEP_DECIDE:
    return require(step);
  case BSGP_STEP_ALLOCATE:
    return allocate(step);
  case BSGP_STEP_CLEAR:
    return clear(step);
  case BSGP_STEP_LAUNCH:
    return launch(step.index, size_, 0);
  case BSGP_STEP_BLOCKS:
    return runBlocks(plan_.partitions[step.index], size_, plan_.rank_bits, *this);
  case BSGP_STEP_FREE:
    freeStream(step.index);
    return BSGP_OK;
  case BSGP_STEP_FREE_TEMPS:
    call_.spawn_temps.endScope(step.index, isInLoop(), call_.context->memory);
    return BSGP_OK;
  case BSGP_STEP_SUPERSTEP:
    old_size_ = size_;
    return BSGP_OK;
  case BSGP_STEP_JUMP: // runSteps goes on there
  case BSGP_STEP_BRANCH:
    return BSGP_OK;
  case BSGP_STEP_MOVE:
    move(step);
    return BSGP_OK;
  case BSGP_STEP_SWAP:
    std::swap(streams_[step.index], streams_[step.other]);
    return BSGP_OK;
  }
  return call_.fail(BSGP_FAILED, step.site, formatted("the plan has a step of unknown kind %u", step.kind));
}

int32_t Run::readSize(const bsgp_site* site) {
  int64_t before = size_;
  std::memcpy(&size_, frame_ + plan_.size_offset, sizeof size_);
  return size_ == before ? int32_t(BSGP_OK) : checkSize(site);
}

int32_t Run::checkSize(const bsgp_site* site) const {
  if (size_ < 0)
    return call_.fail(BSGP_FAILED, site, formatted("the number of threads is negative: %" PRId64, size_));
  if (plan_.rank_bits == 32 && size_ > INT32_MAX)
    return call_.fail(BSGP_FAILED, site,
                      formatted("%s: %" PRId64 " threads are more than ranks of type int can number\n"
                                "  help: give spawn a size of type long",
                                plan_.name, size_));
  return BSGP_OK;
}

int32_t Run::require(const bsgp_step& step) {
  Profile* profile = call_.context->profile.get();
  auto span = profile ? Profile::begin() : Profile::Span{};
  int32_t status = plan_.requires_[step.index](&call_, frame_);
  if (profile)
    profile->required(plan_, step, span);
  return status ? status : readSize(step.site ? step.site : plan_.site);
}

int32_t Run::allocate(const bsgp_step& step) {
  int64_t bytes = 0;
  StreamMemory& stream = streams_[step.index];
  if (stream.data)
    freeStream(step.index);
  bool is_known = !__builtin_mul_overflow(size_, int64_t(step.bytes), &bytes);
  if (is_known && (stream = spares_.take(size_t(bytes))).data) [[likely]]
    return BSGP_OK;
  giveSparesBack();
  std::string why;
  if (is_known)
    stream = {call_.context->memory.take(size_t(bytes), why), size_t(bytes)};
  if (!stream.data)
    return call_.allocationFailed(step.site ? step.site : plan_.site, size_, step.bytes, "a stream", why);
  if (call_.context->profile) [[unlikely]]
    call_.context->profile->allocated(size_t(bytes));
  return BSGP_OK;
}

int32_t Run::clear(const bsgp_step& step) {
  const StreamMemory& stream = streams_[step.index];
  auto filled = call_.context->device->fill(stream.data, 0, stream.bytes);
  return filled ? int32_t(BSGP_OK) : call_.fail(BSGP_FAILED, step.site ? step.site : plan_.site, filled.message());
}

uint64_t Run::inFrame(const bsgp_param& param) const {
  uint64_t value = 0;
  if (param.bytes == sizeof value)
    std::memcpy(&value, frame_ + param.index, sizeof value);
  else if (param.bytes == sizeof(uint32_t))
    std::memcpy(&value, frame_ + param.index, sizeof(uint32_t));
  else
    std::memcpy(&value, frame_ + param.index, param.bytes);
  return value;
}

void Run::fillParams(const bsgp_kernel& kernel, uint32_t block, uint64_t* slots) {
  for (uint32_t i = 0; i < kernel.param_count; ++i) {
    const bsgp_param& param = kernel.params[i];
    slots[i] = 0;
    switch (param.kind) {
    case BSGP_PARAM_FRAME:
    case BSGP_PARAM_APPEND:
      slots[i] = inFrame(param);
      break;
    case BSGP_PARAM_STREAM:
      slots[i] = uint64_t(uintptr_t(streams_[param.index].data));
      break;
    case BSGP_PARAM_SIZE:
      slots[i] = uint64_t(size_);
      break;
    case BSGP_PARAM_OLD_SIZE:
      slots[i] = uint64_t(old_size_);
      break;
    case BSGP_PARAM_BLOCK:
      slots[i] = block;
      break;
    }
  }
}

// Gives another order for each launch, the same ones in each execution of the program.
uint64_t Run::shuffleSeed() {
  if (call_.context->shuffle == 0)
    return 0;
  uint64_t number = call_.context->launches.fetch_add(1, std::memory_order_relaxed);
  return (call_.context->shuffle + number * 0x9E3779B97F4A7C15u) | 1;
}

int32_t Run::launch(uint32_t number, int64_t threads, uint32_t block) {
  if (threads == 0)
    return BSGP_OK;
  const bsgp_kernel& kernel = plan_.kernels[number];
  Few<uint64_t, 32> params(kernel.param_count);
  fillParams(kernel, block, params.data());
  bsgp_failure failure;
  bsgp_launch launch{threads, int64_t(plan_.block), params.data(), &failure, shuffleSeed(), BSGP_FORM_LANES, nullptr};
  std::unique_ptr<LaunchWatch> watched;
  if (call_.context->watch) [[unlikely]] {
    watched = call_.context->watch->launchBegins(call_, plan_, kernel, frame_, threads);
    launch.check = watched->record();
  }
  Device& device = *call_.context->device;
  Work work{plan_, kernel, launch};
  bsgp_site superstep{plan_.site ? plan_.site->file : nullptr, kernel.first_line, 1, nullptr,
                      plan_.site && plan_.site->of_library};
  Running running(superstep.file, kernel);
  Interrupt interrupt;
  auto launched = call_.context->profile ? device.launchProfiled(work, call_.on_device, *call_.context->profile)
                                         : device.launch(work, call_.on_device);
  watched.reset();
  if (!launched) [[unlikely]]
    return call_.fail(launched.error().mistake == Mistake::Interruption ? BSGP_INTERRUPTED : BSGP_FAILED, &superstep,
                      launched.message());
  if (kernel.gpu && kernel.gpu->talks)
    return call_.wait(); // its lines come before those of the host and of later kernels
  if (failure.state.load(std::memory_order_relaxed) == 0) [[likely]]
    return BSGP_OK;
  const bsgp_site* site = failure.site ? failure.site : &superstep;
  call_.failsAt(site);
  call_.message = failureMessage(failure.kind, failure.rank, site);
  return BSGP_FAILED;
}

int32_t Run::readStream(uint32_t stream, void* to, size_t bytes) {
  auto copied =
      call_.context->device->copy(to, Space::Host, streams_[stream].data, Space::Device, bytes, call_.on_device.get());
  return copied ? int32_t(BSGP_OK) : call_.fail(BSGP_FAILED, plan_.site, copied.message());
}

int32_t Run::writeStream(uint32_t stream, const void* from, size_t bytes) {
  auto copied = call_.context->device->copy(streams_[stream].data, Space::Device, from, Space::Host, bytes,
                                            call_.on_device.get());
  return copied ? int32_t(BSGP_OK) : call_.fail(BSGP_FAILED, plan_.site, copied.message());
}

int32_t Run::look() {
  int32_t status = lookForFailure();
  return status ? status : lookForInterrupt();
}

bool Run::isTaken(const bsgp_step& branch) const {
  int32_t way = 0;
  std::memcpy(&way, frame_ + plan_.decision_offset, sizeof way);
  return way == int32_t(branch.index);
}

// A device that works later reports failures when the host waits for it, and a loop need not do that.
int32_t Run::lookForFailure() {
  if (!call_.context->device->hasFailed(call_.on_device.get())) [[likely]]
    return BSGP_OK;
  return call_.wait();
}

// A row of short launches can take long as well.
int32_t Run::lookForInterrupt() {
  if (!call_.looks.isDue() || !call_.looks.askToEnd()) [[likely]]
    return BSGP_OK;
  return call_.fail(BSGP_INTERRUPTED, plan_.site, interruption().message);
}

void Run::move(const bsgp_step& step) {
  if (step.index == step.other)
    return;
  freeStream(step.index);
  streams_[step.index] = streams_[step.other];
  is_shared_ = true;
}

bool Run::isNamedElsewhere(uint32_t index) {
  for (uint32_t i = 0; i < plan_.stream_count; ++i)
    if (i != index && streams_[i].data == streams_[index].data)
      return true;
  return false;
}

void Run::freeStream(uint32_t index) {
  StreamMemory& stream = streams_[index];
  if (stream.data && !(is_shared_ && isNamedElsewhere(index)))
    giveBack(stream);
  stream = {nullptr, 0};
}

// Freed memory that has to count as free is given back at once.
void Run::giveBack(const StreamMemory& memory) {
  if (!isInLoop() || call_.context->memory.freesAtOnce() || !spares_.keep(memory))
    call_.context->memory.give(memory.data, memory.bytes);
}

void Run::giveSparesBack() {
  spares_.giveBack([&](const StreamMemory& memory) { call_.context->memory.give(memory.data, memory.bytes); });
}

} // namespace
} // namespace bsgp::runtime

extern "C" int32_t bsgp_rt_run(bsgp_call* call, const bsgp_plan* plan, void* frame) try {
  return bsgp::runtime::Run(*call, *plan, frame).execute();
} catch (const std::bad_alloc&) {
  return call->outOfMemory(plan->site, "the supersteps of this spawn");
}

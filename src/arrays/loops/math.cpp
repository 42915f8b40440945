// Each function of math.bsgp is one kernel. It is found by a launch on a device that runs nothing and remembers what it was given;
// from then on the loops call it directly, as a worker of a launch would.
#include "arrays/loops/math.h"

#include <iterator>

#include "arrays_math.h" // made by bsgpc from math.bsgp
#include "runtime/context.h"
#include "support/check.h"

namespace bsgp::arrays {

namespace {

// A kernel, and which of its parameters are the result and the operands.
struct MathKernel {
  bsgp_kernel_fn run = nullptr;
  int64_t block = 0;
  uint32_t slots[3] = {}; // of the result, the first operand, the second one
};

// They stand for the arrays of a launch: three addresses that are told apart.
char markers[3];

class RecordingDevice final : public runtime::Device {
public:
  explicit RecordingDevice(MathKernel& found) : found_(found) {}
  const char* name() const override { return "cpu"; }
  unsigned threads() const override { return 1; }
  bsgp_code_kind code() const override { return BSGP_CODE_CPU; }
  void* allocate(size_t, std::string&) override { return nullptr; }
  void release(void*, size_t) override {}
  size_t cachedBytes() const override { return 0; }
  Result<void> fill(void*, uint8_t, size_t) override { return {}; }
  Result<void> copy(void*, runtime::Space, const void*, runtime::Space, size_t, runtime::DeviceCall*) override {
    return {};
  }

  Result<void> launch(const runtime::Work& work, std::unique_ptr<runtime::DeviceCall>&) override {
    found_.run = work.kernel.run;
    found_.block = work.launch.block;
    for (uint32_t i = 0; i < work.kernel.param_count; ++i)
      for (uint32_t which = 0; which < std::size(markers); ++which)
        if (work.launch.params[i] == reinterpret_cast<uintptr_t>(&markers[which]))
          found_.slots[which] = i;
    return {};
  }

private:
  MathKernel& found_;
};

template <bsgp_operation kOperation, class T> struct MathLoop {
  static inline MathKernel kernel;

  static void run(void* to, const void* a, const void* b, const void*, int64_t count) {
    uint64_t params[3];
    params[kernel.slots[0]] = reinterpret_cast<uintptr_t>(to);
    params[kernel.slots[1]] = reinterpret_cast<uintptr_t>(a);
    if (b)
      params[kernel.slots[2]] = reinterpret_cast<uintptr_t>(b);
    bsgp_launch launch{};
    launch.size = count, launch.block = kernel.block, launch.params = params;
    kernel.run(&launch, 0, runtime::blockCount(launch));
  }
};

template <class T> T* marker(int which) {
  return reinterpret_cast<T*>(&markers[which]);
}

template <bsgp_operation kOperation, class T, class Function>
void add(Loops& table, bsgp_dtype type, Function function) {
  MathKernel& kernel = MathLoop<kOperation, T>::kernel;
  bsgp_context* context =
      runtime::publish(std::make_unique<bsgp_context>(std::make_unique<RecordingDevice>(kernel), false, 0));
  bsgp_status status;
  if constexpr (std::is_invocable_v<Function, bsgp_context*, T*, T*, int32_t>)
    status = function(context, marker<T>(0), marker<T>(1), kFoldBlock);
  else
    status = function(context, marker<T>(0), marker<T>(1), marker<T>(2), kFoldBlock);
  bsgp_context_destroy(context);
  BSGP_CHECK(status == BSGP_OK && kernel.run, "%s has no kernel: %s", bsgp_dtype_name(type), bsgp_error_message());
  table.apply[kOperation][type] = MathLoop<kOperation, T>::run;
}

} // namespace

#define BSGP_MATH(operation, name)                                                                                     \
  add<operation, float>(table, BSGP_FLOAT32, arrays_##name##_float);                                                   \
  add<operation, double>(table, BSGP_FLOAT64, arrays_##name##_double)

void addMath(Loops& table) {
  BSGP_MATH(BSGP_OP_EXP, exp);
  BSGP_MATH(BSGP_OP_EXP2, exp2);
  BSGP_MATH(BSGP_OP_EXPM1, expm1);
  BSGP_MATH(BSGP_OP_LOG, log);
  BSGP_MATH(BSGP_OP_LOG2, log2);
  BSGP_MATH(BSGP_OP_LOG10, log10);
  BSGP_MATH(BSGP_OP_LOG1P, log1p);
  BSGP_MATH(BSGP_OP_SIN, sin);
  BSGP_MATH(BSGP_OP_COS, cos);
  BSGP_MATH(BSGP_OP_TAN, tan);
  BSGP_MATH(BSGP_OP_ASIN, asin);
  BSGP_MATH(BSGP_OP_ACOS, acos);
  BSGP_MATH(BSGP_OP_ATAN, atan);
  BSGP_MATH(BSGP_OP_SINH, sinh);
  BSGP_MATH(BSGP_OP_COSH, cosh);
  BSGP_MATH(BSGP_OP_TANH, tanh);
  BSGP_MATH(BSGP_OP_ASINH, asinh);
  BSGP_MATH(BSGP_OP_ACOSH, acosh);
  BSGP_MATH(BSGP_OP_ATANH, atanh);
  BSGP_MATH(BSGP_OP_CBRT, cbrt);
  BSGP_MATH(BSGP_OP_ERF, erf);
  BSGP_MATH(BSGP_OP_ERFC, erfc);
  BSGP_MATH(BSGP_OP_POW, pow);
  BSGP_MATH(BSGP_OP_ATAN2, atan2);
  BSGP_MATH(BSGP_OP_HYPOT, hypot);
  add<BSGP_OP_RANDOM_BITS, uint64_t>(table, BSGP_UINT64, arrays_random_ulong);
}

} // namespace bsgp::arrays

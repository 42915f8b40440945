// The emulator of the CUDA driver under test: its entry points, and modules of samples that each hold many kernels.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace emulated {

using Address = uint64_t;

// What the tests call, by name; cuda.h's types are not needed.
template <class... T> int call(const char* name, T... arguments) {
  static void* library = dlopen(BSGP_CUDA_EMULATOR, RTLD_NOW | RTLD_LOCAL);
  void* entry = library ? dlsym(library, name) : nullptr;
  if (!entry) {
    ADD_FAILURE() << name << " is not there: " << dlerror();
    return -1;
  }
  return reinterpret_cast<int (*)(T...)>(entry)(arguments...);
}

inline void start() {
  void* context = nullptr;
  ASSERT_EQ(0, call("cuInit", 0u));
  ASSERT_EQ(0, call("cuDevicePrimaryCtxRetain", &context, 0));
  ASSERT_EQ(0, call("cuCtxSetCurrent", context));
}
inline void stop() {
  EXPECT_EQ(0, call("cuDevicePrimaryCtxRelease_v2", 0));
}

// A context of its own for each test.
struct Test : testing::Test {
  void SetUp() override { start(); }
  void TearDown() override { stop(); }
};

inline const char* ptxas() {
  static const char* found = [] {
    for (const char* path : {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas"})
      if (access(path, X_OK) == 0)
        return path;
    return static_cast<const char*>(nullptr);
  }();
  return found;
}

// The samples must be PTX: they are assembled where that can be done.
inline void assemble(const std::string& text, const char* arch = "sm_80") {
  if (!ptxas())
    return;
  char path[] = "/tmp/bsgp_sample_XXXXXX";
  int file = mkstemp(path);
  ASSERT_EQ(static_cast<ssize_t>(text.size()), write(file, text.data(), text.size()));
  close(file);
  std::string command = std::string(ptxas()) + " -arch=" + arch + " -o /dev/null " + path + " 2>&1";
  std::string said;
  FILE* pipe = popen(command.c_str(), "r");
  for (char line[512]; fgets(line, sizeof line, pipe);)
    said += line;
  EXPECT_EQ(0, pclose(pipe)) << said << text;
  unlink(path);
}

constexpr const char* kHeader = ".version 7.8\n.target sm_80\n.address_size 64\n";

// Returns the error, and the log.
inline int load(const std::string& text, void** module, std::string* log = nullptr) {
  char buffer[1024] = "";
  int options[] = {5, 6};
  void* values[] = {buffer, reinterpret_cast<void*>(sizeof buffer)};
  int result = call("cuModuleLoadDataEx", module, static_cast<const void*>(text.c_str()), 2u, options, values);
  if (log)
    *log = buffer;
  else
    EXPECT_EQ(0, result) << buffer << text;
  return result;
}

template <class T> Address upload(const std::vector<T>& values) {
  Address address = 0;
  EXPECT_EQ(0, call("cuMemAlloc_v2", &address, values.size() * sizeof(T)));
  EXPECT_EQ(0, call("cuMemcpyHtoDAsync_v2", address, static_cast<const void*>(values.data()), values.size() * sizeof(T),
                    static_cast<void*>(nullptr)));
  return address;
}

template <class T> std::vector<T> download(Address address, size_t count) {
  std::vector<T> values(count);
  EXPECT_EQ(0, call("cuMemcpyDtoHAsync_v2", static_cast<void*>(values.data()), address, count * sizeof(T),
                    static_cast<void*>(nullptr)));
  return values;
}

// Launches and waits; returns the first error.
template <class... T>
int launch(void* module, const char* name, unsigned blocks, unsigned threads, unsigned shared, T... arguments) {
  void *function = nullptr, *parameters[] = {&arguments..., nullptr};
  EXPECT_EQ(0, call("cuModuleGetFunction", &function, module, name));
  void *stream = nullptr, **extra = nullptr;
  int result = call("cuLaunchKernel", function, blocks, 1u, 1u, threads, 1u, 1u, shared, stream,
                    static_cast<void**>(parameters), extra);
  return result ? result : call("cuCtxSynchronize");
}

// Runs the body of a kernel of PTX in which %out is the address of 8 bytes for each thread, %me its number in the
// block; %p1 to %p4, %r1 to %r8, %rd1 to %rd8 and %f1 to %f4 may be used. Returns what was written.
inline std::vector<uint64_t> run(const std::string& body, unsigned threads, unsigned blocks = 1,
                                 const std::string& declarations = "") {
  std::string text = std::string(kHeader) + declarations +
                     ".visible .entry k(.param .u64 k_out) {\n.reg .pred %p<5>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n"
                     ".reg .b64 %rd<9>;\n.reg .f32 %f<5>;\n.reg .b32 %me, %id;\n.reg .b64 %out, %base;\n"
                     "ld.param.u64 %base, [k_out];\nmov.u32 %me, %tid.x;\nmov.u32 %id, %ntid.x;\n"
                     "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %id, %id, %r1, %me;\n"
                     "mul.wide.u32 %out, %id, 8;\nadd.s64 %out, %base, %out;\n" +
                     body + "\nret;\n}\n";
  assemble(text);
  void* module = nullptr;
  load(text, &module);
  Address out = upload(std::vector<uint64_t>(threads * blocks));
  EXPECT_EQ(0, launch(module, "k", blocks, threads, 0, out)) << text;
  return download<uint64_t>(out, threads * blocks);
}

// One instruction each, for many operands. "add.u32 %d, %a, %b;" and the types of d, a, b, c, as in "u32 u32 u32".
class Samples {
public:
  using Inputs = std::vector<std::array<uint64_t, 3>>;
  using Expected = std::function<uint64_t(uint64_t a, uint64_t b, uint64_t c)>;

  void add(std::string instruction, std::string types, Inputs inputs, Expected expected) {
    samples_.push_back({std::move(instruction), split(types), std::move(inputs), std::move(expected)});
  }

  void check(const char* arch = "sm_80") {
    std::string text = ".version 7.8\n.target " + std::string(arch) + "\n.address_size 64\n";
    for (size_t i = 0; i < samples_.size(); ++i)
      text += kernelOf(samples_[i], "k" + std::to_string(i));
    assemble(text, arch);
    void* module = nullptr;
    ASSERT_EQ(0, load(text, &module));
    for (size_t i = 0; i < samples_.size(); ++i)
      checkOne(module, samples_[i], "k" + std::to_string(i));
  }

private:
  struct Sample {
    std::string instruction;
    std::vector<std::string> types;
    Inputs inputs;
    Expected expected;
  };

  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words(1);
    for (char c : text)
      if (c == ' ')
        words.emplace_back();
      else
        words.back() += c;
    return words;
  }

  // Types of 8 bits are kept in registers of 16.
  static std::string registerOf(const std::string& type) {
    return type == "u8" || type == "s8" ? "b16" : type == "f16" || type == "bf16" ? "b16" : type;
  }
  static std::string memoryOf(const std::string& type) {
    return type == "f16" || type == "bf16" ? "b16" : type == "pred" ? "u32" : type;
  }

  static std::string kernelOf(const Sample& sample, const std::string& name) {
    std::string text = ".visible .entry " + name + "(.param .u64 " + name + "_out, .param .u64 " + name +
                       "_in) {\n.reg .b64 %out, %in;\n.reg .b32 %i, %w;\n.reg .b64 %at;\n";
    const std::string letters = "dabc";
    for (size_t i = 0; i < sample.types.size(); ++i)
      text += ".reg ." + registerOf(sample.types[i]) + " %" + letters[i] + ";\n";
    text += "ld.param.u64 %out, [" + name + "_out];\nld.param.u64 %in, [" + name +
            "_in];\nmov.u32 %i, %tid.x;\nmul.wide.u32 %at, %i, 8;\nadd.s64 %out, %out, %at;\n"
            "mul.wide.u32 %at, %i, 24;\nadd.s64 %in, %in, %at;\n";
    for (size_t i = 1; i < sample.types.size(); ++i)
      text += "ld.global." + memoryOf(sample.types[i]) + " %" + letters[i] + ", [%in+" + std::to_string(8 * (i - 1)) +
              "];\n";
    text += sample.instruction + "\n";
    if (sample.types[0] == "pred")
      text += "selp.b32 %w, 1, 0, %d;\nst.global.u32 [%out], %w;\n";
    else
      text += "st.global." + memoryOf(sample.types[0]) + " [%out], %d;\n";
    return text + "ret;\n}\n";
  }

  static void checkOne(void* module, const Sample& sample, const std::string& name) {
    size_t count = sample.inputs.size();
    Address in = upload(sample.inputs), out = upload(std::vector<uint64_t>(count));
    ASSERT_EQ(0, launch(module, name.c_str(), 1, static_cast<unsigned>(count), 0, out, in));
    std::vector<uint64_t> results = download<uint64_t>(out, count);
    for (size_t i = 0; i < count; ++i) {
      auto [a, b, c] = sample.inputs[i];
      EXPECT_EQ(sample.expected(a, b, c), results[i])
          << sample.instruction << std::hex << " a=0x" << a << " b=0x" << b << " c=0x" << c << " gave 0x" << results[i];
    }
    call("cuMemFree_v2", in);
    call("cuMemFree_v2", out);
  }

  std::vector<Sample> samples_;
};

inline uint64_t bits(float value) {
  return std::bit_cast<uint32_t>(value);
}
inline uint64_t bits(double value) {
  return std::bit_cast<uint64_t>(value);
}
inline float single(uint64_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value));
}
inline double real(uint64_t value) {
  return std::bit_cast<double>(value);
}

} // namespace emulated

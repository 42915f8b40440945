// The C++ interface of BSGP: bsgp.h with owners and exceptions. C++20, header only.
//
//   bsgp::Context context({.target = "cpu"});
//   bsgp::DeviceArray<int> data(context, {3, 1, 2});
//   bsgp::check(sort(context.get(), data.data(), int(data.size())));  // a function of a generated header
//   std::vector<int> sorted = data.toHost();
#pragma once

#if __cplusplus < 201709L
#error "bsgp.hpp needs C++20 (-std=c++20); bsgp.h is for older C++ and C"
#endif

#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "bsgp/bsgp.h"

namespace bsgp {

class Exception : public std::runtime_error {
public:
  explicit Exception(bsgp_status status) : std::runtime_error(bsgp_error_message()), status(status) {}
  bsgp_status status;
};

// Throws what a failed call left as its message.
inline void check(int status) {
  if (status != BSGP_OK)
    throw Exception(bsgp_status(status));
}

// Owns a context. Must outlive its arrays.
class Context {
public:
  // Only the fields that matter need be given: Context({.threads = 4}).
  explicit Context(bsgp_options options = {}) {
    options.struct_size = sizeof options;
    context_ = bsgp_context_create(&options);
    if (!context_)
      throw Exception(bsgp_error_status());
  }
  ~Context() { bsgp_context_destroy(context_); }
  Context(Context&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}
  Context& operator=(Context&& other) noexcept {
    std::swap(context_, other.context_);
    return *this;
  }

  bsgp_context* get() const { return context_; }
  operator bsgp_context*() const { return context_; }
  const char* target() const { return bsgp_context_target(context_); }
  uint32_t threads() const { return bsgp_context_threads(context_); }
  bsgp_memory_info memory() const {
    bsgp_memory_info info;
    bsgp_memory(context_, &info);
    return info;
  }

private:
  bsgp_context* context_ = nullptr;
};

// Owns `size` elements of device memory. T is copied as bytes.
template <class T> class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>, "device memory holds plain data");

public:
  DeviceArray() = default;
  DeviceArray(bsgp_context* context, size_t size) : context_(context), size_(size) {
    if (size > SIZE_MAX / sizeof(T))
      throw std::length_error("bsgp::DeviceArray: more elements than memory can hold");
    void* memory = nullptr;
    check(bsgp_alloc(context, size * sizeof(T), &memory));
    data_ = static_cast<T*>(memory);
  }
  DeviceArray(bsgp_context* context, std::span<const T> values) : DeviceArray(context, values.size()) { set(values); }
  DeviceArray(bsgp_context* context, std::initializer_list<T> values)
      : DeviceArray(context, std::span<const T>(values.begin(), values.size())) {}
  // Takes over memory that a compiled function returned.
  static DeviceArray adopt(bsgp_context* context, T* data, size_t size) {
    DeviceArray array;
    array.context_ = context, array.data_ = data, array.size_ = size;
    return array;
  }
  ~DeviceArray() { bsgp_free(context_, data_); }
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    swap(other);
    return *this;
  }

  T* data() const { return data_; } // device memory: for arguments, not to be read here
  size_t size() const { return size_; }

  void set(std::span<const T> values, size_t at = 0) {
    bound(at, values.size());
    check(bsgp_copy_to_device(context_, data_ + at, values.data(), values.size_bytes()));
  }
  void get(std::span<T> values, size_t at = 0) const {
    bound(at, values.size());
    check(bsgp_copy_to_host(context_, values.data(), data_ + at, values.size_bytes()));
  }
  std::vector<T> toHost() const {
    std::vector<T> values(size_);
    get(values);
    return values;
  }

private:
  void swap(DeviceArray& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  void bound(size_t at, size_t count) const {
    if (at > size_ || count > size_ - at)
      throw std::out_of_range("bsgp::DeviceArray: copy past the end");
  }

  bsgp_context* context_ = nullptr; // null: the default one
  T* data_ = nullptr;
  size_t size_ = 0;
};

// What generated headers call bsgp_array2_T and bsgp_array3_T: device memory in rows, and its extents.
template <class T, int N> struct ArrayStruct;
template <class T> struct ArrayStruct<T, 2> {
  T* data;
  int32_t height, width;
};
template <class T> struct ArrayStruct<T, 3> {
  T* data;
  int32_t depth, height, width;
};

template <class S, class T, int N>
concept IsArrayStruct = std::is_class_v<S> && sizeof(S) == sizeof(ArrayStruct<T, N>) &&
                        std::is_same_v<std::remove_const_t<std::remove_pointer_t<decltype(S::data)>>, T> &&
                        std::is_same_v<decltype(S::width), int32_t> && requires(S s) { s.height; } &&
                        (N == 2 || requires(S s) { s.depth; });

// Owns device memory with extents, the slowest first: Array2<float> u(context, height, width) for a parameter
// float[,] u, Array3<float>(context, depth, height, width) for float[,,]. Where a generated function takes a pointer to
// such a struct, the array itself is given. Throws std::length_error for negative extents, and what DeviceArray throws.
template <class T, int N> class ExtentArray {
public:
  using Struct = ArrayStruct<T, N>;

  ExtentArray() = default;
  template <std::convertible_to<int64_t>... E>
    requires(sizeof...(E) == N)
  ExtentArray(bsgp_context* context, E... extents)
      : memory_(context, product({int64_t(extents)...})), struct_{memory_.data(), int32_t(extents)...} {}
  // Takes over what a compiled function returned.
  template <IsArrayStruct<T, N> S> static ExtentArray adopt(bsgp_context* context, const S& returned) {
    ExtentArray array;
    array.struct_ = std::bit_cast<Struct>(returned);
    array.memory_ = DeviceArray<T>::adopt(context, array.struct_.data, array.size());
    return array;
  }
  ExtentArray(ExtentArray&& other) noexcept { swap(other); }
  ExtentArray& operator=(ExtentArray&& other) noexcept {
    swap(other);
    return *this;
  }

  T* data() const { return memory_.data(); } // device memory
  size_t size() const {
    size_t plane = size_t(struct_.height) * size_t(struct_.width);
    if constexpr (N == 3)
      return size_t(struct_.depth) * plane;
    else
      return plane;
  }
  int32_t width() const { return struct_.width; }
  int32_t height() const { return struct_.height; }
  int32_t depth() const
    requires(N == 3)
  {
    return struct_.depth;
  }

  void set(std::span<const T> values, size_t at = 0) { memory_.set(values, at); } // row by row
  void get(std::span<T> values, size_t at = 0) const { memory_.get(values, at); }
  std::vector<T> toHost() const { return memory_.toHost(); }

  template <IsArrayStruct<T, N> S> operator const S*() const { return reinterpret_cast<const S*>(&struct_); }

private:
  static size_t product(std::initializer_list<int64_t> extents) {
    size_t all = 1;
    for (int64_t extent : extents) {
      if (extent < 0 || extent > INT32_MAX || (extent && all > SIZE_MAX / size_t(extent)))
        throw std::length_error("bsgp: an extent of an array is negative, or past what memory can hold");
      all *= size_t(extent);
    }
    return all;
  }
  void swap(ExtentArray& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(struct_, other.struct_);
  }

  DeviceArray<T> memory_;
  Struct struct_{};
};

template <class T> using Array2 = ExtentArray<T, 2>;
template <class T> using Array3 = ExtentArray<T, 3>;

// A function of a program compiled at run time, called like one of C++: reference arguments and structs are passed by
// pointer underneath. The signature is the caller's word, nothing checks it. Throws Exception when the call fails.
template <class Signature> class Function;
template <class R, class... A> class Function<R(A...)> {
public:
  explicit Function(void* address) : address_(address) {}
  R operator()(bsgp_context* context, A... args) const {
    if constexpr (std::is_void_v<R>) {
      check(reinterpret_cast<int (*)(bsgp_context*, Passed<A>...)>(address_)(context, pass<A>(args)...));
    } else {
      R result{};
      check(reinterpret_cast<int (*)(bsgp_context*, Passed<A>..., R*)>(address_)(context, pass<A>(args)..., &result));
      return result;
    }
  }

private:
  template <class T>
  using Passed = std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*,
                                    std::conditional_t<std::is_class_v<T>, const std::remove_reference_t<T>*, T>>;
  template <class T> static Passed<T> pass(std::remove_reference_t<T>& value) {
    if constexpr (std::is_reference_v<T> || std::is_class_v<T>)
      return &value;
    else
      return value;
  }
  void* address_;
};

// Owns a program compiled from text; needs libbsgp. Throws Exception with all messages when the text has errors.
class Program {
public:
  explicit Program(const char* source, bsgp_compile_options options = {}) {
    options.struct_size = sizeof options;
    check(bsgp_compile(source, &options, &program_));
  }
  ~Program() { bsgp_program_destroy(program_); }
  Program(Program&& other) noexcept : program_(std::exchange(other.program_, nullptr)) {}
  Program& operator=(Program&& other) noexcept {
    std::swap(program_, other.program_);
    return *this;
  }

  // program.function<float(const float*, int)>("sum")(context, data, n)
  template <class Signature> Function<Signature> function(const char* name) const {
    void* address = nullptr;
    check(bsgp_program_function(program_, name, &address));
    return Function<Signature>(address);
  }
  std::vector<const bsgp_export*> exports() const { // owned by the program
    std::vector<const bsgp_export*> all(bsgp_program_export_count(program_));
    for (uint32_t i = 0; i < all.size(); ++i)
      check(bsgp_program_export(program_, i, &all[i]));
    return all;
  }
  const char* header() const { return bsgp_program_header(program_); }
  const char* warnings() const { return bsgp_program_warnings(program_); } // with their places; "": none

private:
  bsgp_program* program_ = nullptr;
};

} // namespace bsgp

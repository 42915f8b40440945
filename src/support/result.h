// Result<T>: a value, or the message of a failure of the environment (a file, the driver, memory).
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace bsgp {

// Kinds of mistakes that languages tell apart. Interruption is none: the program around asked for an end.
enum class Mistake : unsigned char { Value, Type, Index, Overflow, Memory, Matrix, Interruption };

struct Error {
  std::string message; // a sentence: names the call, the object and the size
  Mistake mistake = Mistake::Value;
};

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  T* operator->() { return &*value_; }
  T take() { return std::move(*value_); }
  const std::string& message() const { return error_.message; }
  Error error() const { return error_; }

private:
  std::optional<T> value_;
  Error error_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}
  explicit operator bool() const { return !failed_; }
  const std::string& message() const { return error_.message; }
  Error error() const { return error_; }

private:
  bool failed_ = false;
  Error error_;
};

} // namespace bsgp

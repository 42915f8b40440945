// Arguments of one call: each is converted to what the function takes, and given back afterwards.
#pragma once

#include <cstddef>
#include <memory>

#include "kernel.h"

namespace bsgp::python {

// For messages: "saxpy: argument 'x'".
struct Where {
  const bsgp_export* function;
  const bsgp_parameter* parameter;
  int rank = kOfText; // of the array, in a kernel of Python; -1: it brings no extents along
};

// How a message spells a type: as the text of the program, or as a kernel in Python has it: "float32[:, :]".
std::string spelled(const bsgp_type* type, const Where& where);

// Sets an exception "saxpy: argument 'x' is ..."; `help` may be null. Returns false.
[[gnu::format(printf, 4, 5)]] bool refuse(PyObject* kind, const Where& where, const char* help, const char* format,
                                          ...);

// One argument of a call. What it holds until the end of the call is released with it.
class Argument {
public:
  Argument() = default;
  ~Argument();
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;

  bool set(PyObject* given, const Where& where, const Place& place); // false: an exception is set
  bool finish(const Where& where); // behind a call that succeeded: gives back what it wrote
  void* address() const { return address_; }
  const PyObject* written() const { return written_; } // the array that gets a new value; null: there is none
  // The extents of the array that was given. False: it has another rank, and an exception is set.
  bool extents(int rank, int64_t* to, const Where& where) const;

private:
  bool setMemory(PyObject* given, const Where& where, const Place& place, const bsgp_type* type, bool writes);
  bool setArray(PyObject* given, const Where& where, const Place& place, const bsgp_type* type, bool writes);
  bool setBuffer(PyObject* given, const Where& where, const Place& place, const bsgp_type* type, bool writes);
  bool setGpuMemory(PyObject* given, const Where& where, const bsgp_type* type, bool writes);
  bool copyToDevice(const Where& where, const Place& place, const void* from, size_t bytes);
  bool setView(const Where& where, const bsgp_type* type, int axes, const Py_ssize_t* extents);
  char* room(size_t bytes);

  static constexpr size_t kInside = 64;
  void* address_ = nullptr; // what the function is given the address of
  alignas(16) char inside_[kInside];
  std::unique_ptr<char[]> outside_; // for values that are larger
  void* pointer_ = nullptr;
  int axes_ = -1; // of the array; -1: None was given
  int64_t shape_[BSGP_MOST_AXES];
  Py_buffer view_{}; // obj: null where there is none
  Handle array_;     // whose memory is read; or that gets the new value
  PyObject* written_ = nullptr;
  // A copy on the device.
  bsgp_context* context_ = nullptr;
  void* device_ = nullptr;
  void* back_ = nullptr; // null: nothing is copied back
  size_t bytes_ = 0;
};

// ---- values (values.cpp) ----

// Writes the value of an object as the type has it, checked. False: an exception is set.
bool writeValue(PyObject* given, const bsgp_type* type, char* to, const Where& where);
PyObject* readValue(const bsgp_type* type, const char* from); // null: an exception is set
bool isValue(const bsgp_type* type);                          // no pointers in it

// ---- elements (elements.cpp) ----

// Whether elements of a view can be those that a pointer leads to. False: an exception is set.
bool fits(const Py_buffer& view, PyObject* given, const bsgp_type* type, const Where& where);

} // namespace bsgp::python

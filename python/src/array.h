// The type bsgp.Array: an owner of an array of the C functions. Its operators are C, without a layer between: they take about as long as
// the operation itself.
#pragma once

#include <utility>

#include "errors.h"

namespace bsgp::python {

// Owns an array.
class Handle {
public:
  Handle() = default;
  explicit Handle(bsgp_array* adopted) : array_(adopted) {}
  Handle(Handle&& other) noexcept : array_(std::exchange(other.array_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(array_, other.array_);
    return *this;
  }
  ~Handle() { bsgp_array_release(array_); }
  static Handle to(bsgp_array* array) { return Handle(bsgp_array_retain(array)); }
  bsgp_array* get() const { return array_; }
  bsgp_array* take() { return std::exchange(array_, nullptr); }
  bsgp_array** out() { return &array_; }
  explicit operator bool() const { return array_; }

private:
  bsgp_array* array_ = nullptr;
};

struct ArrayObject {
  PyObject_HEAD bsgp_array* handle; // an assignment to elements gives it another one
  PyObject* weak_references;
  int pending_assignments;
  uint32_t scope; // of the function that was traced when it was made; 0: none
};

// Of the function that this thread traces.
inline uint32_t& scopeInMaking() {
  thread_local uint32_t scope = 0;
  return scope;
}

extern PyTypeObject* array_type;
bool makeArrayType(PyObject* module);

inline bool isArray(PyObject* object) {
  return Py_TYPE(object) == array_type;
}
inline bsgp_array*& handleOf(PyObject* array) {
  return reinterpret_cast<ArrayObject*>(array)->handle;
}

// A new object that owns the array; null if there is no memory, and then the array is released.
PyObject* wrapped(Handle array);

// A single number of the text or an element: strong, an array; weak: it takes the type of what it meets.
enum class Strength { Weak, Strong };

// An operand: an array's own, or one made of a number, a NumPy array or another object that has elements.
class Operand {
public:
  // After an exception, or of an object that is no array, it is false.
  Operand(PyObject* object, Strength strength, bsgp_array* other = nullptr);
  ~Operand() {
    if (is_owned_)
      bsgp_array_release(array_);
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;
  bsgp_array* get() const { return array_; }
  explicit operator bool() const { return array_; }

private:
  bsgp_array* array_ = nullptr;
  bool is_owned_ = false;
};
bool isNumber(PyObject* object); // a bool, int, float or complex of Python, not of a type derived from it

// Keeps what an operand is, if making one of another object runs code of Python, which may assign to the operand's elements.
inline Handle keptBeside(PyObject* operand, PyObject* other) {
  return isArray(operand) && !isArray(other) && !isNumber(other) ? Handle::to(handleOf(operand)) : Handle();
}

// Gives results of operations on elements.
PyObject* applied(bsgp_operation operation, bsgp_array* const* operands, int count);

// Computes it without the interpreter's lock. False: an exception is set.
bool evaluated(bsgp_array* array);

// Modules in Python give these: the objects of types, by number; and the function that makes an array of an object, or returns NotImplemented.
struct Hooks {
  PyObject* dtypes = nullptr; // a tuple
  PyObject* convert = nullptr;
  PyObject *elements = nullptr, *assign = nullptr; // at keys of all kinds
  PyObject* choose = nullptr;                      // cond of functions
  PyObject* caller = nullptr;                      // gives the place of the program that called the package
};
Hooks& hooks();

} // namespace bsgp::python

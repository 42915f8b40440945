// Objects of Python as operands.
#include <cstring>

#include "array.h"

namespace bsgp::python {

namespace {

template <class T> bsgp_array* scalar(T value, bsgp_dtype dtype, bool weak) {
  bsgp_array* made = nullptr;
  if (bsgp_status status = bsgp_array_scalar(&value, dtype, weak, &made))
    raise(status);
  return made;
}

bool isFloating(bsgp_array* array) {
  return array && bsgp_array_dtype(array) >= BSGP_FLOAT16;
}

// A whole number that int64 does not have is one of uint64, or of a floating-point type, if the other operand is of that type.
bsgp_array* largeWhole(PyObject* object, int sign, bool weak, bsgp_array* other) {
  if (isFloating(other)) {
    double value = PyLong_AsDouble(object);
    return value == -1 && PyErr_Occurred() ? nullptr : scalar(value, BSGP_FLOAT64, weak);
  }
  bool may_be = sign > 0 && (!other || bsgp_array_dtype(other) == BSGP_UINT64);
  unsigned long long value = may_be ? PyLong_AsUnsignedLongLong(object) : 0;
  if (may_be && !PyErr_Occurred())
    return scalar(uint64_t(value), BSGP_UINT64, false);
  PyErr_Clear();
  PyErr_Format(PyExc_OverflowError, "the number %R is none of type %s\n  help: convert the array by astype", object,
               other ? bsgp_dtype_name(bsgp_array_dtype(other)) : "int64");
  return nullptr;
}

bsgp_array* whole(PyObject* object, bool weak, bsgp_array* other) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow ? largeWhole(object, overflow, weak, other) : scalar(int64_t(value), BSGP_INT64, weak);
}

bsgp_array* number(PyObject* object, bool weak, bsgp_array* other) {
  if (PyFloat_CheckExact(object))
    return scalar(PyFloat_AS_DOUBLE(object), BSGP_FLOAT64, weak);
  if (PyBool_Check(object))
    return scalar(uint8_t(object == Py_True), BSGP_BOOL, weak);
  if (PyLong_CheckExact(object))
    return whole(object, weak, other);
  Py_complex value = PyComplex_AsCComplex(object);
  return scalar(value, BSGP_COMPLEX128, weak);
}

} // namespace

bool isNumber(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
         PyComplex_CheckExact(object);
}

Operand::Operand(PyObject* object, Strength strength, bsgp_array* other) {
  if (isArray(object)) {
    array_ = handleOf(object);
  } else if (isNumber(object)) {
    is_owned_ = true;
    array_ = number(object, strength == Strength::Weak, other);
  } else if (hooks().convert && object != Py_None) {
    PyObject* made = PyObject_CallOneArg(hooks().convert, object);
    if (made && isArray(made))
      array_ = bsgp_array_retain(handleOf(made)), is_owned_ = true;
    Py_XDECREF(made);
  }
}

Hooks& hooks() {
  static Hooks all;
  return all;
}

} // namespace bsgp::python

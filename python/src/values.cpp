// Numbers, vectors and structs, in both directions.
#include <cmath>
#include <cstdarg>
#include <cstring>
#include <limits>

#include "arguments.h"

namespace bsgp::python {

namespace {

template <class T> void put(char* to, T value) {
  std::memcpy(to, &value, sizeof value);
}
template <class T> T get(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

bool isSigned(int32_t dtype) {
  return dtype >= BSGP_INT8 && dtype <= BSGP_INT64;
}

bool refuseType(PyObject* given, const bsgp_type* type, const Where& where, const char* help) {
  return refuse(PyExc_TypeError, where, help, "is %s, the parameter is %s", Py_TYPE(given)->tp_name,
                spelled(type, where).c_str());
}

bool outOfRange(PyObject* given, const bsgp_type* type, const Where& where) {
  PyObject* text = PyObject_Repr(given);
  const char* words = text ? PyUnicode_AsUTF8(text) : nullptr;
  bool refused = refuse(PyExc_OverflowError, where, nullptr, "is %s, which %s cannot hold", words ? words : "a number",
                        spelled(type, where).c_str());
  Py_XDECREF(text);
  return refused;
}

bool writeBool(PyObject* given, const bsgp_type* type, char* to, const Where& where) {
  if (given == Py_True || given == Py_False)
    return put(to, uint8_t(given == Py_True)), true;
  bool may_be = PyIndex_Check(given) || std::strcmp(Py_TYPE(given)->tp_name, "numpy.bool") == 0 ||
                std::strcmp(Py_TYPE(given)->tp_name, "numpy.bool_") == 0 || isArray(given);
  int truth = may_be ? PyObject_IsTrue(given) : -1;
  if (may_be && truth < 0)
    return false;
  return may_be ? (put(to, uint8_t(truth)), true) : refuseType(given, type, where, "bool(value)");
}

bool writeSigned(PyObject* whole, PyObject* given, const bsgp_type* type, char* to, const Where& where) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(whole, &overflow);
  int bits = int(type->size) * 8;
  if (overflow || (bits < 64 && (value >= 1LL << (bits - 1) || value < -(1LL << (bits - 1)))))
    return outOfRange(given, type, where);
  std::memcpy(to, &value, type->size);
  return true;
}

bool writeUnsigned(PyObject* whole, PyObject* given, const bsgp_type* type, char* to, const Where& where) {
  unsigned long long value = PyLong_AsUnsignedLongLong(whole);
  if (value == ~0ULL && PyErr_Occurred()) {
    PyErr_Clear();
    return outOfRange(given, type, where);
  }
  if (type->size < 8 && value >> (type->size * 8))
    return outOfRange(given, type, where);
  std::memcpy(to, &value, type->size);
  return true;
}

bool writeInteger(PyObject* given, const bsgp_type* type, char* to, const Where& where) {
  auto write = isSigned(type->dtype) ? writeSigned : writeUnsigned;
  if (PyLong_Check(given))
    return write(given, given, type, to, where);
  if (!PyIndex_Check(given))
    return refuseType(given, type, where, PyFloat_Check(given) ? "int(value)" : nullptr);
  PyObject* whole = PyNumber_Index(given);
  if (!whole)
    return false;
  bool written = write(whole, given, type, to, where);
  Py_DECREF(whole);
  return written;
}

bool writeFloat(PyObject* given, const bsgp_type* type, char* to, const Where& where) {
  double value = 0;
  if (PyFloat_Check(given)) {
    value = PyFloat_AS_DOUBLE(given);
  } else {
    if (!PyNumber_Check(given) || PyComplex_Check(given))
      return refuseType(given, type, where, nullptr);
    value = PyFloat_AsDouble(given);
    if (value == -1 && PyErr_Occurred())
      return false;
  }
  if (type->dtype == BSGP_FLOAT64)
    return put(to, value), true;
  if (type->dtype == BSGP_FLOAT16)
    return PyFloat_Pack2(value, to, 1) == 0;
  float narrow = float(value);
  if (std::isinf(narrow) && !std::isinf(value))
    return outOfRange(given, type, where);
  return put(to, narrow), true;
}

bool writeScalar(PyObject* given, const bsgp_type* type, char* to, const Where& where) {
  if (type->dtype >= BSGP_FLOAT16)
    return writeFloat(given, type, to, where);
  return type->dtype == BSGP_BOOL ? writeBool(given, type, to, where) : writeInteger(given, type, to, where);
}

// A record of NumPy, or an array with these very bytes.
bool isBytesOf(PyObject* given, const bsgp_type* type, char* to) {
  if (!PyObject_CheckBuffer(given) || isArray(given))
    return false;
  Py_buffer view;
  if (PyObject_GetBuffer(given, &view, PyBUF_FULL_RO) < 0) {
    PyErr_Clear();
    return false;
  }
  bool is_record = view.format && std::strchr(view.format, '{');
  bool same = is_record && size_t(view.len) == type->size && PyBuffer_IsContiguous(&view, 'C');
  if (same)
    std::memcpy(to, view.buf, type->size);
  PyBuffer_Release(&view);
  return same;
}

PyObject* partsOf(PyObject* given, const bsgp_type* type, Py_ssize_t count, const Where& where) {
  bool may_be = PySequence_Check(given) && !PyUnicode_Check(given) && !PyBytes_Check(given);
  PyObject* parts = may_be ? PySequence_Fast(given, "") : nullptr;
  if (parts && PySequence_Fast_GET_SIZE(parts) == count)
    return parts;
  PyErr_Clear();
  if (parts)
    refuse(PyExc_TypeError, where, nullptr, "has %zd parts, the parameter is %s and has %zd",
           PySequence_Fast_GET_SIZE(parts), spelled(type, where).c_str(), count);
  else
    refuseType(given, type, where, "a tuple of its parts");
  Py_XDECREF(parts);
  return nullptr;
}

bool writeElements(PyObject* given, const bsgp_type* type, char* to, const Where& where) {
  PyObject* parts = partsOf(given, type, Py_ssize_t(type->count), where);
  bool written = parts != nullptr;
  for (Py_ssize_t i = 0; written && i < Py_ssize_t(type->count); ++i)
    written =
        writeValue(PySequence_Fast_GET_ITEM(parts, i), type->element, to + size_t(i) * type->element->size, where);
  Py_XDECREF(parts);
  return written;
}

bool writeFields(PyObject* given, const bsgp_type* type, char* to, const Where& where) {
  std::memset(to, 0, type->size);
  PyObject* parts = PyDict_Check(given) ? nullptr : partsOf(given, type, type->field_count, where);
  if (!parts && PyErr_Occurred())
    return false;
  bool written = true;
  for (uint32_t i = 0; written && i < type->field_count; ++i) {
    const bsgp_field& field = type->fields[i];
    PyObject* part = parts ? PySequence_Fast_GET_ITEM(parts, i) : PyDict_GetItemString(given, field.name);
    written = part ? writeValue(part, field.type, to + field.offset, where)
                   : refuse(PyExc_TypeError, where, nullptr, "has no '%s', which is part of %s", field.name,
                            spelled(type, where).c_str());
  }
  Py_XDECREF(parts);
  return written;
}

PyObject* readScalar(int32_t dtype, const char* from) {
  switch (dtype) {
  case BSGP_BOOL:
    return PyBool_FromLong(*from);
  case BSGP_INT8:
    return PyLong_FromLong(get<int8_t>(from));
  case BSGP_INT16:
    return PyLong_FromLong(get<int16_t>(from));
  case BSGP_INT32:
    return PyLong_FromLong(get<int32_t>(from));
  case BSGP_INT64:
    return PyLong_FromLongLong(get<int64_t>(from));
  case BSGP_UINT8:
    return PyLong_FromLong(get<uint8_t>(from));
  case BSGP_UINT16:
    return PyLong_FromLong(get<uint16_t>(from));
  case BSGP_UINT32:
    return PyLong_FromUnsignedLong(get<uint32_t>(from));
  case BSGP_UINT64:
    return PyLong_FromUnsignedLongLong(get<uint64_t>(from));
  case BSGP_FLOAT16:
    return PyFloat_FromDouble(PyFloat_Unpack2(from, 1));
  case BSGP_FLOAT32:
    return PyFloat_FromDouble(double(get<float>(from)));
  default:
    return PyFloat_FromDouble(get<double>(from));
  }
}

} // namespace

bool refuse(PyObject* kind, const Where& where, const char* help, const char* format, ...) {
  char words[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  PyErr_Format(kind, "%s: argument '%s' %s%s%s", where.function->name, where.parameter->name, words,
               help ? "\n  help: " : "", help ? help : "");
  return false;
}

bool isValue(const bsgp_type* type) {
  if (type->kind == BSGP_TYPE_POINTER || type->kind == BSGP_TYPE_VIEW)
    return false;
  if (type->kind == BSGP_TYPE_STRUCT) {
    for (uint32_t i = 0; i < type->field_count; ++i)
      if (!isValue(type->fields[i].type))
        return false;
    return true;
  }
  return !type->element || isValue(type->element);
}

bool writeValue(PyObject* given, const bsgp_type* type, char* to, const Where& where) {
  switch (type->kind) {
  case BSGP_TYPE_SCALAR:
    return writeScalar(given, type, to, where);
  case BSGP_TYPE_VECTOR:
  case BSGP_TYPE_ARRAY:
    return writeElements(given, type, to, where);
  case BSGP_TYPE_STRUCT:
    return isBytesOf(given, type, to) || writeFields(given, type, to, where);
  default:
    if (given == Py_None)
      return put(to, static_cast<void*>(nullptr)), true;
    return refuse(PyExc_TypeError, where, "give the pointer as a parameter of its own", "has a part of type %s",
                  spelled(type, where).c_str());
  }
}

PyObject* readValue(const bsgp_type* type, const char* from) {
  if (type->kind == BSGP_TYPE_SCALAR)
    return readScalar(type->dtype, from);
  bool is_struct = type->kind == BSGP_TYPE_STRUCT;
  auto count = Py_ssize_t(is_struct ? type->field_count : type->count);
  PyObject* parts = PyTuple_New(count);
  for (Py_ssize_t i = 0; parts && i < count; ++i) {
    const bsgp_type* of_part = is_struct ? type->fields[i].type : type->element;
    PyObject* part = readValue(of_part, from + (is_struct ? type->fields[i].offset : size_t(i) * of_part->size));
    if (!part)
      Py_CLEAR(parts);
    else
      PyTuple_SET_ITEM(parts, i, part);
  }
  return parts;
}

} // namespace bsgp::python

#include "array.h"

#include <cmath>
#include <cstddef>

#include <structmember.h>

#include "buffers.h"
#include "indexing.h"
#include "interrupts.h"

namespace bsgp::python {

PyTypeObject* array_type = nullptr;

namespace {

// Objects that went, to be used again: an operation makes one in the time that an allocation takes.
constexpr int kMostSpare = 256;
ArrayObject* spare[kMostSpare];
int spares = 0;

PyObject* newObject() {
  if (spares > 0) {
    ArrayObject* object = spare[--spares];
    PyObject_Init(reinterpret_cast<PyObject*>(object), array_type);
    return reinterpret_cast<PyObject*>(object);
  }
  return reinterpret_cast<PyObject*>(PyObject_New(ArrayObject, array_type));
}

void dealloc(PyObject* self) {
  auto* array = reinterpret_cast<ArrayObject*>(self);
  if (array->weak_references)
    PyObject_ClearWeakRefs(self);
  bsgp_array_release(array->handle);
  if (spares < kMostSpare)
    spare[spares++] = array;
  else
    PyObject_Free(array);
  Py_DECREF(array_type); // objects of types that are made at run time own them
}

// ---- operators ----

PyObject* binary(bsgp_operation operation, PyObject* left, PyObject* right) {
  bsgp_array* of_left = isArray(left) ? handleOf(left) : nullptr;
  Handle kept = keptBeside(left, right);
  Operand a(left, Strength::Weak, isArray(right) ? handleOf(right) : nullptr);
  if (!a)
    return PyErr_Occurred() ? nullptr : Py_NewRef(Py_NotImplemented);
  Operand b(right, Strength::Weak, of_left);
  if (!b)
    return PyErr_Occurred() ? nullptr : Py_NewRef(Py_NotImplemented);
  bsgp_array* operands[] = {a.get(), b.get()};
  return applied(operation, operands, 2);
}

PyObject* unary(bsgp_operation operation, PyObject* self) {
  return applied(operation, &handleOf(self), 1);
}

template <bsgp_operation kOperation> PyObject* binaryOf(PyObject* left, PyObject* right) {
  return binary(kOperation, left, right);
}
template <bsgp_operation kOperation> PyObject* unaryOf(PyObject* self) {
  return unary(kOperation, self);
}

PyObject* power(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) {
    PyErr_SetString(PyExc_TypeError, "pow: arrays have no power with a modulus\n  help: pow(a, b) % m");
    return nullptr;
  }
  return binary(BSGP_OP_POW, left, right);
}

PyObject* matmul(PyObject* left, PyObject* right) {
  Handle kept = keptBeside(left, right);
  Operand a(left, Strength::Strong), b(right, Strength::Strong);
  if (!a || !b)
    return PyErr_Occurred() ? nullptr : Py_NewRef(Py_NotImplemented);
  Handle made;
  bsgp_status status = bsgp_array_matmul(a.get(), b.get(), made.out());
  return status ? raise(status) : wrapped(std::move(made));
}

PyObject* positive(PyObject* self) {
  return wrapped(Handle::to(handleOf(self)));
}

// A whole number that is beyond all integers compares with an array as an infinity does. Null: it is another operand.
PyObject* beyondIntegers(PyObject* array, PyObject* number) {
  if (!isArray(array) || !PyLong_CheckExact(number))
    return nullptr;
  int side = 0;
  PyLong_AsLongLongAndOverflow(number, &side);
  bool is_held = side > 0 && bsgp_array_dtype(handleOf(array)) == BSGP_UINT64 && _PyLong_NumBits(number) <= 64;
  return side == 0 || is_held ? nullptr : PyFloat_FromDouble(side > 0 ? HUGE_VAL : -HUGE_VAL);
}

PyObject* compare(PyObject* left, PyObject* right, int how) {
  static constexpr bsgp_operation kOperations[] = {BSGP_OP_LESS,      BSGP_OP_LESS_EQUAL, BSGP_OP_EQUAL,
                                                   BSGP_OP_NOT_EQUAL, BSGP_OP_GREATER,    BSGP_OP_GREATER_EQUAL};
  PyObject* infinity = beyondIntegers(left, right);
  PyObject* made = binary(kOperations[how], left, infinity ? infinity : right);
  Py_XDECREF(infinity);
  return made;
}

// ---- one element as a number of Python ----

// Copies the only element, converted to a type; reports an array that has more than one.
template <class T> bool onlyElement(PyObject* self, const char* what, bsgp_dtype dtype, T& value) {
  bsgp_array* array = handleOf(self);
  for (int32_t i = 0; i < bsgp_array_rank(array); ++i)
    if (bsgp_array_shape(array)[i] != 1) {
      PyErr_Format(PyExc_TypeError,
                   "%s: an array of shape %R has not one element\n  help: sum, all or any make one number of it, an "
                   "index takes one",
                   what, shapeOf(array));
      return false;
    }
  Handle cast;
  if (bsgp_status status = bsgp_array_cast(array, dtype, cast.out()))
    return raise(status), false;
  if (!evaluated(cast.get()))
    return false;
  bsgp_status status = bsgp_array_read(cast.get(), &value, sizeof value);
  return status ? (raise(status), false) : true;
}

// The truth of an array without values.
int refuseOpen() {
  PyObject* place = hooks().caller ? PyObject_CallNoArgs(hooks().caller) : nullptr;
  const char* text = place ? PyUnicode_AsUTF8(place) : "";
  if (text)
    PyErr_Format(
        PyExc_ValueError,
        "%s%sbool: an array that depends on a parameter has no values while a function is traced\n  help: in "
        "place of `while` bsgp.while_loop, of `if` bsgp.cond; for each element where(c, a, b); of `and`, `or`, "
        "`not` the operators &, |, ~, and of a < b < c (a < b) & (b < c)",
        text, *text ? ": " : "");
  Py_XDECREF(place);
  return -1;
}

int truth(PyObject* self) {
  uint8_t value = 0;
  bsgp_array* array = handleOf(self);
  if (bsgp_array_is_open(array))
    return refuseOpen();
  if (bsgp_array_rank(array) > 0 && elementsOf(array) != 1) {
    PyErr_Format(PyExc_ValueError,
                 "bool: the truth of an array of shape %R is ambiguous\n  help: a.any() or a.all(); conditions of "
                 "elements: where(c, a, b), & | ~",
                 shapeOf(array));
    return -1;
  }
  return onlyElement(self, "bool", BSGP_BOOL, value) ? value : -1;
}

bool isComplex(PyObject* self) {
  return bsgp_array_dtype(handleOf(self)) >= BSGP_COMPLEX64;
}

PyObject* refuseComplex(const char* what) {
  PyErr_Format(PyExc_TypeError, "%s: the element is a complex number\n  help: real(a), imag(a) or abs(a)", what);
  return nullptr;
}

PyObject* asFloat(PyObject* self) {
  double value = 0;
  if (isComplex(self))
    return refuseComplex("float");
  return onlyElement(self, "float", BSGP_FLOAT64, value) ? PyFloat_FromDouble(value) : nullptr;
}

PyObject* asInt(PyObject* self) {
  bsgp_dtype dtype = bsgp_array_dtype(handleOf(self));
  if (isComplex(self))
    return refuseComplex("int");
  if (dtype >= BSGP_FLOAT16) {
    PyObject* number = asFloat(self);
    PyObject* whole = number ? PyNumber_Long(number) : nullptr;
    Py_XDECREF(number);
    return whole;
  }
  if (dtype >= BSGP_UINT8) {
    uint64_t value = 0;
    return onlyElement(self, "int", BSGP_UINT64, value) ? PyLong_FromUnsignedLongLong(value) : nullptr;
  }
  int64_t value = 0;
  return onlyElement(self, "int", BSGP_INT64, value) ? PyLong_FromLongLong(value) : nullptr;
}

PyObject* asIndex(PyObject* self) {
  bsgp_dtype dtype = bsgp_array_dtype(handleOf(self));
  if (dtype != BSGP_BOOL && dtype < BSGP_FLOAT16 && bsgp_array_rank(handleOf(self)) == 0)
    return asInt(self);
  PyErr_Format(PyExc_TypeError, "an index is an integer, or an array of rank 0 of integers; this is a %s of shape %R",
               bsgp_dtype_name(dtype), shapeOf(handleOf(self)));
  return nullptr;
}

PyObject* asComplex(PyObject* self, PyObject*) {
  double parts[2];
  struct {
    double real, imag;
  } value{};
  if (!onlyElement(self, "complex", BSGP_COMPLEX128, value))
    return nullptr;
  parts[0] = value.real, parts[1] = value.imag;
  return PyComplex_FromDoubles(parts[0], parts[1]);
}

Py_ssize_t length(PyObject* self) {
  bsgp_array* array = handleOf(self);
  if (bsgp_array_rank(array) > 0 && bsgp_array_shape(array)[0] >= 0)
    return bsgp_array_shape(array)[0];
  if (bsgp_array_rank(array) > 0)
    PyErr_SetString(PyExc_ValueError, "len() of an array whose first extent is unknown until a call");
  else
    PyErr_SetString(PyExc_TypeError, "len() of an array of rank 0");
  return -1;
}

// ---- attributes ----

PyObject* getShape(PyObject* self, void*) {
  return shapeOf(handleOf(self));
}
PyObject* getDtype(PyObject* self, void*) {
  return Py_NewRef(PyTuple_GET_ITEM(hooks().dtypes, bsgp_array_dtype(handleOf(self))));
}
PyObject* getRank(PyObject* self, void*) {
  return PyLong_FromLong(bsgp_array_rank(handleOf(self)));
}
PyObject* getSize(PyObject* self, void*) {
  int64_t size = elementsOf(handleOf(self));
  return size < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(size);
}

PyGetSetDef attributes[] = {
    {"shape", getShape, nullptr, "The extents, a tuple; None: unknown until a call.", nullptr},
    {"dtype", getDtype, nullptr, "The type of elements.", nullptr},
    {"ndim", getRank, nullptr, "The number of axes.", nullptr},
    {"size", getSize, nullptr, "The number of elements; None: unknown until a call.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef methods[] = {
    {"__complex__", asComplex, METH_NOARGS, "The only element as a complex number."},
    {nullptr, nullptr, 0, nullptr},
};
PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <class Function> PyType_Slot slot(int id, Function function) {
  return {id, reinterpret_cast<void*>(function)};
}
constexpr const char* kDoc = "An array of up to eight axes, a value that is computed when it is read.\n\n"
                             "bsgp.asarray and the functions of bsgp make arrays.";

} // namespace

PyObject* applied(bsgp_operation operation, bsgp_array* const* operands, int count) {
  Handle made;
  bsgp_status status = bsgp_array_apply(operation, count, operands, made.out());
  return status ? raise(status) : wrapped(std::move(made));
}

PyObject* wrapped(Handle array) {
  PyObject* object = newObject();
  if (!object)
    return nullptr;
  reinterpret_cast<ArrayObject*>(object)->handle = array.take();
  reinterpret_cast<ArrayObject*>(object)->weak_references = nullptr;
  reinterpret_cast<ArrayObject*>(object)->pending_assignments = 0;
  reinterpret_cast<ArrayObject*>(object)->scope = scopeInMaking();
  return object;
}

bool evaluated(bsgp_array* array) {
  if (bsgp_array_is_computed(array))
    return true;
  Handle kept = Handle::to(array); // another thread may assign to the elements of its object meanwhile
  bsgp_status status;
  {
    LongCall others_run;
    status = bsgp_array_eval(1, &array);
  }
  return status ? (raise(status), false) : true;
}

bool makeArrayType(PyObject* module) {
  PyType_Slot slots[] = {
      slot(Py_tp_dealloc, dealloc),
      slot(Py_tp_getset, attributes),
      slot(Py_tp_methods, methods),
      slot(Py_tp_members, members),
      slot(Py_tp_richcompare, compare),
      slot(Py_tp_hash, PyObject_HashNotImplemented),
      {Py_tp_doc, const_cast<char*>(kDoc)},
      slot(Py_nb_add, binaryOf<BSGP_OP_ADD>),
      slot(Py_nb_subtract, binaryOf<BSGP_OP_SUBTRACT>),
      slot(Py_nb_multiply, binaryOf<BSGP_OP_MULTIPLY>),
      slot(Py_nb_true_divide, binaryOf<BSGP_OP_DIVIDE>),
      slot(Py_nb_floor_divide, binaryOf<BSGP_OP_FLOOR_DIVIDE>),
      slot(Py_nb_remainder, binaryOf<BSGP_OP_REMAINDER>),
      slot(Py_nb_power, power),
      slot(Py_nb_matrix_multiply, matmul),
      slot(Py_nb_and, binaryOf<BSGP_OP_AND>),
      slot(Py_nb_or, binaryOf<BSGP_OP_OR>),
      slot(Py_nb_xor, binaryOf<BSGP_OP_XOR>),
      slot(Py_nb_lshift, binaryOf<BSGP_OP_SHIFT_LEFT>),
      slot(Py_nb_rshift, binaryOf<BSGP_OP_SHIFT_RIGHT>),
      slot(Py_nb_negative, unaryOf<BSGP_OP_NEGATIVE>),
      slot(Py_nb_absolute, unaryOf<BSGP_OP_ABS>),
      slot(Py_nb_invert, unaryOf<BSGP_OP_INVERT>),
      slot(Py_nb_positive, positive),
      slot(Py_nb_bool, truth),
      slot(Py_nb_float, asFloat),
      slot(Py_nb_int, asInt),
      slot(Py_nb_index, asIndex),
      slot(Py_mp_length, length),
      slot(Py_mp_subscript, elements),
      slot(Py_mp_ass_subscript, assignElements),
      slot(Py_bf_getbuffer, exportBuffer),
      slot(Py_bf_releasebuffer, releaseBuffer),
      {0, nullptr},
  };
  PyType_Spec spec{"bsgp.Array", sizeof(ArrayObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  array_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return array_type && PyModule_AddObjectRef(module, "Array", reinterpret_cast<PyObject*>(array_type)) == 0;
}

} // namespace bsgp::python

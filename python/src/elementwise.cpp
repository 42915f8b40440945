// The functions of operations on elements, as the array API standard names them.
#include "elementwise.h"

#include "array.h"

namespace bsgp::python {

namespace {

struct Named {
  const char* name;
  bsgp_operation operation;
  int operands;
  const char* doc;
};

constexpr Named kFunctions[] = {
    {"abs", BSGP_OP_ABS, 1, "abs(x, /)\n--\n\nThe magnitude of each element; of complex numbers a real one."},
    {"acos", BSGP_OP_ACOS, 1, "acos(x, /)\n--\n\nThe inverse cosine of each element, in radians."},
    {"acosh", BSGP_OP_ACOSH, 1, "acosh(x, /)\n--\n\nThe inverse hyperbolic cosine of each element."},
    {"angle", BSGP_OP_ANGLE, 1, "angle(x, /)\n--\n\natan2(imag(x), real(x)) of each element, in radians."},
    {"asin", BSGP_OP_ASIN, 1, "asin(x, /)\n--\n\nThe inverse sine of each element, in radians."},
    {"asinh", BSGP_OP_ASINH, 1, "asinh(x, /)\n--\n\nThe inverse hyperbolic sine of each element."},
    {"atan", BSGP_OP_ATAN, 1, "atan(x, /)\n--\n\nThe inverse tangent of each element, in radians."},
    {"atanh", BSGP_OP_ATANH, 1, "atanh(x, /)\n--\n\nThe inverse hyperbolic tangent of each element."},
    {"bitwise_invert", BSGP_OP_INVERT, 1,
     "bitwise_invert(x, /)\n--\n\nEach bit the other one; of a bool: not. Of integers and bools."},
    {"cbrt", BSGP_OP_CBRT, 1, "cbrt(x, /)\n--\n\nThe cube root of each element. Of real numbers."},
    {"ceil", BSGP_OP_CEIL, 1,
     "ceil(x, /)\n--\n\nThe least whole number that is not below each element. Of real numbers."},
    {"conj", BSGP_OP_CONJ, 1, "conj(x, /)\n--\n\na - bi of each a + bi."},
    {"cos", BSGP_OP_COS, 1, "cos(x, /)\n--\n\nThe cosine of each element, in radians."},
    {"cosh", BSGP_OP_COSH, 1, "cosh(x, /)\n--\n\nThe hyperbolic cosine of each element."},
    {"erf", BSGP_OP_ERF, 1, "erf(x, /)\n--\n\nThe error function of each element. Of real numbers."},
    {"erfc", BSGP_OP_ERFC, 1, "erfc(x, /)\n--\n\n1 - erf(x), without cancellation. Of real numbers."},
    {"exp", BSGP_OP_EXP, 1, "exp(x, /)\n--\n\ne to the power of each element."},
    {"exp2", BSGP_OP_EXP2, 1, "exp2(x, /)\n--\n\n2 to the power of each element."},
    {"expm1", BSGP_OP_EXPM1, 1, "expm1(x, /)\n--\n\nexp(x) - 1, accurate near 0."},
    {"floor", BSGP_OP_FLOOR, 1,
     "floor(x, /)\n--\n\nThe greatest whole number that is not above each element. Of real numbers."},
    {"imag", BSGP_OP_IMAG, 1, "imag(x, /)\n--\n\nThe imaginary part of each element; of real numbers 0."},
    {"isfinite", BSGP_OP_ISFINITE, 1, "isfinite(x, /)\n--\n\nWhether each element is neither infinite nor NaN: bools."},
    {"isinf", BSGP_OP_ISINF, 1, "isinf(x, /)\n--\n\nWhether each element is infinite: bools."},
    {"isnan", BSGP_OP_ISNAN, 1, "isnan(x, /)\n--\n\nWhether each element is NaN: bools."},
    {"log", BSGP_OP_LOG, 1, "log(x, /)\n--\n\nThe natural logarithm of each element."},
    {"log10", BSGP_OP_LOG10, 1, "log10(x, /)\n--\n\nThe logarithm of each element to base 10."},
    {"log1p", BSGP_OP_LOG1P, 1, "log1p(x, /)\n--\n\nlog(1 + x), accurate near 0."},
    {"log2", BSGP_OP_LOG2, 1, "log2(x, /)\n--\n\nThe logarithm of each element to base 2."},
    {"logical_not", BSGP_OP_LOGICAL_NOT, 1, "logical_not(x, /)\n--\n\nWhether each bool is false."},
    {"negative", BSGP_OP_NEGATIVE, 1, "negative(x, /)\n--\n\n-x of each element. Of numbers."},
    {"real", BSGP_OP_REAL, 1, "real(x, /)\n--\n\nThe real part of each element; real numbers stay."},
    {"reciprocal", BSGP_OP_RECIPROCAL, 1, "reciprocal(x, /)\n--\n\n1 / x of each element."},
    {"round", BSGP_OP_ROUND, 1,
     "round(x, /)\n--\n\nThe nearest whole number, of two the even one; of complex numbers each part."},
    {"sign", BSGP_OP_SIGN, 1, "sign(x, /)\n--\n\n-1, 0 or 1; NaN of NaN; of complex numbers x / abs(x), 0 of 0."},
    {"signbit", BSGP_OP_SIGNBIT, 1,
     "signbit(x, /)\n--\n\nWhether the sign of each element is set, of -0.0 too: bools."},
    {"sin", BSGP_OP_SIN, 1, "sin(x, /)\n--\n\nThe sine of each element, in radians."},
    {"sinh", BSGP_OP_SINH, 1, "sinh(x, /)\n--\n\nThe hyperbolic sine of each element."},
    {"sqrt", BSGP_OP_SQRT, 1, "sqrt(x, /)\n--\n\nThe root of each element; NaN of negative real numbers."},
    {"square", BSGP_OP_SQUARE, 1, "square(x, /)\n--\n\nx * x of each element."},
    {"tan", BSGP_OP_TAN, 1, "tan(x, /)\n--\n\nThe tangent of each element, in radians."},
    {"tanh", BSGP_OP_TANH, 1, "tanh(x, /)\n--\n\nThe hyperbolic tangent of each element."},
    {"trunc", BSGP_OP_TRUNC, 1, "trunc(x, /)\n--\n\nEach element without its fraction. Of real numbers."},
    {"add", BSGP_OP_ADD, 2, "add(x1, x2, /)\n--\n\nx1 + x2; of bools: or."},
    {"atan2", BSGP_OP_ATAN2, 2,
     "atan2(x1, x2, /)\n--\n\nThe angle of the point (x2, x1), in radians from -pi to pi. Of real numbers."},
    {"bitwise_and", BSGP_OP_AND, 2, "bitwise_and(x1, x2, /)\n--\n\nx1 & x2 of integers and bools."},
    {"bitwise_left_shift", BSGP_OP_SHIFT_LEFT, 2, "bitwise_left_shift(x1, x2, /)\n--\n\nx1 << x2 of integers."},
    {"bitwise_or", BSGP_OP_OR, 2, "bitwise_or(x1, x2, /)\n--\n\nx1 | x2 of integers and bools."},
    {"bitwise_right_shift", BSGP_OP_SHIFT_RIGHT, 2,
     "bitwise_right_shift(x1, x2, /)\n--\n\nx1 >> x2 of integers; the sign stays."},
    {"bitwise_xor", BSGP_OP_XOR, 2, "bitwise_xor(x1, x2, /)\n--\n\nx1 ^ x2 of integers and bools."},
    {"copysign", BSGP_OP_COPYSIGN, 2,
     "copysign(x1, x2, /)\n--\n\nThe magnitude of x1 with the sign of x2. Of real numbers."},
    {"divide", BSGP_OP_DIVIDE, 2, "divide(x1, x2, /)\n--\n\nx1 / x2; of integers a float64."},
    {"equal", BSGP_OP_EQUAL, 2, "equal(x1, x2, /)\n--\n\nx1 == x2: bools."},
    {"floor_divide", BSGP_OP_FLOOR_DIVIDE, 2,
     "floor_divide(x1, x2, /)\n--\n\nx1 / x2, rounded down; of integers by 0: 0. Of real numbers."},
    {"greater", BSGP_OP_GREATER, 2, "greater(x1, x2, /)\n--\n\nx1 > x2: bools. Of real numbers."},
    {"greater_equal", BSGP_OP_GREATER_EQUAL, 2, "greater_equal(x1, x2, /)\n--\n\nx1 >= x2: bools. Of real numbers."},
    {"hypot", BSGP_OP_HYPOT, 2,
     "hypot(x1, x2, /)\n--\n\nThe root of x1 * x1 + x2 * x2, without overflow. Of real numbers."},
    {"less", BSGP_OP_LESS, 2, "less(x1, x2, /)\n--\n\nx1 < x2: bools. Of real numbers."},
    {"less_equal", BSGP_OP_LESS_EQUAL, 2, "less_equal(x1, x2, /)\n--\n\nx1 <= x2: bools. Of real numbers."},
    {"logical_and", BSGP_OP_LOGICAL_AND, 2, "logical_and(x1, x2, /)\n--\n\nWhether both bools are true."},
    {"logical_or", BSGP_OP_LOGICAL_OR, 2, "logical_or(x1, x2, /)\n--\n\nWhether one of the bools is true."},
    {"logical_xor", BSGP_OP_LOGICAL_XOR, 2, "logical_xor(x1, x2, /)\n--\n\nWhether exactly one of the bools is true."},
    {"maximum", BSGP_OP_MAXIMUM, 2,
     "maximum(x1, x2, /)\n--\n\nThe greater element of both; NaN if one is NaN. Of real numbers."},
    {"minimum", BSGP_OP_MINIMUM, 2,
     "minimum(x1, x2, /)\n--\n\nThe lesser element of both; NaN if one is NaN. Of real numbers."},
    {"multiply", BSGP_OP_MULTIPLY, 2, "multiply(x1, x2, /)\n--\n\nx1 * x2; of bools: and."},
    {"not_equal", BSGP_OP_NOT_EQUAL, 2, "not_equal(x1, x2, /)\n--\n\nx1 != x2: bools."},
    {"pow", BSGP_OP_POW, 2, "pow(x1, x2, /)\n--\n\nx1 to the power of x2. Of numbers."},
    {"remainder", BSGP_OP_REMAINDER, 2,
     "remainder(x1, x2, /)\n--\n\nx1 % x2, with the sign of x2; of integers by 0: 0. Of real numbers."},
    {"subtract", BSGP_OP_SUBTRACT, 2, "subtract(x1, x2, /)\n--\n\nx1 - x2. Of numbers."},
    {"cond", BSGP_OP_COND, 3,
     "cond(condition, x1, x2, /, *operands)\n--\n\nx1 where the condition, bools, is true, else x2.\n\nWhere x1 and x2 "
     "are "
     "functions, one of both is called with the operands: x1 if the condition, a bool or an\narray of rank 0, is true. "
     "In "
     "functions that are traced (bsgp.function, bsgp.jit) both are traced, and a call computes\none of them. They give "
     "arrays, or tuples, lists and dicts of arrays: both the same structure, types and shapes, else\nit is a TypeError "
     "or a "
     "ValueError.\n\n    >>> bp.cond(x.sum() > 0, lambda x: x / x.sum(), lambda x: x, x)"},
    {"fma", BSGP_OP_FMA, 3, "fma(x1, x2, x3, /)\n--\n\nx1 * x2 + x3, rounded once. Of real numbers."},
    {"select", BSGP_OP_SELECT, 3, "select(x, x1, x2, /)\n--\n\nx1 where x > 0, else x2 (Accelerator's Select)."},
};

PyObject* refuse(const Named& function, PyObject* object) {
  if (!PyErr_Occurred())
    PyErr_Format(PyExc_TypeError,
                 "%s: an operand of type %s is no array\n  help: bsgp.asarray makes arrays of lists and of other "
                 "libraries' arrays",
                 function.name, Py_TYPE(object)->tp_name);
  return nullptr;
}

// Numbers are weak beside an array, and arrays of their own where all values are numbers.
PyObject* call(PyObject* self, PyObject* const* given, Py_ssize_t count) {
  const Named& function = kFunctions[PyLong_AsLong(self)];
  if (function.operation == BSGP_OP_COND && count > 2 && PyCallable_Check(given[1]) && hooks().choose)
    return PyObject_Vectorcall(hooks().choose, given, size_t(count), nullptr);
  if (count != function.operands)
    return PyErr_Format(PyExc_TypeError, "%s takes %d arguments, not %zd", function.name, function.operands, count);
  int first = function.operation == BSGP_OP_COND || function.operation == BSGP_OP_SELECT;
  PyObject* array = nullptr;
  for (Py_ssize_t i = first; i < count && !array; ++i)
    array = isNumber(given[i]) ? nullptr : given[i];
  Strength strength = array ? Strength::Weak : Strength::Strong;
  bsgp_array* beside = array && isArray(array) ? handleOf(array) : nullptr;
  Handle kept[3];
  for (Py_ssize_t i = 0; i < count; ++i)
    for (Py_ssize_t j = 0; j < count && !kept[i]; ++j)
      kept[i] = keptBeside(given[i], given[j]);
  Operand a(given[0], first ? Strength::Strong : strength, first ? nullptr : beside);
  if (!a)
    return refuse(function, given[0]);
  bsgp_array* operands[3] = {a.get()};
  if (count == 1)
    return applied(function.operation, operands, 1);
  Operand b(given[1], strength, beside);
  if (!b)
    return refuse(function, given[1]);
  operands[1] = b.get();
  if (count == 2)
    return applied(function.operation, operands, 2);
  Operand c(given[2], strength, beside);
  if (!c)
    return refuse(function, given[2]);
  operands[2] = c.get();
  return applied(function.operation, operands, 3);
}

} // namespace

bool addElementwise(PyObject* module) {
  constexpr size_t kCount = sizeof kFunctions / sizeof *kFunctions;
  static PyMethodDef definitions[kCount];
  PyObject* name = PyUnicode_FromString("bsgp");
  for (size_t i = 0; name && i < kCount; ++i) {
    definitions[i] = {kFunctions[i].name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call)), METH_FASTCALL,
                      kFunctions[i].doc};
    PyObject* number = PyLong_FromSize_t(i);
    PyObject* function = number ? PyCFunction_NewEx(&definitions[i], number, name) : nullptr;
    Py_XDECREF(number);
    if (!function || PyModule_AddObject(module, kFunctions[i].name, function) < 0)
      return false;
  }
  Py_XDECREF(name);
  return name != nullptr;
}

} // namespace bsgp::python

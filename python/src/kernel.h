// Exported functions of programs as objects that are called: bsgp.KernelFunction. A call checks what it is given, passes memory of NumPy arrays
// and the like as it lies, and copies where the device is another one.
#pragma once

#include <string>
#include <vector>

#include "array.h"

namespace bsgp::python {

// The context that calls run in; bsgp.profile gives it another one for a while. Never freed.
struct Place {
  bsgp_context* context = nullptr;
  bool copies = false; // its device memory is not the host's, or is watched: arguments are copied there and back
  bool is_gpu = false;
};

constexpr int kOfText = -2; // in place of a rank: the function is one of a text

struct FunctionObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject* program; // keeps the code
  const bsgp_export* facts;
  const Place* place;
  PyObject* names; // of the parameters, a tuple of interned texts
  PyObject*
      ranks; // null, or bytes, one for each name: -1, or the number of extents that follow the array as parameters
};

bool makeFunctionType(PyObject* module);

// A new one; null: an exception is set.
PyObject* makeFunction(PyObject* program, const bsgp_export* facts, const Place* place);

// The same function, whose arrays bring their extents along: ranks as in FunctionObject. Null: an exception is set.
PyObject* withRanks(PyObject* function, PyObject* names, PyObject* ranks);

// "float*": how messages and signatures spell a type, without the word of the space that it lies in.
std::string spelled(const bsgp_type* type);

} // namespace bsgp::python

// Memory of arrays: the buffer protocol in both directions, DLPack (dlpack.cpp), shapes as tuples.
#pragma once

#include "array.h"

namespace bsgp::python {

const char* formatOf(bsgp_dtype dtype);      // of the buffer protocol
PyObject* shapeOf(const bsgp_array* array);  // a tuple; None for an unknown extent
int64_t elementsOf(const bsgp_array* array); // -1: unknown

// The type of a view's elements; -1: none that arrays have.
int dtypeOf(const Py_buffer& view);

// Slots of the type: a read-only view of the elements, which are computed.
int exportBuffer(PyObject* self, Py_buffer* view, int flags);
void releaseBuffer(PyObject* self, Py_buffer* view);

// An array of an object's memory; it is read in place where `share` is set, else copied.
PyObject* fromBuffer(PyObject* object, bool share);

// Gives up an object that an array has read in place. Any thread may call it, also without the interpreter's lock.
void releaseLater(PyObject* object);

} // namespace bsgp::python

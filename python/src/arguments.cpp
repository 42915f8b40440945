// Memory that calls are given: where it lies, whether it fits, and what is copied.
#include "arguments.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "buffers.h"
#include "interrupts.h"

namespace bsgp::python {

namespace {

constexpr size_t kLine = 64;

// As bytes of NumPy's view would be described, for the same checks.
struct ArrayView {
  Py_buffer view{};
  Py_ssize_t shape[BSGP_MOST_AXES];
};

// A bsgp_type of a pointer to what a reference leads to.
bsgp_type pointerTo(const bsgp_type* type) {
  bsgp_type made{};
  made.kind = BSGP_TYPE_POINTER, made.dtype = -1, made.text = type->text, made.element = type;
  return made;
}

bool isTrue(PyObject* flag) {
  return flag && PyObject_IsTrue(flag) == 1;
}

} // namespace

Argument::~Argument() {
  if (device_)
    bsgp_free(context_, device_);
  if (view_.obj)
    PyBuffer_Release(&view_);
  Py_XDECREF(written_);
}

char* Argument::room(size_t bytes) {
  if (bytes > kInside) {
    outside_.reset(new char[bytes]);
    return outside_.get();
  }
  return inside_;
}

bool Argument::set(PyObject* given, const Where& where, const Place& place) {
  const bsgp_type* type = where.parameter->type;
  bool changes = where.parameter->by_reference && !where.parameter->is_const;
  if (type->kind == BSGP_TYPE_POINTER || type->kind == BSGP_TYPE_VIEW) {
    if (changes)
      return refuse(PyExc_TypeError, where, "call it from a function that has no such parameter",
                    "is a reference to a %s", spelled(type, where).c_str());
    address_ = &pointer_;
    if (given == Py_None && type->kind == BSGP_TYPE_POINTER)
      return true;
    return setMemory(given, where, place, type, !type->is_const);
  }
  if (!changes) {
    address_ = room(type->size);
    return writeValue(given, type, static_cast<char*>(address_), where);
  }
  bsgp_type pointer = pointerTo(type);
  if (!setMemory(given, where, place, &pointer, true))
    return false;
  address_ = pointer_;
  return true;
}

bool Argument::setMemory(PyObject* given, const Where& where, const Place& place, const bsgp_type* type, bool writes) {
  if (isArray(given))
    return setArray(given, where, place, type, writes);
  if (place.is_gpu && type->on_device && PyObject_HasAttrString(given, "__cuda_array_interface__"))
    return setGpuMemory(given, where, type, writes);
  if (PyObject_CheckBuffer(given))
    return setBuffer(given, where, place, type, writes);
  if (writes || !(PyObject_HasAttrString(given, "__dlpack__") || PyList_Check(given)))
    return refuse(PyExc_TypeError, where, writes ? "a NumPy array, which the function can write to" : "a NumPy array",
                  "is %s, the parameter is %s", Py_TYPE(given)->tp_name, spelled(type, where).c_str());
  Operand made(given, Strength::Strong);
  if (!made)
    return PyErr_Occurred() ? false
                            : refuse(PyExc_TypeError, where, "a NumPy array", "is %s, the parameter is %s",
                                     Py_TYPE(given)->tp_name, spelled(type, where).c_str());
  array_ = Handle::to(made.get());
  PyObject* object = wrapped(Handle::to(made.get()));
  bool set = object && setArray(object, where, place, type, false);
  Py_XDECREF(object);
  return set;
}

bool Argument::extents(int rank, int64_t* to, const Where& where) const {
  if (axes_ < 0)
    return refuse(PyExc_TypeError, where, "a NumPy array", "is None, the parameter is an array with %d axes", rank);
  if (axes_ != rank)
    return refuse(PyExc_TypeError, where, "array.reshape(...)", "has %d axes, the parameter has %d", axes_, rank);
  std::copy_n(shape_, rank, to);
  return true;
}

bool Argument::setView(const Where& where, const bsgp_type* type, int axes, const Py_ssize_t* extents) {
  axes_ = axes;
  std::copy_n(extents, std::min(axes, int(BSGP_MOST_AXES)), shape_);
  if (type->kind != BSGP_TYPE_VIEW)
    return true;
  std::memset(inside_, 0, type->size);
  std::memcpy(inside_, &pointer_, sizeof pointer_);
  for (uint32_t i = 0; i < type->count && int(i) < axes; ++i) {
    if (extents[i] > INT_MAX)
      return refuse(PyExc_OverflowError, where, nullptr,
                    "has %zd elements along an axis; an array with extents has up to %d", extents[i], INT_MAX);
    auto extent = int32_t(extents[i]);
    std::memcpy(inside_ + type->fields[1 + i].offset, &extent, sizeof extent);
  }
  address_ = inside_;
  return true;
}

bool Argument::copyToDevice(const Where& where, const Place& place, const void* from, size_t bytes) {
  context_ = place.context;
  bytes_ = bytes;
  bsgp_status status;
  {
    LongCall others_run;
    status = bsgp_alloc(context_, bytes ? bytes : 1, &device_);
    if (status == BSGP_OK && bytes)
      status = bsgp_copy_to_device(context_, device_, from, bytes);
  }
  pointer_ = device_;
  return status == BSGP_OK || refuse(status == BSGP_OUT_OF_MEMORY ? PyExc_MemoryError : exceptions().error, where,
                                     nullptr, "could not be copied to the device: %s", bsgp_error_message());
}

bool Argument::setBuffer(PyObject* given, const Where& where, const Place& place, const bsgp_type* type, bool writes) {
  if (PyObject_GetBuffer(given, &view_, PyBUF_FULL_RO) < 0)
    return false;
  const char* name = where.parameter->name;
  if (!fits(view_, given, type, where))
    return false;
  if (!PyBuffer_IsContiguous(&view_, 'C'))
    return refuse(PyExc_ValueError, where,
                  ((writes ? std::string(name) + " = " : "") + "np.ascontiguousarray(" + name + ")").c_str(),
                  "does not lie row by row without gaps");
  if (writes && view_.readonly)
    return refuse(PyExc_ValueError, where, (std::string(name) + " = " + name + ".copy()").c_str(),
                  "is read-only, and the function may write to it");
  if (type->element->align && uintptr_t(view_.buf) % type->element->align && view_.len)
    return refuse(PyExc_ValueError, where, (std::string(name) + ".copy()").c_str(),
                  "does not lie at a multiple of %llu bytes, as %s has to",
                  static_cast<unsigned long long>(type->element->align), spelled(type->element, where).c_str());
  if (place.copies && type->on_device) {
    back_ = writes ? view_.buf : nullptr;
    if (!copyToDevice(where, place, view_.buf, size_t(view_.len)))
      return false;
  } else {
    pointer_ = view_.buf;
  }
  return setView(where, type, view_.ndim, view_.shape);
}

// The array keeps its value while the function writes to a copy of it, which is the array's value behind the call.
bool Argument::setArray(PyObject* given, const Where& where, const Place& place, const bsgp_type* type, bool writes) {
  array_ = Handle::to(handleOf(given));
  const void* data = nullptr;
  if (!evaluated(array_.get()))
    return false;
  if (bsgp_status status = bsgp_array_data(array_.get(), &data))
    return raise(status), false;
  ArrayView as{};
  bsgp_dtype dtype = bsgp_array_dtype(array_.get());
  as.view.format = const_cast<char*>(formatOf(dtype));
  as.view.itemsize = Py_ssize_t(bsgp_dtype_bytes(dtype));
  as.view.ndim = bsgp_array_rank(array_.get());
  as.view.shape = as.shape;
  for (int i = 0; i < as.view.ndim; ++i)
    as.shape[i] = bsgp_array_shape(array_.get())[i];
  if (!fits(as.view, given, type, where))
    return false;
  size_t bytes = size_t(elementsOf(array_.get())) * size_t(as.view.itemsize);
  if (writes) {
    void* copy = std::aligned_alloc(kLine, (bytes / kLine + 1) * kLine);
    if (!copy)
      return PyErr_NoMemory(), false;
    if (bytes)
      std::memcpy(copy, data, bytes);
    Handle made;
    if (bsgp_status status =
            bsgp_array_adopt(copy, dtype, as.view.ndim, bsgp_array_shape(array_.get()), std::free, copy, made.out())) {
      std::free(copy);
      return raise(status), false;
    }
    array_ = std::move(made);
    written_ = Py_NewRef(given);
    data = back_ = copy;
  }
  pointer_ = const_cast<void*>(data);
  if (place.copies && type->on_device && !copyToDevice(where, place, data, bytes))
    return false;
  return setView(where, type, as.view.ndim, as.shape);
}

// A CuPy array, a tensor on the GPU: its memory as it lies.
bool Argument::setGpuMemory(PyObject* given, const Where& where, const bsgp_type* type, bool writes) {
  PyObject* interface = PyObject_GetAttrString(given, "__cuda_array_interface__");
  if (!interface)
    return false;
  PyObject *data = PyDict_GetItemString(interface, "data"), *shape = PyDict_GetItemString(interface, "shape"),
           *format = PyDict_GetItemString(interface, "typestr"), *strides = PyDict_GetItemString(interface, "strides");
  const char* letters = format ? PyUnicode_AsUTF8(format) : nullptr;
  Py_ssize_t extents[BSGP_MOST_AXES] = {};
  bool sound = data && shape && letters && PyTuple_Check(data) && PyTuple_Check(shape) &&
               PyTuple_GET_SIZE(shape) <= BSGP_MOST_AXES && std::strlen(letters) > 2;
  bool is_const = sound && isTrue(PyTuple_GetItem(data, 1));
  char elements[4] = "";
  Py_buffer view{};
  if (sound) {
    pointer_ = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
    view.itemsize = std::atoi(letters + 2);
    // i4 and u4 of the interface are the letters of the struct module by their sizes.
    const char kind = letters[1], size = char(view.itemsize);
    const char* ints = kind == 'u' ? "BHIQ" : "bhiq";
    elements[0] = kind == 'f'   ? (size == 2   ? 'e'
                                   : size == 4 ? 'f'
                                               : 'd')
                  : kind == 'b' ? '?'
                                : ints[size == 1   ? 0
                                       : size == 2 ? 1
                                       : size == 4 ? 2
                                                   : 3];
    view.format = elements;
    view.ndim = int(PyTuple_GET_SIZE(shape));
    view.shape = extents;
    for (int i = 0; i < view.ndim; ++i)
      extents[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i));
  }
  bool gaps = strides && strides != Py_None;
  Py_DECREF(interface);
  if (!sound || PyErr_Occurred())
    return PyErr_Occurred()
               ? false
               : refuse(PyExc_TypeError, where, nullptr, "has a __cuda_array_interface__ that is not understood");
  if (gaps)
    return refuse(PyExc_ValueError, where, "cupy.ascontiguousarray", "may not lie row by row without gaps");
  if (writes && is_const)
    return refuse(PyExc_ValueError, where, nullptr, "is read-only, and the function may write to it");
  return fits(view, given, type, where) && setView(where, type, view.ndim, extents);
}

bool Argument::finish(const Where& where) {
  if (device_ && back_ && bytes_) {
    bsgp_status status;
    {
      LongCall others_run;
      status = bsgp_copy_to_host(context_, back_, device_, bytes_);
    }
    if (status)
      return refuse(exceptions().error, where, nullptr, "could not be copied from the device: %s",
                    bsgp_error_message());
  }
  if (written_) {
    bsgp_array* before = std::exchange(handleOf(written_), array_.take());
    bsgp_array_release(before);
  }
  return true;
}

} // namespace bsgp::python

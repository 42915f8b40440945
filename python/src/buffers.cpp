#include "buffers.h"

#include <cstring>
#include <mutex>
#include <vector>

namespace bsgp::python {

namespace {

// A view of memory needs these for as long as it lives.
struct Exported {
  Handle array;
  Py_ssize_t shape[BSGP_MOST_AXES], strides[BSGP_MOST_AXES];
};

void describe(Exported& exported, Py_ssize_t item) {
  const int64_t* extents = bsgp_array_shape(exported.array.get());
  for (int32_t i = bsgp_array_rank(exported.array.get()); i-- > 0;) {
    exported.shape[i] = extents[i];
    exported.strides[i] = item;
    item *= extents[i];
  }
}

bool isAligned(const Py_buffer& view) {
  return uintptr_t(view.buf) % size_t(view.itemsize < 8 ? view.itemsize : 8) == 0;
}

// Objects that wait for a thread with the interpreter's lock.
struct Dropped {
  std::mutex mutex;
  std::vector<PyObject*> objects;
};
Dropped& dropped() {
  static auto* const all = new Dropped;
  return *all;
}

int dropAll(void*) {
  std::vector<PyObject*> objects;
  {
    std::lock_guard lock(dropped().mutex);
    objects.swap(dropped().objects);
  }
  for (PyObject* object : objects)
    Py_DECREF(object);
  return 0;
}

// A view that an array reads.
PyObject* shared(PyObject* object, const Py_buffer& view, bsgp_dtype dtype, const int64_t* shape) {
  PyObject* owner = PyMemoryView_FromObject(object); // keeps the exporter from freeing or resizing the memory
  if (!owner)
    return nullptr;
  Handle made;
  bsgp_status status = bsgp_array_adopt(
      view.buf, dtype, view.ndim, shape, [](void* kept) { releaseLater(static_cast<PyObject*>(kept)); }, owner,
      made.out());
  if (status) {
    Py_DECREF(owner);
    return raise(status);
  }
  return wrapped(std::move(made));
}

PyObject* copied(const Py_buffer& view, bsgp_dtype dtype, const int64_t* shape) {
  Handle made;
  bsgp_status status;
  if (PyBuffer_IsContiguous(&view, 'C')) {
    status = bsgp_array_from(view.buf, dtype, view.ndim, shape, made.out());
  } else {
    std::vector<char> rows(size_t(view.len));
    if (PyBuffer_ToContiguous(rows.data(), &view, view.len, 'C') < 0)
      return nullptr;
    status = bsgp_array_from(rows.data(), dtype, view.ndim, shape, made.out());
  }
  return status ? raise(status) : wrapped(std::move(made));
}

PyObject* ofView(PyObject* object, const Py_buffer& view, bool share) {
  int dtype = dtypeOf(view);
  if (dtype < 0) {
    PyErr_Format(PyExc_TypeError,
                 "an object of type %s has elements of format '%s'\n  help: elements are bool, int8 to uint64, float16 "
                 "to float64, complex64 "
                 "or complex128, in this machine's byte order",
                 Py_TYPE(object)->tp_name, view.format ? view.format : "B");
    return nullptr;
  }
  if (view.ndim > BSGP_MOST_AXES) {
    PyErr_Format(PyExc_ValueError, "an object with %d axes; an array has 0 to %d", view.ndim, int(BSGP_MOST_AXES));
    return nullptr;
  }
  int64_t shape[BSGP_MOST_AXES] = {};
  for (int i = 0; i < view.ndim; ++i)
    shape[i] = view.shape[i];
  if (share && PyBuffer_IsContiguous(&view, 'C') && isAligned(view))
    return shared(object, view, bsgp_dtype(dtype), shape);
  return copied(view, bsgp_dtype(dtype), shape);
}

} // namespace

const char* formatOf(bsgp_dtype dtype) {
  static constexpr const char* kFormats[] = {"?", "b", "h", "i", "l", "B", "H", "I", "L", "e", "f", "d", "Zf", "Zd"};
  return kFormats[dtype];
}

// A letter of the struct module and its bytes, in this machine's order: 'l' and 'q' are the same where they have the same size.
int dtypeOf(const Py_buffer& view) {
  const char* format = view.format ? view.format : "B";
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  bool is_complex = *format == 'Z';
  char letter = format[is_complex];
  if (letter == '\0' || format[is_complex + 1] != '\0')
    return -1;
  if (is_complex)
    return letter == 'f' ? BSGP_COMPLEX64 : letter == 'd' ? BSGP_COMPLEX128 : -1;
  if (letter == '?')
    return BSGP_BOOL;
  if (std::strchr("efd", letter))
    return letter == 'e' ? BSGP_FLOAT16 : letter == 'f' ? BSGP_FLOAT32 : BSGP_FLOAT64;
  int log2 = view.itemsize == 1 ? 0 : view.itemsize == 2 ? 1 : view.itemsize == 4 ? 2 : 3;
  if (std::strchr("bhilqn", letter))
    return BSGP_INT8 + log2;
  return std::strchr("BHILQN", letter) ? BSGP_UINT8 + log2 : -1;
}

PyObject* shapeOf(const bsgp_array* array) {
  int32_t rank = bsgp_array_rank(array);
  PyObject* shape = PyTuple_New(rank);
  for (int32_t i = 0; shape && i < rank; ++i) {
    int64_t extent = bsgp_array_shape(array)[i];
    PyObject* number = extent < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(extent);
    if (!number)
      Py_CLEAR(shape);
    else
      PyTuple_SET_ITEM(shape, i, number);
  }
  return shape;
}

int64_t elementsOf(const bsgp_array* array) {
  int64_t count = 1;
  for (int32_t i = 0; i < bsgp_array_rank(array); ++i) {
    if (bsgp_array_shape(array)[i] < 0)
      return -1;
    count *= bsgp_array_shape(array)[i];
  }
  return count;
}

int exportBuffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "arrays are read-only: numpy.array(a) makes a copy that can be changed");
    return -1;
  }
  Handle kept = Handle::to(handleOf(self));
  bsgp_array* array = kept.get();
  if (!evaluated(array))
    return -1;
  const void* data = nullptr;
  if (bsgp_status status = bsgp_array_data(array, &data))
    return raise(status), -1;
  auto* exported = new Exported{std::move(kept), {}, {}};
  bsgp_dtype dtype = bsgp_array_dtype(array);
  auto item = Py_ssize_t(bsgp_dtype_bytes(dtype));
  describe(*exported, item);
  static char none;
  *view = {data ? const_cast<void*>(data) : &none,
           Py_NewRef(self),
           Py_ssize_t(elementsOf(array)) * item,
           item,
           1,
           bsgp_array_rank(array),
           const_cast<char*>(flags & PyBUF_FORMAT ? formatOf(dtype) : nullptr),
           exported->shape,
           exported->strides,
           nullptr,
           exported};
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES)
    view->strides = nullptr;
  if (!(flags & PyBUF_ND))
    view->shape = nullptr;
  return 0;
}

void releaseBuffer(PyObject*, Py_buffer* view) {
  delete static_cast<Exported*>(view->internal);
}

PyObject* fromBuffer(PyObject* object, bool share) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) < 0)
    return nullptr;
  PyObject* made = ofView(object, view, share);
  PyBuffer_Release(&view);
  return made;
}

void releaseLater(PyObject* object) {
  if (!Py_IsInitialized())
    return;
  {
    std::lock_guard lock(dropped().mutex);
    dropped().objects.push_back(object);
  }
  Py_AddPendingCall(dropAll, nullptr);
}

} // namespace bsgp::python

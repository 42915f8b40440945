// `a[key]` of integers, slices, ... and None, which most programs use all the time; other keys are _indexing.py's.
#include "indexing.h"

#include <algorithm>

namespace bsgp::python {

namespace {

// The elements that a key names: begin, count and stride along each axis, and the axes of the result.
struct Region {
  int64_t begin[BSGP_MOST_AXES], count[BSGP_MOST_AXES], stride[BSGP_MOST_AXES];
  bool is_dropped[BSGP_MOST_AXES];
  int axes = 0;
  bool is_whole = true;
  int new_axes[BSGP_MOST_AXES + 1]; // in the result
  int new_axis_count = 0, result_axes = 0;

  void add(int64_t first, int64_t elements, int64_t step, int64_t extent, bool drops) {
    is_whole &= !drops && first == 0 && elements == extent && step == 1;
    begin[axes] = elements ? first : 0, count[axes] = elements, stride[axes] = step, is_dropped[axes] = drops;
    ++axes;
    result_axes += !drops;
  }
  void addWhole(const int64_t* shape, int more) {
    for (; more > 0; --more)
      add(0, shape[axes], 1, shape[axes], false);
  }
};

// Its bounds may have no values.
bool hasArrays(const PySliceObject* slice) {
  return isArray(slice->start) || isArray(slice->stop) || isArray(slice->step);
}

// False: the key is another one, or wrong; _indexing.py takes it, and reports mistakes. An exception may be set.
bool addEntry(Region& region, PyObject* entry, const int64_t* shape, int rank, int used) {
  if (entry == Py_None) {
    if (region.new_axis_count == BSGP_MOST_AXES)
      return false;
    region.new_axes[region.new_axis_count++] = region.result_axes++;
    return true;
  }
  if (entry == Py_Ellipsis) {
    region.addWhole(shape, rank - used);
    return true;
  }
  if (region.axes == rank)
    return false;
  int64_t extent = shape[region.axes];
  if (PyLong_CheckExact(entry)) {
    int overflow = 0;
    int64_t place = PyLong_AsLongLongAndOverflow(entry, &overflow);
    if (overflow || place < -extent || place >= extent)
      return false;
    region.add(place < 0 ? place + extent : place, 1, 1, extent, true);
    return true;
  }
  Py_ssize_t start, stop, step;
  if (!PySlice_Check(entry) || hasArrays(reinterpret_cast<PySliceObject*>(entry)) ||
      PySlice_Unpack(entry, &start, &stop, &step) < 0)
    return false;
  Py_ssize_t elements = PySlice_AdjustIndices(extent, &start, &stop, step);
  region.add(start, elements, step, extent, false);
  return true;
}

bool parse(Region& region, PyObject* const* entries, Py_ssize_t count, const int64_t* shape, int rank) {
  int used = 0, dots = 0;
  for (Py_ssize_t i = 0; i < count; ++i)
    used += entries[i] != Py_None && entries[i] != Py_Ellipsis, dots += entries[i] == Py_Ellipsis;
  if (used > rank || dots > 1)
    return false;
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!addEntry(region, entries[i], shape, rank, used))
      return false;
  region.addWhole(shape, rank - region.axes);
  return region.result_axes <= BSGP_MOST_AXES;
}

PyObject* elementsAt(Handle array, const Region& region) {
  auto becomes = [&](bsgp_status status, Handle& next) {
    if (status)
      return raise(status), false;
    array = std::move(next);
    return true;
  };
  if (!region.is_whole) {
    Handle next;
    if (!becomes(bsgp_array_section(array.get(), region.begin, region.count, region.stride, next.out()), next))
      return nullptr;
  }
  for (int axis = region.axes; axis-- > 0;)
    if (Handle next;
        region.is_dropped[axis] && !becomes(bsgp_array_drop_dimension(array.get(), axis, next.out()), next))
      return nullptr;
  for (int i = 0; i < region.new_axis_count; ++i)
    if (Handle next; !becomes(bsgp_array_add_dimension(array.get(), region.new_axes[i], 1, next.out()), next))
      return nullptr;
  return wrapped(std::move(array));
}

// A program that assigns to an element and reads another one in turn never computes the whole array: each read would begin at the first
// assignment. So an array is computed after some of them. False: an exception is set.
constexpr int kMostPending = 16;
bool bounded(PyObject* self) {
  auto* object = reinterpret_cast<ArrayObject*>(self);
  if (bsgp_array_is_computed(object->handle))
    object->pending_assignments = 0;
  if (++object->pending_assignments <= kMostPending)
    return true;
  object->pending_assignments = 0;
  Handle kept = Handle::to(object->handle); // another thread may assign meanwhile
  if (evaluated(kept.get()))
    return true;
  if (!PyErr_ExceptionMatches(PyExc_Exception)) // such as Ctrl-C
    return false;
  PyErr_Clear(); // it depends on parameters; or the failure is reported where it is read
  return true;
}

} // namespace

PyObject* elements(PyObject* self, PyObject* key) {
  Handle array = Handle::to(handleOf(self)); // an index may be an object whose code assigns to elements
  int rank = bsgp_array_rank(array.get());
  const int64_t* shape = bsgp_array_shape(array.get());
  bool is_tuple = PyTuple_CheckExact(key);
  Region region;
  bool is_known = std::none_of(shape, shape + rank, [](int64_t extent) { return extent < 0; });
  if (is_known && parse(region, is_tuple ? reinterpret_cast<PyTupleObject*>(key)->ob_item : &key,
                        is_tuple ? PyTuple_GET_SIZE(key) : 1, shape, rank))
    return elementsAt(std::move(array), region);
  return PyErr_Occurred() ? nullptr : PyObject_CallFunctionObjArgs(hooks().elements, self, key, nullptr);
}

int assignElements(PyObject* self, PyObject* key, PyObject* value) {
  if (!value) {
    PyErr_SetString(PyExc_TypeError, "elements of an array cannot be deleted");
    return -1;
  }
  if (scopeInMaking() != 0 && reinterpret_cast<ArrayObject*>(self)->scope != scopeInMaking()) {
    PyErr_SetString(PyExc_ValueError, "a[key] = value: the array belongs to the surroundings of the function that is "
                                      "traced\n  help: b = +a makes another array, whose elements can be assigned to");
    return -1;
  }
  PyObject* done = PyObject_CallFunctionObjArgs(hooks().assign, self, key, value, nullptr);
  Py_XDECREF(done);
  return done && bounded(self) ? 0 : -1;
}

} // namespace bsgp::python

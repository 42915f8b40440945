// Whether the elements of an object are those that a pointer leads to.
#include <cstring>

#include "arguments.h"
#include "buffers.h"

namespace bsgp::python {

namespace {

// float3* takes an array of floats whose last axis has 3: the extents of such axes, the outermost first; and the scalar or struct inside.
struct Inner {
  const bsgp_type* type;
  std::vector<uint64_t> extents;
};
Inner innerOf(const bsgp_type* element) {
  Inner inner{element, {}};
  for (; inner.type->kind == BSGP_TYPE_VECTOR || inner.type->kind == BSGP_TYPE_ARRAY; inner.type = inner.type->element)
    inner.extents.push_back(inner.type->count);
  return inner;
}

std::string elementsText(const Py_buffer& view) {
  int dtype = dtypeOf(view);
  return dtype >= 0 ? bsgp_dtype_name(bsgp_dtype(dtype))
                    : std::string("elements of format '") + (view.format ? view.format : "B") + "'";
}

bool fitsScalar(const Py_buffer& view, PyObject* given, const bsgp_type* scalar) {
  int dtype = dtypeOf(view);
  bool is_text = scalar->dtype == BSGP_INT8 && (PyBytes_Check(given) || PyByteArray_Check(given));
  return dtype == scalar->dtype || is_text;
}

bool fitsStruct(const Py_buffer& view, const bsgp_type* type) {
  return size_t(view.itemsize) == type->size && view.format && std::strchr(view.format, '{');
}

bool refuseElements(const Py_buffer& view, const bsgp_type* type, const bsgp_type* inner, const Where& where) {
  std::string name = where.parameter->name,
              assigned = type->is_const ? "" : name + " = "; // else it would write to a copy
  std::string help =
      assigned + name + ".astype(np." + (inner->dtype >= 0 ? bsgp_dtype_name(bsgp_dtype(inner->dtype)) : "...") + ")";
  std::string records = "a NumPy array of records with the struct's fields: np.dtype([...], align=True)";
  return refuse(PyExc_TypeError, where, inner->dtype >= 0 ? help.c_str() : records.c_str(),
                "is %s, the parameter is %s", elementsText(view).c_str(), spelled(type, where).c_str());
}

bool fitsAxes(const Py_buffer& view, const bsgp_type* type, const Inner& inner, const Where& where) {
  int more = type->kind == BSGP_TYPE_VIEW ? int(type->count) : 0, own = int(inner.extents.size());
  bool fits = type->kind == BSGP_TYPE_VIEW ? view.ndim == more + own : view.ndim >= own;
  if (!fits)
    return refuse(PyExc_TypeError, where, nullptr, "has %d axes, the parameter is %s and takes %d%s", view.ndim,
                  spelled(type, where).c_str(), more + own, more ? "" : " or more");
  for (int i = 0; i < own; ++i)
    if (uint64_t(view.shape[view.ndim - own + i]) != inner.extents[size_t(i)])
      return refuse(PyExc_TypeError, where, nullptr,
                    "has %zd elements along axis %d, the parameter is %s and takes %llu",
                    view.shape[view.ndim - own + i], view.ndim - own + i, spelled(type, where).c_str(),
                    static_cast<unsigned long long>(inner.extents[size_t(i)]));
  return true;
}

} // namespace

bool fits(const Py_buffer& view, PyObject* given, const bsgp_type* type, const Where& where) {
  if (type->element->kind == BSGP_TYPE_VOID)
    return true;
  bool plain = type->element->kind == BSGP_TYPE_SCALAR && type->kind == BSGP_TYPE_POINTER;
  if (plain && fitsScalar(view, given, type->element)) // most
    return true;
  Inner inner = innerOf(type->element);
  bool same = inner.type->kind == BSGP_TYPE_STRUCT
                  ? fitsStruct(view, inner.type)
                  : inner.type->kind == BSGP_TYPE_SCALAR && fitsScalar(view, given, inner.type);
  if (!same)
    return refuseElements(view, type, inner.type, where);
  return fitsAxes(view, type, inner, where);
}

} // namespace bsgp::python

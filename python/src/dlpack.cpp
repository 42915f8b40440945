// DLPack (https://dmlc.github.io/dlpack, version 1.0): arrays from and to other libraries, without a copy where that is safe.
#include "dlpack.h"

#include <cstring>

#include "bindings.h"
#include "buffers.h"

namespace bsgp::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// ---- the structures of the specification ----

struct Device {
  int32_t type, id;
};
constexpr int32_t kCpu = 1, kPinned = 3;
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};
enum Code : uint8_t { Int = 0, UInt = 1, Float = 2, Complex = 5, Bool = 6 };
struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
struct ManagedVersioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  Tensor tensor;
};
constexpr uint64_t kReadOnly = 1, kCopied = 2;

// The names of capsules: unversioned and versioned, and after somebody has taken what is in them.
template <class M> constexpr const char* kName = "dltensor";
template <> constexpr const char* kName<ManagedVersioned> = "dltensor_versioned";
template <class M> constexpr const char* kUsed = "used_dltensor";
template <> constexpr const char* kUsed<ManagedVersioned> = "used_dltensor_versioned";

DataType typeOf(bsgp_dtype dtype) {
  Code code = dtype == BSGP_BOOL      ? Bool
              : dtype <= BSGP_INT64   ? Int
              : dtype <= BSGP_UINT64  ? UInt
              : dtype <= BSGP_FLOAT64 ? Float
                                      : Complex;
  return {code, uint8_t(8 * bsgp_dtype_bytes(dtype)), 1};
}

int dtypeOf(DataType type) {
  for (int i = 0; i < BSGP_DTYPE_COUNT; ++i)
    if (DataType known = typeOf(bsgp_dtype(i)); type.lanes == 1 && known.code == type.code && known.bits == type.bits)
      return i;
  return -1;
}

// ---- out ----

template <class M> struct Exported {
  M managed{};
  Handle array; // whose memory it is
  std::vector<char> copy;
  int64_t shape[BSGP_MOST_AXES], strides[BSGP_MOST_AXES];
};

// Handles are counted by atomic numbers, so any thread may call it.
template <class M> void deleteExported(M* managed) {
  delete static_cast<Exported<M>*>(managed->context);
}

template <class M> void dropUnused(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kName<M>))
    return; // taken
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, kName<M>));
  managed->deleter(managed);
}

template <class M> nb::object exported(bsgp_array* array, bool copy) {
  Handle kept = Handle::to(array);
  if (!evaluated(kept.get()))
    throw nb::python_error();
  const void* data = nullptr;
  check(bsgp_array_data(kept.get(), &data));
  auto* made = new Exported<M>;
  bsgp_dtype dtype = bsgp_array_dtype(array);
  int64_t stride = 1;
  for (int32_t i = bsgp_array_rank(array); i-- > 0; stride *= bsgp_array_shape(array)[i])
    made->shape[i] = bsgp_array_shape(array)[i], made->strides[i] = stride;
  if (copy) {
    size_t bytes = size_t(elementsOf(array)) * bsgp_dtype_bytes(dtype);
    made->copy.resize(bytes + 1);
    if (bytes)
      std::memcpy(made->copy.data(), data, bytes);
    data = made->copy.data();
  }
  made->managed.tensor = {const_cast<void*>(data), {kCpu, 0}, bsgp_array_rank(array), typeOf(dtype), made->shape,
                          made->strides,           0};
  made->managed.context = made;
  made->managed.deleter = deleteExported<M>;
  made->array = std::move(kept);
  if constexpr (std::is_same_v<M, ManagedVersioned>)
    made->managed.major = 1, made->managed.flags = copy ? kCopied : kReadOnly;
  return nb::steal(PyCapsule_New(&made->managed, kName<M>, dropUnused<M>));
}

nb::object toCapsule(Given a, bool versioned, bool copy) {
  return versioned ? exported<ManagedVersioned>(a.array, copy) : exported<Managed>(a.array, copy);
}

// ---- in ----

template <class M> void deleteTaken(PyObject* capsule) {
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, kUsed<M>));
  if (managed->deleter)
    managed->deleter(managed);
}

bool isInRows(const Tensor& tensor) {
  int64_t stride = 1;
  for (int32_t i = tensor.ndim; tensor.strides && i-- > 0; stride *= tensor.shape[i])
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride)
      return false;
  return true;
}

void copyRows(const Tensor& tensor, size_t item, int32_t axis, const char* from, char*& to) {
  if (axis == tensor.ndim) {
    std::memcpy(to, from, item);
    to += item;
    return;
  }
  for (int64_t i = 0; i < tensor.shape[axis]; ++i)
    copyRows(tensor, item, axis + 1, from + i * tensor.strides[axis] * int64_t(item), to);
}

int64_t countOf(const Tensor& tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    count *= tensor.shape[i];
  return count;
}

Handle copied(const Tensor& tensor, bsgp_dtype dtype, const char* data) {
  if (isInRows(tensor))
    return made(bsgp_array_from, static_cast<const void*>(data), dtype, tensor.ndim,
                static_cast<const int64_t*>(tensor.shape));
  size_t item = bsgp_dtype_bytes(dtype);
  std::vector<char> rows(size_t(countOf(tensor)) * item);
  char* to = rows.data();
  if (!rows.empty())
    copyRows(tensor, item, 0, data, to);
  return made(bsgp_array_from, static_cast<const void*>(rows.data()), dtype, tensor.ndim,
              static_cast<const int64_t*>(tensor.shape));
}

void refuse(const Tensor& tensor, int dtype) {
  if (tensor.device.type != kCpu && tensor.device.type != kPinned)
    throw nb::buffer_error("from_dlpack: an array that is not in the machine's memory\n  help: copy it there first");
  if (dtype < 0)
    throw nb::type_error("from_dlpack: elements of a type that arrays do not have\n  help: convert them first");
  if (tensor.ndim > BSGP_MOST_AXES)
    throw nb::value_error("from_dlpack: an array with more than 8 axes");
}

// copy: -1: where it can be written to, and so changed; 0: never; 1: always.
template <class M> Handle taken(nb::handle capsule, int copy, bool may_change) {
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule.ptr(), kName<M>));
  if (!managed)
    throw nb::python_error();
  const Tensor& tensor = managed->tensor;
  int dtype = dtypeOf(tensor.dtype);
  refuse(tensor, dtype);
  const char* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  size_t item = bsgp_dtype_bytes(bsgp_dtype(dtype));
  bool fits = isInRows(tensor) && uintptr_t(data) % (item < 8 ? item : 8) == 0;
  if (copy == 0 && !fits)
    throw nb::value_error(
        "from_dlpack: copy=False of an array whose elements are not in row order, one behind the other");
  bool shares = fits && countOf(tensor) > 0 && (copy == 0 || (copy < 0 && !may_change));
  PyCapsule_SetName(capsule.ptr(), kUsed<M>);
  PyCapsule_SetDestructor(capsule.ptr(), deleteTaken<M>);
  if (!shares)
    return copied(tensor, bsgp_dtype(dtype), data);
  nb::object owner = nb::borrow(capsule);
  Handle array = made(
      bsgp_array_adopt, static_cast<const void*>(data), bsgp_dtype(dtype), tensor.ndim,
      static_cast<const int64_t*>(tensor.shape), +[](void* kept) { releaseLater(static_cast<PyObject*>(kept)); },
      static_cast<void*>(owner.ptr()));
  owner.release(); // the array's from now on
  return array;
}

Handle fromCapsule(nb::handle capsule, int copy) {
  if (!PyCapsule_IsValid(capsule.ptr(), kName<ManagedVersioned>))
    return taken<Managed>(capsule, copy, true);
  auto* managed = static_cast<ManagedVersioned*>(PyCapsule_GetPointer(capsule.ptr(), kName<ManagedVersioned>));
  if (managed->major > 1)
    throw nb::buffer_error("from_dlpack: a capsule of a later version of DLPack than 1");
  return taken<ManagedVersioned>(capsule, copy, !(managed->flags & kReadOnly) && !(managed->flags & kCopied));
}

} // namespace

void bindDlpack(nb::module_& m) {
  m.def("to_capsule", &toCapsule, "a"_a, "versioned"_a, "copy"_a, "A capsule of DLPack.");
  m.def("from_capsule", &fromCapsule, "capsule"_a, "copy"_a, "An array of a capsule of DLPack.");
}

} // namespace bsgp::python

// The C functions of include/bsgp/arrays.h, which has their promises.
//
// The folder `arrays` takes calls that name operations, and gives arrays: node.h is the graph that they make (build.h, transform.cpp);
// schedule.h cuts it into kernels (kernel.h), lower.h gives them code, run.h runs them. It uses the runtime's threads and memory; its
// folder `compiled` uses LLVM by way of the target for CPUs, and its folder `device` the compiler. The rest knows nothing of the language.
#include <cstring>

#include "arrays/api_parts.h"
#include "arrays/build.h"
#include "arrays/counted.h"
#include "arrays/device/code.h"
#include "arrays/engine.h"
#include "arrays/neighbours.h"

namespace bsgp::arrays {

namespace {

Result<void> haveValues(const char* what, std::initializer_list<const Node*> nodes) {
  for (const Node* node : nodes)
    if (isOpen(*node))
      return Error{std::string(what) + ": an array that depends on a parameter has no values" +
                   "\n  help: a function of the parameter computes it"};
  return {};
}

Result<Shape> checkedData(const char* what, const void* data, bsgp_dtype dtype, int32_t rank, const int64_t* shape) {
  auto checked = checkedShape(what, rank, shape);
  if (!checked)
    return checked;
  if (!isType(dtype))
    return Error{std::string(what) + ": there is no such type of elements"};
  if (!data && checked->elements() > 0)
    return Error{std::string(what) + ": no data for an array of shape " + text(*checked)};
  return checked;
}

bsgp_status computed(int32_t count, bsgp_array* const* arrays) {
  std::vector<Node*> nodes;
  for (int32_t i = 0; i < count; ++i)
    if (!arrays[i])
      return runtime::setError(BSGP_INVALID, nullMessage());
    else if (auto has = haveValues("eval", {nodes.emplace_back(nodeOf(arrays[i]))}); !has)
      return failed(BSGP_INVALID, has.error());
  auto done = evaluate(nodes);
  return done ? BSGP_OK : failed(BSGP_FAILED, done.error());
}

// The value of a border is the operand behind the array.
Border borderOf(bsgp_border kind, std::span<const NodeRef> operands) {
  return {kind, operands.size() > 1 ? operands[1] : NodeRef()};
}
struct WithValue {
  bsgp_array* all[2];
  std::span<bsgp_array* const> span() const { return {all, size_t(all[1] ? 2 : 1)}; }
};
WithValue withValue(bsgp_array* array, bsgp_array* value) {
  return {{array, value}};
}

// Axes that the caller names, or all.
struct NamedAxes {
  NamedAxes(int32_t count, const int32_t* axes) : all(count < 0), named(axes, count) {}
  std::optional<std::span<const int32_t>> get() const { return all ? std::nullopt : std::optional(named.span()); }

  bool all;
  Numbers<int32_t> named;
};

Result<void> haveValues(int32_t count, bsgp_array* const* arrays) {
  Result<void> have;
  for (int32_t i = 0; have && i < count; ++i)
    have = haveValues("explain", {nodeOf(arrays[i])});
  return have;
}

Explanation explained(int32_t count, bsgp_array* const* arrays) {
  std::vector<Node*> nodes;
  for (int32_t i = 0; i < count; ++i)
    if (!nodeOf(arrays[i])->isComputed())
      nodes.push_back(nodeOf(arrays[i]));
  return explain(nodes);
}

} // namespace
} // namespace bsgp::arrays

using namespace bsgp;
using namespace bsgp::arrays;

bsgp_status bsgp_array_from(const void* data, bsgp_dtype dtype, int32_t rank, const int64_t* shape, bsgp_array** out) {
  return making(out, [&]() -> Result<NodeRef> {
    auto checked = checkedData("from", data, dtype, rank, shape);
    return checked ? makeValues(data, dtype, *checked) : checked.error();
  });
}

bsgp_status bsgp_array_adopt(const void* data, bsgp_dtype dtype, int32_t rank, const int64_t* shape,
                             void (*release)(void* owner), void* owner, bsgp_array** out) {
  return making(out, [&]() -> Result<NodeRef> {
    auto checked = checkedData("adopt", data, dtype, rank, shape);
    if (!checked)
      return checked.error();
    if (!release || uintptr_t(data) % std::min<size_t>(info(dtype).bytes, alignof(double)) != 0)
      return Error{"adopt: memory that nobody releases, or whose elements are not aligned"};
    return makeValuesOf(data, dtype, *checked, {release, owner});
  });
}

bsgp_status bsgp_array_scalar(const void* value, bsgp_dtype dtype, int32_t weak, bsgp_array** out) {
  return making(out, [&]() -> Result<NodeRef> {
    if (!isType(dtype) || !value)
      return Error{"scalar: there is no such type of elements, or no value"};
    return makeScalar(value, dtype, weak != 0);
  });
}

bsgp_status bsgp_array_full(int32_t rank, const int64_t* shape, bsgp_array* value, bsgp_array** out) {
  return bsgp_array_broadcast(value, rank, shape, out);
}

bsgp_status bsgp_array_index(int32_t rank, const int64_t* shape, int32_t axis, bsgp_array** out) {
  return making(out, [&]() -> Result<NodeRef> {
    auto checked = checkedShape("index", rank, shape);
    return checked ? makeIndex(*checked, axis) : checked.error();
  });
}

bsgp_status bsgp_array_random(uint64_t key, int32_t rank, const int64_t* shape, bsgp_array** out) {
  return making(out, [&]() -> Result<NodeRef> {
    auto checked = checkedShape("random", rank, shape);
    return checked ? makeRandom(key, *checked) : checked.error();
  });
}

bsgp_array* bsgp_array_retain(bsgp_array* array) {
  if (!array)
    return nullptr;
  retain(*nodeOf(array));
  return array;
}

void bsgp_array_release(bsgp_array* array) {
  if (array)
    release(nodeOf(array));
}

bsgp_dtype bsgp_array_dtype(const bsgp_array* array) {
  return nodeOf(array)->type;
}

int32_t bsgp_array_rank(const bsgp_array* array) {
  return nodeOf(array)->shape.rank;
}

const int64_t* bsgp_array_shape(const bsgp_array* array) {
  return nodeOf(array)->shape.extents;
}

int32_t bsgp_array_is_open(const bsgp_array* array) {
  return isOpen(*nodeOf(array)) ? 1 : 0;
}

int32_t bsgp_array_is_computed(const bsgp_array* array) {
  return nodeOf(array)->isComputed() ? 1 : 0;
}

size_t bsgp_dtype_bytes(bsgp_dtype dtype) {
  return isType(dtype) ? info(dtype).bytes : 0;
}

const char* bsgp_dtype_name(bsgp_dtype dtype) {
  return isType(dtype) ? info(dtype).name : "";
}

bsgp_status bsgp_array_eval(int32_t count, bsgp_array* const* arrays) {
  return runtime::guardedCall("arrays", [&] { return computed(count, arrays); });
}

bsgp_status bsgp_array_data(bsgp_array* array, const void** out) {
  *out = nullptr;
  bsgp_status status = bsgp_array_eval(1, &array);
  if (status == BSGP_OK)
    *out = nodeOf(array)->values->data();
  return status;
}

bsgp_status bsgp_array_read(bsgp_array* array, void* to, uint64_t bytes) {
  if (!array)
    return runtime::setError(BSGP_INVALID, nullMessage());
  if (!to && bytes)
    return runtime::setPlainError(BSGP_INVALID, "read: the memory is NULL");
  if (bytes != nodeOf(array)->bytes())
    return runtime::setPlainError(BSGP_INVALID, "read: %llu bytes for an array of %zu",
                                  static_cast<unsigned long long>(bytes), nodeOf(array)->bytes());
  const void* from = nullptr;
  bsgp_status status = bsgp_array_data(array, &from);
  if (status == BSGP_OK && bytes)
    std::memcpy(to, from, bytes);
  return status;
}

bsgp_status bsgp_array_apply(bsgp_operation operation, int32_t count, bsgp_array* const* operands, bsgp_array** out) {
  if (operation < 0 || operation >= BSGP_OP_COUNT || count < 1 || count > 3)
    return making(out, []() -> Result<NodeRef> {
      return Error{"apply: there is no such operation, or it has another number of operands"};
    });
  return makingOf(out, std::span(operands, size_t(count)),
                  [operation](std::span<const NodeRef> given) { return makeApply(operation, given); });
}

bsgp_status bsgp_array_cast(bsgp_array* array, bsgp_dtype dtype, bsgp_array** out) {
  return makingOf(out, {array}, [dtype](std::span<const NodeRef> given) -> Result<NodeRef> {
    if (!isType(dtype))
      return Error{"astype: there is no such type of elements"};
    return makeAstype(given[0], dtype);
  });
}

bsgp_status bsgp_array_nextafter(bsgp_array* a, bsgp_array* b, bsgp_array** out) {
  return makingOf(out, {a, b}, [](std::span<const NodeRef> given) { return makeNextafter(given[0], given[1]); });
}

bsgp_status bsgp_array_reduce(bsgp_fold fold, bsgp_array* array, int32_t axis_count, const int32_t* axes, int32_t keep,
                              bsgp_array** out) {
  NamedAxes named(axis_count, axes);
  return makingOf(out, {array}, [=](std::span<const NodeRef> given) -> Result<NodeRef> {
    if (fold < 0 || fold >= BSGP_FOLD_COUNT)
      return Error{"reduce: there is no such reduction"};
    return makeReduce(fold, given[0], named.get(), keep != 0);
  });
}

bsgp_status bsgp_array_mean(bsgp_array* array, int32_t axis_count, const int32_t* axes, int32_t keep,
                            bsgp_array** out) {
  NamedAxes named(axis_count, axes);
  return makingOf(out, {array},
                  [=](std::span<const NodeRef> given) { return makeMean(given[0], named.get(), keep != 0); });
}

bsgp_status bsgp_array_rows(bsgp_rows rows, bsgp_array* array, const int32_t* axis, int32_t keep, bsgp_array** out) {
  std::optional<int32_t> along = axis ? std::optional(*axis) : std::nullopt;
  return makingOf(out, {array}, [=](std::span<const NodeRef> given) -> Result<NodeRef> {
    if (rows < 0 || rows >= BSGP_ROWS_COUNT)
      return Error{"rows: there is no such operation"};
    return makeRows(rows, given[0], along, keep != 0);
  });
}

bsgp_status bsgp_array_inner_product(bsgp_array* a, bsgp_array* b, bsgp_array** out) {
  return makingOf(out, {a, b}, [](std::span<const NodeRef> given) { return makeInnerProduct(given[0], given[1]); });
}

bsgp_status bsgp_array_outer_product(bsgp_array* a, bsgp_array* b, bsgp_array** out) {
  return makingOf(out, {a, b}, [](std::span<const NodeRef> given) { return makeOuterProduct(given[0], given[1]); });
}

bsgp_status bsgp_array_section(bsgp_array* array, const int64_t* begin, const int64_t* count, const int64_t* stride,
                               bsgp_array** out) {
  return makingOf(out, {array},
                  [begin = eachAxis(array, begin), count = eachAxis(array, count),
                   stride = eachAxis(array, stride)](std::span<const NodeRef> given) {
                    return makeSection(given[0], begin.data(), count.data(), stride.data());
                  });
}

bsgp_status bsgp_array_slice(bsgp_array* array, int32_t axis, int64_t begin, int64_t end, int64_t stride,
                             bsgp_array** out) {
  return makingOf(out, {array},
                  [=](std::span<const NodeRef> given) { return makeSlice(given[0], axis, begin, end, stride); });
}

bsgp_status bsgp_array_shift(bsgp_array* array, const int64_t* by, bsgp_border border, bsgp_array* value,
                             bsgp_array** out) {
  return makingOf(out, withValue(array, value).span(),
                  [by = eachAxis(array, by), border](std::span<const NodeRef> given) {
                    return makeShift(given[0], by.data(), borderOf(border, given));
                  });
}

bsgp_status bsgp_array_extend(bsgp_array* array, const int64_t* before, const int64_t* after, bsgp_border border,
                              bsgp_array* value, bsgp_array** out) {
  return makingOf(
      out, withValue(array, value).span(),
      [before = eachAxis(array, before), after = eachAxis(array, after), border](std::span<const NodeRef> given) {
        return makeExtend(given[0], before.data(), after.data(), borderOf(border, given));
      });
}

bsgp_status bsgp_array_replicate(bsgp_array* array, const int64_t* shape, bsgp_array** out) {
  return makingOf(out, {array}, [shape = eachAxis(array, shape)](std::span<const NodeRef> given) {
    return makeReplicate(given[0], shape.data());
  });
}

bsgp_status bsgp_array_transpose(bsgp_array* array, const int32_t* order, bsgp_array** out) {
  return makingOf(out, {array}, [order = eachAxis(array, order)](std::span<const NodeRef> given) {
    return makeTranspose(given[0], order.data());
  });
}

bsgp_status bsgp_array_drop_dimension(bsgp_array* array, int32_t axis, bsgp_array** out) {
  return makingOf(out, {array}, [axis](std::span<const NodeRef> given) { return makeDropDimension(given[0], axis); });
}

bsgp_status bsgp_array_add_dimension(bsgp_array* array, int32_t axis, int64_t extent, bsgp_array** out) {
  return makingOf(out, {array},
                  [=](std::span<const NodeRef> given) { return makeAddDimension(given[0], axis, extent); });
}

bsgp_status bsgp_array_broadcast(bsgp_array* array, int32_t rank, const int64_t* shape, bsgp_array** out) {
  return makingOf(out, {array},
                  [rank, shape = Numbers(shape, rank)](std::span<const NodeRef> given) -> Result<NodeRef> {
                    auto checked = checkedShape("broadcast", rank, shape.data());
                    return checked ? makeBroadcast(given[0], *checked, "broadcast") : checked.error();
                  });
}

bsgp_status bsgp_array_reshape(bsgp_array* array, int32_t rank, const int64_t* shape, bsgp_array** out) {
  if (array && isOpen(*nodeOf(array)))
    return making(out, [&] { return makeOpenReshape(refTo(array), rank, shape); });
  return makingOf(out, {array}, [rank, shape = Numbers(shape, rank)](std::span<const NodeRef> given) {
    return makeReshape(given[0], rank, shape.data());
  });
}

bsgp_status bsgp_array_gather(bsgp_array* array, bsgp_array* indices, int32_t axis, bsgp_array** out) {
  return makingOf(out, {array, indices},
                  [axis](std::span<const NodeRef> given) { return makeGather(given[0], given[1], axis); });
}

bsgp_status bsgp_array_compress(bsgp_array* array, bsgp_array* flags, bsgp_array** out) {
  return making(out, [&] {
    Result<void> have = haveValues("compress", {nodeOf(array), nodeOf(flags)});
    return have ? makeCompress(refTo(array), refTo(flags)) : have.error();
  });
}

bsgp_status bsgp_array_unique(bsgp_array* array, bsgp_array** out) {
  return making(out, [&] {
    Result<void> have = haveValues("unique", {nodeOf(array)});
    return have ? makeUnique(refTo(array)) : have.error();
  });
}

void bsgp_arrays_progress(int64_t* done, int64_t* all) {
  *done = progress().done, *all = progress().all;
}

bsgp_status bsgp_array_explain(int32_t count, bsgp_array* const* arrays, const char** text) {
  return runtime::guardedCall("an explanation", [&] {
    if (auto have = haveValues(count, arrays); !have)
      return failed(BSGP_INVALID, have.error());
    thread_local std::string last;
    last = explained(count, arrays).text;
    *text = last.c_str();
    return BSGP_OK;
  });
}

bsgp_status bsgp_array_explain_counts(int32_t count, bsgp_array* const* arrays, bsgp_array_counts* out) {
  return runtime::guardedCall("an explanation", [&] {
    if (auto have = haveValues(count, arrays); !have)
      return failed(BSGP_INVALID, have.error());
    Explanation all = explained(count, arrays);
    *out = {all.kernels, all.operations, all.bytes_written};
    return BSGP_OK;
  });
}

void bsgp_arrays_statistics(bsgp_array_statistics* out) {
  *out = {liveBytes(), counts().evaluations, counts().kernels, compiledSegments() + compiledPrograms()};
}

bsgp_status bsgp_arrays_set_options(const bsgp_array_options* given) {
  return runtime::guardedCall("options of arrays", [&] {
    const char* name = given->target ? given->target : "cpu";
    std::optional<Target> target = targetNamed(name);
    if (!target)
      return failed(BSGP_INVALID, Error{std::string("options: there is no target '") + name +
                                        "'\n  help: there are cpu, reference and cuda"});
    arrays::Options wanted{given->threads, given->unfused == 0, Compile(given->compile < 0 ? -1 : given->compile > 0)};
    if (given->most_pending_bytes > 0)
      wanted.most_pending = given->most_pending_bytes;
    wanted.target = *target, wanted.exact = given->exact != 0;
    auto set = setOptions(wanted);
    return set ? BSGP_OK : failed(BSGP_UNAVAILABLE, set.error());
  });
}

void bsgp_arrays_get_options(bsgp_array_options* out) {
  *out = {options().threads,      options().fuse ? 0 : 1,   int32_t(options().compile),
          options().most_pending, nameOf(options().target), options().exact ? 1 : 0};
}

#include "arrays/counted.h"

#include <fmt/format.h>

#include "arrays/build.h"
#include "arrays/engine.h"

namespace bsgp::arrays {

namespace {

template <class T> int64_t compressed(const T* from, const uint8_t* flags, int64_t count, T* to) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    to[kept] = from[i];
    kept += flags[i];
  }
  return kept;
}

int64_t compressedBytes(const void* from, const uint8_t* flags, int64_t count, unsigned bytes, void* to) {
  switch (bytes) {
  case 1:
    return compressed(static_cast<const uint8_t*>(from), flags, count, static_cast<uint8_t*>(to));
  case 2:
    return compressed(static_cast<const uint16_t*>(from), flags, count, static_cast<uint16_t*>(to));
  case 4:
    return compressed(static_cast<const uint32_t*>(from), flags, count, static_cast<uint32_t*>(to));
  case 8:
    return compressed(static_cast<const uint64_t*>(from), flags, count, static_cast<uint64_t*>(to));
  default:
    return compressed(static_cast<const Number*>(from), flags, count, static_cast<Number*>(to));
  }
}

} // namespace

Result<NodeRef> makeCompress(const NodeRef& array, const NodeRef& flags) {
  if (!(array->shape == flags->shape) || flags->type != BSGP_BOOL)
    return Error{fmt::format(
        "compress: flags of shape {} and type {} for an array of shape {}\n  help: there is a bool for each element",
        text(flags->shape), info(flags->type).name, text(array->shape))};
  Node* both[] = {array.get(), flags.get()};
  if (auto done = evaluate(both); !done)
    return done.error();
  auto to = allocate(array->bytes() + info(array->type).bytes, "the result of compress");
  if (!to)
    return to.error();
  Shape shape;
  shape.insert(0, compressedBytes(array->values->data(), flags->values->data<uint8_t>(), array->elements(),
                                  info(array->type).bytes, (*to)->data()));
  NodeRef node(new Node(Kind::Values, array->type, shape));
  node->values = to.take();
  return node;
}

Result<NodeRef> makeUnique(const NodeRef& array) {
  if (auto ordered = needsOrder("unique", array->type); !ordered)
    return ordered.error();
  auto sorted = makeRows(BSGP_ROWS_SORT, array, std::nullopt, false);
  if (!sorted || (*sorted)->elements() == 0)
    return sorted;
  int64_t by = 1;
  auto before = makeShift(*sorted, &by, {BSGP_BORDER_CLAMP, {}});
  auto index = makeIndex((*sorted)->shape, 0);
  if (!before || !index)
    return before ? index : before;
  int64_t zero = 0;
  NodeRef differ[] = {*sorted, *before}, first[] = {*index, makeScalar(&zero, BSGP_INT64, false)};
  auto differs = makeApply(BSGP_OP_NOT_EQUAL, differ), is_first = makeApply(BSGP_OP_EQUAL, first);
  if (!differs || !is_first)
    return differs ? is_first : differs;
  NodeRef either[] = {*differs, *is_first};
  auto flags = makeApply(BSGP_OP_LOGICAL_OR, either);
  return flags ? makeCompress(*sorted, *flags) : flags;
}

} // namespace bsgp::arrays

// Parts of the C functions.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>

#include "arrays/engine.h"
#include "arrays/open.h"
#include "runtime/guarded.h"

namespace bsgp::arrays {

inline Node* nodeOf(const bsgp_array* array) {
  return const_cast<Node*>(reinterpret_cast<const Node*>(array));
}

// Another owner of an operand.
inline NodeRef refTo(const bsgp_array* array) {
  return NodeRef::to(*nodeOf(array));
}

inline bool isType(bsgp_dtype dtype) {
  return dtype >= 0 && dtype < BSGP_DTYPE_COUNT;
}

// An array that was not made: the error of the call that should have made it is still the last one.
inline std::string nullMessage() {
  const std::string begin = "an array is NULL: the call that should have made it has failed",
                    last = bsgp_error_message();
  return last.starts_with(begin) ? last : begin + (last.empty() ? "" : "; the last error was: ") + last;
}

// The status of a call that failed so, BSGP_OUT_OF_MEMORY, or BSGP_INTERRUPTED; bsgp_array_mistake is its kind.
bsgp_status failed(bsgp_status status, const Error& error);

// Gives `*out` the array that `function` makes.
template <class Function> bsgp_status making(bsgp_array** out, Function function) {
  *out = nullptr;
  return runtime::guardedCall("an array", [&] {
    Result<NodeRef> made = function();
    if (!made)
      return failed(BSGP_INVALID, made.error());
    evaluateLongChain(**made);
    *out = reinterpret_cast<bsgp_array*>(made->take());
    return BSGP_OK;
  });
}

// The same of operands: make(span of their nodes), which is called again later where one is open. It owns what it captures.
template <class Make> bsgp_status makingOf(bsgp_array** out, std::span<bsgp_array* const> operands, const Make& make) {
  return making(out, [&]() -> Result<NodeRef> {
    NodeRef few[3];
    std::vector<NodeRef> many(operands.size() > std::size(few) ? operands.size() : 0);
    NodeRef* nodes = many.empty() ? few : many.data();
    bool is_open = false;
    if (std::find(operands.begin(), operands.end(), nullptr) != operands.end())
      return Error{nullMessage()};
    for (size_t i = 0; i < operands.size(); ++i)
      nodes[i] = refTo(operands[i]), is_open |= isOpen(*nodes[i]);
    std::span<const NodeRef> all(nodes, operands.size());
    return is_open ? makeOpen(all, make) : make(all);
  });
}
template <class Make>
bsgp_status makingOf(bsgp_array** out, std::initializer_list<bsgp_array*> operands, const Make& make) {
  return makingOf(out, std::span(operands.begin(), operands.size()), make);
}

// Numbers of the caller, one for each axis. Of too many axes one more than there may be is enough to be found out.
template <class T> struct Numbers {
  Numbers(const T* from, int32_t given) : count(std::clamp(given, 0, int32_t(BSGP_MOST_AXES) + 1)) {
    std::copy(from, from + count, values.begin());
  }
  const T* data() const { return values.data(); }
  std::span<const T> span() const { return {values.data(), size_t(count)}; }

  int32_t count;
  std::array<T, BSGP_MOST_AXES + 1> values;
};
template <class T> Numbers<T> eachAxis(const bsgp_array* array, const T* numbers) {
  return {numbers, nodeOf(array)->shape.rank};
}

} // namespace bsgp::arrays

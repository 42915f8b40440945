// The C functions of parameters and functions.
#include "arrays/api_parts.h"
#include "arrays/cut.h"
#include "arrays/function.h"

using namespace bsgp;
using namespace bsgp::arrays;

namespace {

arrays::Function* functionOf(bsgp_array_function* function) {
  return reinterpret_cast<arrays::Function*>(function);
}

std::vector<NodeRef> refsTo(int32_t count, bsgp_array* const* arrays) {
  std::vector<NodeRef> all;
  for (int32_t i = 0; i < count; ++i)
    all.push_back(refTo(arrays[i]));
  return all;
}

std::vector<NodeRef> refsTo(const bsgp_array_list& list) {
  return refsTo(list.count, list.arrays);
}

bsgp_status createFunction(const std::vector<NodeRef>& parameters, const std::vector<NodeRef>& outputs, bool is_stage,
                           bsgp_array_function** out) {
  *out = nullptr;
  return runtime::guardedCall("a function of arrays", [&] {
    auto made = arrays::Function::make(parameters, outputs, is_stage);
    if (!made)
      return failed(BSGP_INVALID, made.error());
    *out = reinterpret_cast<bsgp_array_function*>(made->release());
    return BSGP_OK;
  });
}

} // namespace

bsgp_status bsgp_array_parameter(bsgp_dtype dtype, int32_t rank, const int64_t* shape, bsgp_array** out) {
  return making(out, [&]() -> Result<NodeRef> {
    if (!isType(dtype))
      return Error{"parameter: there is no such type of elements"};
    return makeParameter(dtype, rank, shape);
  });
}

bsgp_status bsgp_array_number_parameter(bsgp_dtype dtype, bsgp_array** out) {
  return making(out, [&]() -> Result<NodeRef> {
    if (dtype != BSGP_BOOL && dtype != BSGP_INT64 && dtype != BSGP_FLOAT64 && dtype != BSGP_COMPLEX128)
      return Error{"parameter: a number is of type bool, int64, float64 or complex128", Mistake::Type};
    auto made = makeParameter(dtype, 0, nullptr);
    if (made)
      (*made)->weak = true;
    return made;
  });
}

uint32_t bsgp_arrays_set_scope(uint32_t scope) {
  return std::exchange(currentScope(), scope);
}

int32_t bsgp_array_is_weak(const bsgp_array* array) {
  return nodeOf(array)->weak;
}

bsgp_status bsgp_array_cut(const bsgp_array_list* roots, const bsgp_array_list* known, const bsgp_array_list* earlier,
                           uint32_t scope, int32_t* is_reached, bsgp_array_list* crossing) {
  return runtime::guardedCall("a graph of arrays", [&] {
    thread_local Cut last;
    last = cutOf(refsTo(*roots), refsTo(*known), refsTo(*earlier), scope);
    std::copy(last.is_reached.begin(), last.is_reached.end(), is_reached);
    static_assert(sizeof(NodeRef) == sizeof(bsgp_array*));
    *crossing = {int32_t(last.crossing.size()), reinterpret_cast<bsgp_array* const*>(last.crossing.data())};
    return BSGP_OK;
  });
}

bsgp_status bsgp_array_stage_create(const bsgp_array_list* parameters, const bsgp_array_list* outputs,
                                    bsgp_array_function** out) {
  return createFunction(refsTo(*parameters), refsTo(*outputs), true, out);
}

bsgp_status bsgp_array_function_create(int32_t parameter_count, bsgp_array* const* parameters, int32_t output_count,
                                       bsgp_array* const* outputs, bsgp_array_function** out) {
  return createFunction(refsTo(parameter_count, parameters), refsTo(output_count, outputs), false, out);
}

bsgp_status bsgp_array_function_call(bsgp_array_function* function, int32_t argument_count,
                                     bsgp_array* const* arguments, bsgp_array** results) {
  return runtime::guardedCall("a function of arrays", [&] {
    bool is_refused = false;
    auto called = functionOf(function)->call(refsTo(argument_count, arguments), is_refused);
    if (!called)
      return failed(is_refused ? BSGP_INVALID : BSGP_FAILED, called.error());
    for (size_t i = 0; i < called->size(); ++i)
      results[i] = reinterpret_cast<bsgp_array*>((*called)[i].take());
    return BSGP_OK;
  });
}

bsgp_status bsgp_array_function_apply(bsgp_array_function* function, int32_t argument_count,
                                      bsgp_array* const* arguments, bsgp_array** results) {
  return runtime::guardedCall("a function of arrays", [&] {
    auto applied = functionOf(function)->apply(refsTo(argument_count, arguments));
    if (!applied)
      return failed(BSGP_INVALID, applied.error());
    for (size_t i = 0; i < applied->size(); ++i)
      results[i] = reinterpret_cast<bsgp_array*>((*applied)[i].take());
    return BSGP_OK;
  });
}

bsgp_status bsgp_array_function_explain(bsgp_array_function* function, int32_t argument_count,
                                        bsgp_array* const* arguments, const char** text, bsgp_array_counts* counts) {
  return runtime::guardedCall("a function of arrays", [&] {
    auto explained = functionOf(function)->explainCall(refsTo(argument_count, arguments));
    if (!explained)
      return failed(BSGP_INVALID, explained.error());
    thread_local std::string last;
    last = explained->text;
    *text = last.c_str();
    *counts = {explained->kernels, explained->operations, explained->bytes_written};
    return BSGP_OK;
  });
}

void bsgp_array_function_release(bsgp_array_function* function) {
  delete functionOf(function);
}

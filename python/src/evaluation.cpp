// Computing arrays, and looking inside.
#include "bindings.h"

namespace bsgp::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// An assignment in another thread may give an object another array meanwhile.
std::vector<Handle> keptAll(const std::vector<Given>& arrays) {
  std::vector<Handle> all;
  for (const Given& each : arrays)
    all.push_back(Handle::to(each.array));
  return all;
}

void evaluateAll(const std::vector<Given>& arrays) {
  std::vector<Handle> kept = keptAll(arrays);
  auto all = arraysOf(arrays);
  bsgp_status status;
  {
    LongCall others_run;
    status = bsgp_array_eval(int32_t(all.size()), all.data());
  }
  check(status);
}

// The text, and kernels, operations and bytes written.
nb::tuple explained(const std::vector<Given>& arrays) {
  std::vector<Handle> kept = keptAll(arrays);
  auto all = arraysOf(arrays);
  bsgp_array_counts counts{};
  const char* text = nullptr;
  bsgp_status status;
  {
    LongCall others_run;
    status = bsgp_array_explain_counts(int32_t(all.size()), all.data(), &counts);
    if (status == BSGP_OK)
      status = bsgp_array_explain(int32_t(all.size()), all.data(), &text);
  }
  check(status);
  return nb::make_tuple(text, counts.kernels, counts.operations, counts.bytes_written);
}

nb::tuple statistics() {
  bsgp_array_statistics all{};
  bsgp_arrays_statistics(&all);
  return nb::make_tuple(all.live_bytes, all.evaluations, all.kernels, all.compiled);
}

nb::tuple getOptions() {
  bsgp_array_options all{};
  bsgp_arrays_get_options(&all);
  return nb::make_tuple(all.threads, !all.unfused, all.compile, all.most_pending_bytes, all.target ? all.target : "cpu",
                        all.exact != 0);
}

void setOptions(uint32_t threads, bool fuse, int32_t compile, int64_t most_pending_bytes, const std::string& target,
                bool exact) {
  bsgp_array_options wanted{threads, fuse ? 0 : 1, compile, most_pending_bytes, target.c_str(), exact ? 1 : 0};
  bsgp_status status;
  {
    LongCall others_run;
    status = bsgp_arrays_set_options(&wanted);
  }
  if (status == BSGP_INVALID)
    throw nb::value_error(bsgp_error_message());
  check(status);
}

} // namespace

void bindEvaluation(nb::module_& m) {
  m.def("eval", &evaluateAll, "arrays"_a);
  m.def("explain", &explained, "arrays"_a);
  m.def("statistics", &statistics);
  m.def("get_options", &getOptions);
  m.def("set_options", &setOptions, "threads"_a, "fuse"_a, "compile"_a, "most_pending_bytes"_a, "target"_a, "exact"_a);
  m.def("is_open", [](Given a) { return bsgp_array_is_open(a.array) != 0; }, "a"_a);
  m.def("is_computed", [](Given a) { return bsgp_array_is_computed(a.array) != 0; }, "a"_a);
  m.def(
      "set_origin",
      [](std::optional<std::string> place) { check(bsgp_arrays_set_origin(place ? place->c_str() : nullptr)); },
      "place"_a.none());
  // An assignment to elements: the object has the value of another one from now on.
  m.def(
      "replace",
      [](nb::handle array, Given value) {
        if (!isArray(array.ptr()))
          throw nb::type_error("replace: no array");
        bsgp_array* before = std::exchange(handleOf(array.ptr()), bsgp_array_retain(value.array));
        bsgp_array_release(before);
      },
      "array"_a, "value"_a);
}

} // namespace bsgp::python

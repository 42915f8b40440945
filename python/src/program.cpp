// Compiling a text, and the contexts that its functions run in.
#include <cstdio>

#include "bindings.h"
#include "interrupts.h"
#include "kernel.h"

namespace bsgp::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

constexpr const char* kProgram = "bsgp.program";

// The objects that code and names belong to: a program, destroyed with the last of its functions.
PyObject* capsuleOf(bsgp_program* program) {
  return PyCapsule_New(program, kProgram, [](PyObject* capsule) {
    bsgp_program_destroy(static_cast<bsgp_program*>(PyCapsule_GetPointer(capsule, kProgram)));
  });
}

nb::dict functionsOf(nb::handle capsule, bsgp_program* program, const Place* place) {
  nb::dict functions;
  for (uint32_t i = 0; i < bsgp_program_export_count(program); ++i) {
    const bsgp_export* facts = nullptr;
    check(bsgp_program_export(program, i, &facts));
    PyObject* made = makeFunction(capsule.ptr(), facts, place);
    if (!made)
      throw nb::python_error();
    functions[facts->name] = nb::steal(made);
  }
  return functions;
}

const Place* placeOf(uintptr_t number) {
  return reinterpret_cast<const Place*>(number);
}

// The functions by their names, and the compiler's warnings; or a text: the program's errors.
nb::object compiled(bsgp_status (*compile)(const char*, const bsgp_compile_options*, bsgp_program**),
                    const std::string& text, const std::string& name, uintptr_t place, const std::string& fp,
                    int32_t opt_level, const std::vector<std::string>& include_dirs, const std::string& check_for,
                    bool debug) {
  std::vector<const char*> folders;
  for (const std::string& folder : include_dirs)
    folders.push_back(folder.c_str());
  bsgp_compile_options options = BSGP_COMPILE_OPTIONS_INIT;
  options.name = name.c_str();
  options.fp = fp.c_str();
  options.opt_level = opt_level;
  options.include_dirs = folders.data();
  options.include_dir_count = uint32_t(folders.size());
  options.reference = std::string_view(bsgp_context_target(placeOf(place)->context)) == "reference";
  options.gpu = placeOf(place)->is_gpu ? "native" : nullptr;
  options.check = check_for.empty() ? nullptr : check_for.c_str();
  options.debug = debug;
  bsgp_program* program = nullptr;
  bsgp_status status;
  {
    LongCall others_run;
    status = compile(text.c_str(), &options, &program);
  }
  if (status == BSGP_INVALID)
    return nb::str(bsgp_error_message());
  if (status)
    check(status);
  nb::object capsule = nb::steal(capsuleOf(program));
  if (!capsule.is_valid())
    throw nb::python_error();
  std::string warnings = bsgp_program_warnings(program);
  return nb::make_tuple(functionsOf(capsule, program, placeOf(place)), warnings, bsgp_program_header(program));
}

nb::object compiledText(const std::string& text, const std::string& name, uintptr_t place, const std::string& fp,
                        int32_t opt_level, const std::vector<std::string>& include_dirs, const std::string& check_for,
                        bool debug) {
  return compiled(bsgp_compile, text, name, place, fp, opt_level, include_dirs, check_for, debug);
}

nb::object compiledTree(const std::string& tree, uintptr_t place, const std::string& fp, int32_t opt_level,
                        const std::string& check_for, bool debug) {
  return compiled(bsgp_compile_tree, tree, "", place, fp, opt_level, {}, check_for, debug);
}

nb::object shaped(nb::handle function, nb::tuple names, nb::bytes ranks) {
  PyObject* made = withRanks(function.ptr(), names.ptr(), ranks.ptr());
  if (!made)
    throw nb::python_error();
  return nb::steal(made);
}

bsgp_context* contextOf(const std::string& target, const std::string& check_for, const char* profile) {
  bsgp_options options = BSGP_OPTIONS_INIT;
  options.target = target.c_str();
  options.check = check_for.empty() ? "off" : check_for.c_str();
  options.profile = profile;
  bsgp_context* context = nullptr;
  {
    LongCall others_run;
    context = bsgp_context_create(&options);
  }
  if (!context)
    check(bsgp_error_status());
  return context;
}

// A place for functions; it stays as long as the process.
uintptr_t madePlace(const std::string& target, const std::string& check_for) {
  bsgp_context* context = contextOf(target, check_for, "0");
  bool is_gpu = std::string_view(bsgp_context_target(context)) == "cuda";
  return reinterpret_cast<uintptr_t>(new Place{context, is_gpu || !check_for.empty(), is_gpu});
}

// From now on calls of the place run in a context with a profile; gives the one in which they ran before.
uintptr_t beginProfile(uintptr_t place) {
  auto* changed = reinterpret_cast<Place*>(place);
  bsgp_context* measured = contextOf(bsgp_context_target(changed->context), "", "1");
  return reinterpret_cast<uintptr_t>(std::exchange(changed->context, measured));
}

// Writes the events to a file, in the trace event format; calls run in the context of before again.
void endProfile(uintptr_t place, uintptr_t before, const std::string& trace) {
  auto* changed = reinterpret_cast<Place*>(place);
  bsgp_context* measured = std::exchange(changed->context, reinterpret_cast<bsgp_context*>(before));
  check(bsgp_profile_end(measured, trace.c_str()));
  check(bsgp_context_destroy(measured));
}

} // namespace

void bindPrograms(nb::module_& m) {
  watchSignals();
  if (!makeFunctionType(m.ptr()))
    throw nb::python_error();
  m.def("compile_tree", &compiledTree, "tree"_a, "place"_a, "fp"_a, "opt_level"_a, "check"_a, "debug"_a);
  m.def("with_ranks", &shaped, "function"_a, "names"_a, "ranks"_a);
  m.def("compile", &compiledText, "text"_a, "name"_a, "place"_a, "fp"_a, "opt_level"_a, "include_dirs"_a, "check"_a,
        "debug"_a);
  m.def("place", &madePlace, "target"_a, "check"_a);
  m.def("begin_profile", &beginProfile, "place"_a);
  m.def("end_profile", &endProfile, "place"_a, "before"_a, "trace"_a);
}

} // namespace bsgp::python

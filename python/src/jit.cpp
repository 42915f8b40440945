// bsgp.jit and bsgp.function: a function of Python whose operations are traced once for arguments of some types, and of some shapes or ranks.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include <nanobind/nanobind.h>

#include "computation.h"

namespace bsgp::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// An argument as far as a graph depends on it. A constant that is equal to itself alone is an Object, which a weak reference holds.
struct Form {
  enum Kind { Values, Float, Constant, Object } kind;
  bsgp_dtype dtype = BSGP_FLOAT64;
  int32_t rank = 0;
  int64_t extents[BSGP_MOST_AXES] = {};
  nb::object constant = {};
};

bool isArgument(const Form& form) {
  return form.kind == Form::Values || form.kind == Form::Float;
}

// Whether no other object is equal to it, so that nothing is lost if it is forgotten when it is gone.
bool isObject(PyObject* value) {
  return PyType_SUPPORTS_WEAKREFS(Py_TYPE(value)) && Py_TYPE(value)->tp_richcompare == PyBaseObject_Type.tp_richcompare;
}

// when_gone: a function of the weak reference.
Form formOf(nb::handle value, nb::handle when_gone) {
  if (PyFloat_CheckExact(value.ptr()))
    return {Form::Float};
  if (!isArray(value.ptr()) && isObject(value.ptr())) {
    nb::object reference = nb::steal(PyWeakref_NewRef(value.ptr(), when_gone.ptr()));
    if (!reference.is_valid())
      throw nb::python_error();
    return {Form::Object, BSGP_FLOAT64, 0, {}, reference};
  }
  if (!isArray(value.ptr()))
    return {Form::Constant, BSGP_FLOAT64, 0, {}, nb::borrow(value)};
  bsgp_array* array = handleOf(value.ptr());
  Form form{Form::Values, bsgp_array_dtype(array), bsgp_array_rank(array)};
  std::copy(bsgp_array_shape(array), bsgp_array_shape(array) + form.rank, form.extents);
  return form;
}

// Equal, and of the same types: (1,) == (1.0,) == (True,), and 0.0 == -0.0, but they give other results.
bool isSame(PyObject* a, PyObject* b) {
  if (a == b || Py_TYPE(a) != Py_TYPE(b))
    return a == b;
  if (PyFloat_CheckExact(a)) {
    double numbers[] = {PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b)};
    return std::memcmp(numbers, numbers + 1, sizeof(double)) == 0;
  }
  if (PyComplex_CheckExact(a)) {
    Py_complex numbers[] = {PyComplex_AsCComplex(a), PyComplex_AsCComplex(b)};
    return std::memcmp(numbers, numbers + 1, sizeof(Py_complex)) == 0;
  }
  if (PyTuple_CheckExact(a)) {
    bool same = PyTuple_GET_SIZE(a) == PyTuple_GET_SIZE(b);
    for (Py_ssize_t i = 0; same && i < PyTuple_GET_SIZE(a); ++i)
      same = isSame(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i));
    return same;
  }
  int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0)
    throw nb::python_error();
  return equal != 0;
}

// has_shapes: whether a graph depends on them; else on ranks alone.
bool fits(const Form& form, PyObject* value, bool has_shapes) {
  if (isArray(value)) {
    bsgp_array* array = handleOf(value);
    return form.kind == Form::Values && form.dtype == bsgp_array_dtype(array) && form.rank == bsgp_array_rank(array) &&
           (!has_shapes || std::equal(form.extents, form.extents + form.rank, bsgp_array_shape(array)));
  }
  if (PyFloat_CheckExact(value))
    return form.kind == Form::Float;
  if (form.kind == Form::Object)
    return PyWeakref_GET_OBJECT(form.constant.ptr()) == value;
  return form.kind == Form::Constant && isSame(value, form.constant.ptr());
}

struct Traced {
  std::vector<Form> forms;
  nb::object names; // of keyword arguments, a tuple
  nb::object bound; // owns the computation
  const Computation* computation = nullptr;
  nb::object rebuild; // makes a result of the outputs; none: it is the only one
};

using Graphs = std::vector<std::shared_ptr<Traced>>;

bool isGone(const Traced& traced) {
  return std::any_of(traced.forms.begin(), traced.forms.end(), [](const Form& form) {
    return form.kind == Form::Object && PyWeakref_GET_OBJECT(form.constant.ptr()) == Py_None;
  });
}

// Drops graphs of objects that are gone. What they own may call Python when it is destroyed, so that is done last.
void dropGone(Graphs& graphs) {
  auto begin = std::stable_partition(graphs.begin(), graphs.end(), [](auto& each) { return !isGone(*each); });
  Graphs gone(std::make_move_iterator(begin), std::make_move_iterator(graphs.end()));
  graphs.erase(begin, graphs.end());
}

thread_local int graphs_in_making = 0;

// Arrays that the thread makes belong to a scope until the end; 0: to a new one. Returns it and the one before.
nb::tuple beginGraph(uint32_t scope) {
  static std::atomic<uint32_t> scopes{0};
  if (scope == 0)
    scope = ++scopes;
  ++graphs_in_making;
  scopeInMaking() = scope;
  return nb::make_tuple(scope, bsgp_arrays_set_scope(scope));
}
void endGraph(uint32_t scope_before) {
  --graphs_in_making;
  scopeInMaking() = scope_before;
  bsgp_arrays_set_scope(scope_before);
}

class Jitted {
public:
  Jitted(nb::object function, nb::object trace, nb::object as_argument, bool has_shapes)
      : function_(std::move(function)), trace_(std::move(trace)), as_argument_(std::move(as_argument)),
        when_gone_(nb::cpp_function([graphs = std::weak_ptr<Graphs>(traced_)](nb::handle) {
          if (std::shared_ptr<Graphs> alive = graphs.lock())
            dropGone(*alive);
        })),
        has_shapes_(has_shapes) {}

  nb::object call(const nb::args& positional, const nb::kwargs& keywords) {
    if (graphs_in_making > 0) // its operations become those of the function that calls it
      return function_(*positional, **keywords);
    std::vector<nb::object> arguments = converted(positional, keywords);
    return run(*tracedFor(positional, keywords, arguments), arguments);
  }

  nb::object explain(const nb::args& positional, const nb::kwargs& keywords) {
    std::vector<nb::object> arguments = converted(positional, keywords);
    std::shared_ptr<Traced> traced = tracedFor(positional, keywords, arguments);
    nb::list given;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (isArgument(traced->forms[i]))
        given.append(arguments[i]);
    return nb::module_::import_("bsgp._evaluation").attr("Explanation")(*traced->bound.attr("explain")(*given));
  }

  int traverse(visitproc visit, void* arg) {
    Py_VISIT(function_.ptr());
    Py_VISIT(trace_.ptr());
    Py_VISIT(as_argument_.ptr());
    Py_VISIT(when_gone_.ptr());
    for (auto& each : *traced_) {
      Py_VISIT(each->rebuild.ptr());
      for (Form& form : each->forms)
        Py_VISIT(form.constant.ptr());
    }
    return 0;
  }
  void clear() {
    Graphs(std::move(*traced_)).clear();
    function_.reset(), trace_.reset(), as_argument_.reset(), when_gone_.reset();
  }

private:
  std::shared_ptr<Traced> tracedFor(const nb::args& positional, const nb::kwargs& keywords,
                                    const std::vector<nb::object>& arguments) {
    nb::object names = nb::steal(keywords.size() ? PySequence_Tuple(keywords.ptr()) : PyTuple_New(0));
    for (size_t i = traced_->size(); i-- > 0;) {
      // A comparison may call the function.
      std::shared_ptr<Traced> each = i < traced_->size() ? (*traced_)[i] : nullptr;
      if (each && fitsAll(*each, arguments, names))
        return each;
    }
    return made(positional, keywords, arguments, names);
  }

  std::vector<nb::object> converted(const nb::args& positional, const nb::kwargs& keywords) const {
    std::vector<nb::object> all;
    all.reserve(positional.size() + keywords.size());
    for (nb::handle value : positional)
      add(value, all);
    for (auto [name, value] : keywords)
      add(value, all);
    return all;
  }

  // Tuples, lists and dicts become a tuple of their type and count or keys, a constant that no other argument is like; their parts follow.
  void add(nb::handle value, std::vector<nb::object>& all) const {
    if (isArray(value.ptr()) || isNumber(value.ptr()))
      return all.push_back(nb::borrow(value));
    bool is_dict = PyDict_Check(value.ptr());
    if (!is_dict && !PyTuple_Check(value.ptr()) && !PyList_Check(value.ptr()))
      return all.push_back(as_argument_(value));
    nb::object keys = is_dict ? nb::object(nb::tuple(nb::steal(PyDict_Keys(value.ptr())))) : nb::none();
    nb::tuple parts(is_dict ? nb::steal(PyDict_Values(value.ptr())) : nb::borrow(value));
    if (Py_EnterRecursiveCall(" in an argument"))
      throw nb::python_error();
    all.push_back(nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr()))), parts.size(), keys));
    try {
      for (nb::handle part : parts)
        add(part, all);
    } catch (...) {
      Py_LeaveRecursiveCall();
      throw;
    }
    Py_LeaveRecursiveCall();
  }

  bool fitsAll(const Traced& traced, const std::vector<nb::object>& arguments, const nb::object& names) const {
    if (traced.forms.size() != arguments.size())
      return false;
    if (PyTuple_GET_SIZE(names.ptr()) || PyTuple_GET_SIZE(traced.names.ptr()))
      if (!names.equal(traced.names))
        return false;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (!fits(traced.forms[i], arguments[i].ptr(), has_shapes_))
        return false;
    return true;
  }

  std::shared_ptr<Traced> made(const nb::args& positional, const nb::kwargs& keywords,
                               const std::vector<nb::object>& arguments, const nb::object& names) {
    Traced traced;
    for (const nb::object& argument : arguments)
      traced.forms.push_back(formOf(argument, when_gone_));
    auto result = nb::cast<nb::tuple>(trace_(function_, positional, keywords));
    traced.names = names;
    traced.bound = nb::borrow(result[0]);
    traced.rebuild = nb::borrow(result[1]);
    traced.computation = nb::cast<const Computation*>(traced.bound);
    std::shared_ptr<Traced> oldest;
    if (traced_->size() >= kMostGraphs) {
      oldest = std::move(traced_->front());
      traced_->erase(traced_->begin());
    }
    return traced_->emplace_back(std::make_shared<Traced>(std::move(traced)));
  }

  static nb::object run(const Traced& traced, const std::vector<nb::object>& arguments) {
    constexpr size_t kFew = 12;
    bsgp_array* few[2 * kFew];
    size_t outputs = traced.computation->outputs();
    std::vector<bsgp_array*> many(traced.forms.size() + outputs > 2 * kFew ? traced.forms.size() + outputs : 0);
    bsgp_array** handles = many.empty() ? few : many.data();
    std::vector<Handle> owned;
    owned.reserve(arguments.size());
    int32_t count = 0;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!isArgument(traced.forms[i]))
        continue;
      Operand operand(arguments[i].ptr(), Strength::Weak);
      if (!operand)
        throw nb::python_error();
      owned.push_back(Handle::to(operand.get()));
      handles[count++] = operand.get();
    }
    bsgp_array** results = handles + count;
    bsgp_status status;
    {
      LongCall others_run;
      status = traced.computation->call(count, handles, results);
    }
    checkComputed(status);
    if (traced.rebuild.is_none())
      return nb::steal(wrapped(Handle(results[0])));
    nb::list all;
    for (size_t i = 0; i < outputs; ++i)
      all.append(nb::steal(wrapped(Handle(results[i]))));
    return traced.rebuild(all);
  }

  static constexpr size_t kMostGraphs = 256; // the oldest goes
  std::shared_ptr<Graphs> traced_ = std::make_shared<Graphs>();
  nb::object function_, trace_, as_argument_, when_gone_;
  bool has_shapes_;
};

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  PyObject** dict = _PyObject_GetDictPtr(self);
  if (dict)
    Py_VISIT(*dict);
  return nb::inst_ready(self) ? nb::inst_ptr<Jitted>(self)->traverse(visit, arg) : 0;
}
int clear(PyObject* self) {
  PyObject** dict = _PyObject_GetDictPtr(self);
  if (dict)
    Py_CLEAR(*dict);
  nb::inst_ptr<Jitted>(self)->clear();
  return 0;
}
PyType_Slot slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {0, nullptr},
};

} // namespace

void bindJit(nb::module_& m) {
  m.def("begin_graph", &beginGraph, "scope"_a);
  m.def("end_graph", &endGraph, "scope_before"_a);
  nb::class_<Jitted>(m, "Jitted", nb::dynamic_attr(), nb::type_slots(slots),
                     "A function that is traced once for arguments of some types, and of some shapes or ranks.")
      .def(nb::init<nb::object, nb::object, nb::object, bool>(), "function"_a, "trace"_a, "as_argument"_a,
           "has_shapes"_a)
      .def("__call__", &Jitted::call)
      .def("explain", &Jitted::explain)
      .def(
          "__get__",
          [](nb::object self, nb::object owner, nb::object) -> nb::object {
            return owner.is_none() ? self : nb::steal(PyMethod_New(self.ptr(), owner.ptr()));
          },
          "owner"_a.none(), "type"_a = nb::none());
}

} // namespace bsgp::python

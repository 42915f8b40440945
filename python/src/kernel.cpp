#include "kernel.h"

#include <algorithm>
#include <cstring>

#include <structmember.h>

#include "arguments.h"
#include "interrupts.h"

namespace bsgp::python {

namespace {

PyTypeObject* function_type = nullptr;

// Few of something, without an allocation.
template <class T, size_t kInside> class Few {
public:
  explicit Few(size_t count) : more_(count > kInside ? new T[count]() : nullptr), all_(more_ ? more_.get() : inside_) {}
  T* data() { return all_; }
  T& operator[](size_t i) { return all_[i]; }

private:
  T inside_[kInside]{};
  std::unique_ptr<T[]> more_;
  T* all_;
};
constexpr size_t kFew = 6;

FunctionObject* functionOf(PyObject* object) {
  return reinterpret_cast<FunctionObject*>(object);
}

// Those that Python sees.
Py_ssize_t parametersOf(const FunctionObject& self) {
  return PyTuple_GET_SIZE(self.names);
}

// -1: the parameter is no array with extents.
int rankOf(const FunctionObject& self, Py_ssize_t place) {
  return self.ranks ? static_cast<signed char>(PyBytes_AS_STRING(self.ranks)[place]) : kOfText;
}

// "const float3&", "float32[:, :]"
std::string typeOf(const FunctionObject& self, const bsgp_parameter& param, int rank) {
  bool is_const = param.by_reference && param.is_const && rank == kOfText;
  return (is_const ? "const " : "") + spelled(param.type, {self.facts, &param, rank}) + (param.by_reference ? "&" : "");
}

struct Seen {
  const char* name;
  std::string type;
};

// The parameters as Python sees them.
std::vector<Seen> seenOf(const FunctionObject& self) {
  std::vector<Seen> all;
  uint32_t fact = 0;
  for (Py_ssize_t i = 0; i < parametersOf(self); ++i) {
    const bsgp_parameter& param = self.facts->parameters[fact];
    all.push_back({PyUnicode_AsUTF8(PyTuple_GET_ITEM(self.names, i)), typeOf(self, param, rankOf(self, i))});
    fact += 1 + uint32_t(std::max(rankOf(self, i), 0));
  }
  return all;
}

std::string signatureOf(const FunctionObject& self) {
  std::string parameters;
  for (const Seen& each : seenOf(self))
    parameters +=
        (parameters.empty() ? "" : ", ") + (self.ranks ? each.name + (": " + each.type) : each.type + " " + each.name);
  parameters = self.facts->name + ("(" + parameters + ")");
  std::string result = spelled(self.facts->result, {self.facts, nullptr, self.ranks ? -1 : kOfText});
  return self.ranks ? parameters + " -> " + result : result + " " + parameters;
}

PyObject* refuseCall(const FunctionObject& self, const std::string& words) {
  PyErr_Format(PyExc_TypeError, "%s: %s\n  it is %s", self.facts->name, words.c_str(), signatureOf(self).c_str());
  return nullptr;
}

int placeOf(const FunctionObject& self, PyObject* name) {
  auto count = parametersOf(self);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (PyTuple_GET_ITEM(self.names, i) == name)
      return int(i);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(self.names, i), name) == 0)
      return int(i);
  return -1;
}

// Brings the arguments into the order of the parameters.
bool arrange(const FunctionObject& self, PyObject* const* given, Py_ssize_t positional, PyObject* keywords,
             PyObject** ordered) {
  auto wanted = parametersOf(self), named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  if (positional > wanted)
    return refuseCall(self, std::to_string(positional) + " arguments were given, it takes " + std::to_string(wanted)),
           false;
  for (Py_ssize_t i = 0; i < positional; ++i)
    ordered[i] = given[i];
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* name = PyTuple_GET_ITEM(keywords, i);
    int place = placeOf(self, name);
    const char* text = PyUnicode_AsUTF8(name);
    if (place < 0)
      return refuseCall(self, std::string("there is no parameter '") + (text ? text : "?") + "'"), false;
    if (ordered[place])
      return refuseCall(self, std::string("the argument '") + (text ? text : "?") + "' was given twice"), false;
    ordered[place] = given[positional + i];
  }
  for (Py_ssize_t i = 0; i < wanted; ++i)
    if (!ordered[i])
      return refuseCall(self, std::string("the argument '") + seenOf(self)[size_t(i)].name + "' is missing"), false;
  return true;
}

PyObject* raiseFailure(bsgp_status status) {
  if (status == BSGP_INTERRUPTED || status == BSGP_OUT_OF_MEMORY)
    return raise(status);
  PyErr_SetString(exceptions().error, bsgp_error_message());
  return nullptr;
}

bool canReturn(const bsgp_export& facts) {
  if (facts.result->kind == BSGP_TYPE_VOID || isValue(facts.result))
    return true;
  PyErr_Format(PyExc_TypeError,
               "%s: it returns a %s, which Python cannot own\n  help: let it write to an array that it is given",
               facts.name, spelled(facts.result).c_str());
  return false;
}

// Sets the arguments and their addresses, for each parameter of the program. `extents` has room for as many.
bool setArguments(const FunctionObject& self, PyObject* const* ordered, const Place& place, Argument* arguments,
                  int64_t* extents, void** addresses) {
  size_t fact = 0;
  for (Py_ssize_t i = 0; i < parametersOf(self); ++i) {
    int rank = rankOf(self, i);
    Where where{self.facts, &self.facts->parameters[fact], rank};
    if (!arguments[i].set(ordered[i], where, place))
      return false;
    if (rank >= 0 && !arguments[i].extents(rank, extents + fact, where))
      return false;
    for (Py_ssize_t before = 0; arguments[i].written() && before < i; ++before)
      if (arguments[before].written() == arguments[i].written())
        return refuse(PyExc_ValueError, where, "two arrays, or one of NumPy, whose memory both parameters have",
                      "is the same array as another argument, and the function may write to both");
    addresses[fact++] = arguments[i].address();
    for (int axis = 0; axis < rank; ++axis, ++fact)
      addresses[fact] = extents + fact - 1;
  }
  return true;
}

bool finishArguments(const FunctionObject& self, Argument* arguments) {
  size_t fact = 0;
  for (Py_ssize_t i = 0; i < parametersOf(self); ++i) {
    if (!arguments[i].finish({self.facts, &self.facts->parameters[fact]}))
      return false;
    fact += 1 + size_t(std::max(rankOf(self, i), 0));
  }
  return true;
}

PyObject* call(PyObject* object, PyObject* const* given, size_t flags, PyObject* keywords) {
  const FunctionObject& self = *functionOf(object);
  const bsgp_export& facts = *self.facts;
  size_t count = facts.parameter_count;
  Few<PyObject*, kFew> ordered(count);
  if (!arrange(self, given, PyVectorcall_NARGS(flags), keywords, ordered.data()) || !canReturn(facts))
    return nullptr;
  Few<Argument, kFew> arguments(count);
  Few<void*, kFew + 1> addresses(count + 1);
  Few<int64_t, 2 * kFew> extents(self.ranks ? count : 0);
  const Place place = *self.place;
  if (!setArguments(self, ordered.data(), place, arguments.data(), extents.data(), addresses.data()))
    return nullptr;
  struct alignas(16) Chunk {
    char bytes[16];
  };
  Few<Chunk, 4> result(facts.result->size / sizeof(Chunk) + 1);
  addresses[count] = result.data();
  bsgp_status status;
  {
    LongCall others_run;
    status = facts.apply(place.context, addresses.data());
  }
  if (status != BSGP_OK)
    return raiseFailure(status);
  if (!finishArguments(self, arguments.data()))
    return nullptr;
  if (facts.result->kind == BSGP_TYPE_VOID)
    return Py_NewRef(Py_None);
  return readValue(facts.result, reinterpret_cast<const char*>(result.data()));
}

void dealloc(PyObject* object) {
  Py_XDECREF(functionOf(object)->program);
  Py_XDECREF(functionOf(object)->names);
  Py_XDECREF(functionOf(object)->ranks);
  PyTypeObject* type = Py_TYPE(object);
  PyObject_Free(object);
  Py_DECREF(type);
}

PyObject* represent(PyObject* object) {
  return PyUnicode_FromFormat("<function %s>", signatureOf(*functionOf(object)).c_str());
}

// ---- attributes ----

PyObject* getName(PyObject* object, void*) {
  return PyUnicode_FromString(functionOf(object)->facts->name);
}
PyObject* getDoc(PyObject* object, void*) {
  const bsgp_export& facts = *functionOf(object)->facts;
  return PyUnicode_FromFormat("%s\n\n%s:%u", signatureOf(*functionOf(object)).c_str(), facts.file, facts.line);
}
PyObject* getFile(PyObject* object, void*) {
  return PyUnicode_FromString(functionOf(object)->facts->file);
}
PyObject* getLine(PyObject* object, void*) {
  return PyLong_FromUnsignedLong(functionOf(object)->facts->line);
}

PyObject* getResult(PyObject* object, void*) {
  return PyUnicode_FromString(spelled(functionOf(object)->facts->result,
                                      {functionOf(object)->facts, nullptr, functionOf(object)->ranks ? -1 : kOfText})
                                  .c_str());
}

// Pairs of name and type.
PyObject* getParameters(PyObject* object, void*) {
  std::vector<Seen> seen = seenOf(*functionOf(object));
  PyObject* all = PyTuple_New(Py_ssize_t(seen.size()));
  for (size_t i = 0; all && i < seen.size(); ++i) {
    PyObject* pair = Py_BuildValue("(ss)", seen[i].name, seen[i].type.c_str());
    if (!pair)
      Py_CLEAR(all);
    else
      PyTuple_SET_ITEM(all, Py_ssize_t(i), pair);
  }
  return all;
}

// Makes what the module inspect shows, by a module in Python.
PyObject* getSignature(PyObject* object, void*) {
  PyObject* kernels = PyImport_ImportModule("bsgp.kernels");
  PyObject* made = kernels ? PyObject_CallMethod(kernels, "_signature", "O", object) : nullptr;
  Py_XDECREF(kernels);
  return made;
}

PyGetSetDef attributes[] = {
    {"__name__", getName, nullptr, nullptr, nullptr},
    {"__doc__", getDoc, nullptr, nullptr, nullptr},
    {"__signature__", getSignature, nullptr, nullptr, nullptr},
    {"file", getFile, nullptr, "The file or text that declares it.", nullptr},
    {"line", getLine, nullptr, "The line of its declaration.", nullptr},
    {"result", getResult, nullptr, "The type of what it returns.", nullptr},
    {"parameters", getParameters, nullptr, "Pairs of name and type.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyObject* namesOf(const bsgp_export& facts) {
  PyObject* names = PyTuple_New(Py_ssize_t(facts.parameter_count));
  for (uint32_t i = 0; names && i < facts.parameter_count; ++i) {
    PyObject* name = PyUnicode_InternFromString(facts.parameters[i].name);
    if (!name)
      Py_CLEAR(names);
    else
      PyTuple_SET_ITEM(names, i, name);
  }
  return names;
}

// Takes over names and ranks.
PyObject* functionWith(PyObject* program, const bsgp_export* facts, const Place* place, PyObject* names,
                       PyObject* ranks) {
  auto* made = names ? PyObject_New(FunctionObject, function_type) : nullptr;
  if (!made) {
    Py_XDECREF(names);
    Py_XDECREF(ranks);
    return nullptr;
  }
  made->call = call;
  made->program = Py_NewRef(program);
  made->facts = facts;
  made->place = place;
  made->names = names;
  made->ranks = ranks;
  return reinterpret_cast<PyObject*>(made);
}

} // namespace

std::string spelled(const bsgp_type* type) {
  std::string text = type->text;
  for (const char* word : {"device ", "host "})
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
      text.erase(at, std::strlen(word));
  return text;
}

std::string spelled(const bsgp_type* type, const Where& where) {
  if (where.rank == kOfText)
    return spelled(type);
  if (type->kind == BSGP_TYPE_VOID)
    return "None";
  if (type->kind == BSGP_TYPE_STRUCT) {
    std::string parts;
    for (uint32_t i = 0; i < type->field_count; ++i)
      parts += (i ? ", " : "") + spelled(type->fields[i].type, {where.function, nullptr, -1});
    return "tuple[" + parts + "]";
  }
  const bsgp_type* number = type->element ? type->element : type;
  std::string name = number->dtype >= 0 ? bsgp_dtype_name(bsgp_dtype(number->dtype)) : spelled(number);
  if (number == type)
    return name;
  std::string axes;
  for (int axis = 0; axis < where.rank; ++axis)
    axes += axis ? ", :" : "[:";
  return axes.empty() ? "ptr(" + name + ")" : name + axes + "]";
}

PyObject* makeFunction(PyObject* program, const bsgp_export* facts, const Place* place) {
  return functionWith(program, facts, place, namesOf(*facts), nullptr);
}

PyObject* withRanks(PyObject* function, PyObject* names, PyObject* ranks) {
  const FunctionObject& self = *functionOf(function);
  return functionWith(self.program, self.facts, self.place, Py_NewRef(names), Py_NewRef(ranks));
}

bool makeFunctionType(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_repr, reinterpret_cast<void*>(represent)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_getset, attributes},
      {Py_tp_members, members},
      {0, nullptr},
  };
  PyType_Spec spec{"bsgp.KernelFunction", sizeof(FunctionObject), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  function_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return function_type &&
         PyModule_AddObjectRef(module, "KernelFunction", reinterpret_cast<PyObject*>(function_type)) == 0;
}

} // namespace bsgp::python

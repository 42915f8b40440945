// Functions with loops and choices: graphs that are computed in stages, one after the other.
#include <chrono>
#include <mutex>
#include <string>

#include "computation.h"

namespace bsgp::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// An error that is not the library's, of this thread's call.
thread_local std::string own_failure;

bsgp_status fails(std::string message) {
  own_failure = std::move(message);
  return BSGP_INVALID;
}

// A computation and the Python object that owns it.
struct Part {
  explicit Part(nb::object object) : owner(std::move(object)), computation(nb::cast<const Computation*>(owner)) {}
  nb::object owner;
  const Computation* computation;
};

// Runs computations whose arguments are registers: the arguments, and results of earlier ones.
class Program final : public Computation {
public:
  using Registers = std::vector<int32_t>;

  Program(const std::vector<std::pair<nb::object, Registers>>& steps, Registers outputs)
      : outputs_(std::move(outputs)) {
    for (const auto& [computation, inputs] : steps) {
      steps_.push_back({Part(computation), inputs});
      results_ += steps_.back().part.computation->outputs();
      most_ = std::max(most_, inputs.size());
    }
  }
  size_t outputs() const override { return outputs_.size(); }

  bsgp_status call(int32_t count, bsgp_array* const* arguments, bsgp_array** results) const override {
    return run(count, arguments, results,
               [](const Computation& step, int32_t given, bsgp_array* const* inputs, bsgp_array** made) {
                 return step.call(given, inputs, made);
               });
  }
  bsgp_status explain(int32_t count, bsgp_array* const* arguments, bsgp_array** results, Explained* to) const override {
    return run(count, arguments, results,
               [&](const Computation& step, int32_t given, bsgp_array* const* inputs, bsgp_array** made) {
                 return step.explain(given, inputs, made, to);
               });
  }

private:
  struct Step {
    Part part;
    Registers inputs;
  };

  template <class Do>
  bsgp_status run(int32_t count, bsgp_array* const* arguments, bsgp_array** results, const Do& perform) const {
    std::vector<bsgp_array*> registers(arguments, arguments + count), inputs(most_);
    std::vector<Handle> owned;
    owned.reserve(results_);
    registers.resize(size_t(count) + results_);
    bsgp_array** next = registers.data() + count;
    for (const Step& step : steps_) {
      for (size_t i = 0; i < step.inputs.size(); ++i)
        inputs[i] = registers[size_t(step.inputs[i])];
      bsgp_status status = perform(*step.part.computation, int32_t(step.inputs.size()), inputs.data(), next);
      if (status)
        return status;
      for (size_t i = 0; i < step.part.computation->outputs(); ++i)
        owned.emplace_back(*next++);
    }
    for (size_t i = 0; i < outputs_.size(); ++i)
      results[i] = bsgp_array_retain(registers[size_t(outputs_[i])]);
    return BSGP_OK;
  }

  std::vector<Step> steps_;
  Registers outputs_;
  size_t results_ = 0, most_ = 0;
};

// Whether the bool that an array of one element has is true.
bsgp_status readFlag(bsgp_array* array, bool& flag) {
  uint8_t value = 0;
  bsgp_status status = bsgp_array_is_computed(array) ? BSGP_OK : bsgp_array_eval(1, &array);
  if (!status)
    status = bsgp_array_read(array, &value, sizeof value);
  flag = value != 0;
  return status;
}

std::string shapeText(const bsgp_array* array) {
  std::string text = "(";
  for (int32_t i = 0; i < bsgp_array_rank(array); ++i)
    text += (i ? ", " : "") + std::to_string(bsgp_array_shape(array)[i]);
  return text + (bsgp_array_rank(array) == 1 ? ",)" : ")");
}

// Asks for signals from time to time: iterations of a long loop may each be too short to be asked.
class Patience {
public:
  bool isOver() {
    auto now = std::chrono::steady_clock::now();
    if (now - asked_ < std::chrono::milliseconds(50))
      return false;
    asked_ = now;
    return isInterrupted();
  }

private:
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

// Arguments: the state, what the condition uses besides, and what the body uses. The body gives the next state, and whether it goes on.
class Loop final : public Computation {
public:
  Loop(nb::object condition, size_t used_by_condition, nb::object body, std::string place,
       std::vector<std::string> names)
      : condition_(std::move(condition)), body_(std::move(body)), used_by_condition_(used_by_condition),
        place_(std::move(place)), names_(std::move(names)) {}
  size_t outputs() const override { return names_.size(); }

  bsgp_status call(int32_t count, bsgp_array* const* arguments, bsgp_array** results) const override {
    size_t parts = names_.size();
    std::vector<bsgp_array*> given(arguments, arguments + parts + used_by_condition_), next(parts + 1);
    Handle flag;
    bool goes_on = false;
    bsgp_status status = condition_.computation->call(int32_t(given.size()), given.data(), flag.out());
    if (status || (status = readFlag(flag.get(), goes_on)))
      return status;
    given.resize(parts);
    given.insert(given.end(), arguments + parts + used_by_condition_, arguments + count);
    std::vector<Handle> state(parts);
    for (Patience patience; goes_on && !status;) {
      if (patience.isOver())
        return BSGP_INTERRUPTED;
      if ((status = body_.computation->call(int32_t(given.size()), given.data(), next.data())))
        return status;
      flag = Handle(next[parts]);
      status = readFlag(flag.get(), goes_on);
      for (size_t i = 0; i < parts; ++i) {
        if (bsgp_status wrong = checkShape(i, arguments[i], next[i]); wrong && !status)
          status = wrong;
        state[i] = Handle(next[i]);
        given[i] = next[i];
      }
    }
    for (size_t i = 0; i < parts && !status; ++i)
      results[i] = bsgp_array_retain(given[i]);
    return status;
  }

  bsgp_status explain(int32_t count, bsgp_array* const* arguments, bsgp_array** results, Explained* to) const override {
    size_t parts = names_.size();
    if (!to) {
      for (size_t i = 0; i < parts; ++i)
        results[i] = bsgp_array_retain(arguments[i]);
      return BSGP_OK;
    }
    std::vector<bsgp_array*> given(arguments, arguments + parts), next(parts + 1);
    given.insert(given.end(), arguments + parts + used_by_condition_, arguments + count);
    Explained iteration;
    bsgp_status status = body_.computation->explain(int32_t(given.size()), given.data(), next.data(), &iteration);
    for (bsgp_array* each : next)
      bsgp_array_release(each);
    to->text += "while_loop of " + place_ + ", each iteration:\n";
    to->add(iteration);
    for (size_t i = 0; i < parts && !status; ++i)
      results[i] = bsgp_array_retain(arguments[i]);
    return status;
  }

private:
  bsgp_status checkShape(size_t part, const bsgp_array* first, const bsgp_array* next) const {
    int32_t rank = bsgp_array_rank(first);
    if (std::equal(bsgp_array_shape(first), bsgp_array_shape(first) + rank, bsgp_array_shape(next)))
      return BSGP_OK;
    return fails(place_ + ": while_loop: " + names_[part] + " has shape " + shapeText(first) +
                 ", and the body gives shape " + shapeText(next) +
                 "\n  help: the parts of the state keep their shapes in all iterations");
  }

  Part condition_, body_;
  size_t used_by_condition_;
  std::string place_;
  std::vector<std::string> names_;
};

// Arguments: the condition, what `yes` uses, and what `no` uses. One of both is computed. names: of the results, if their shapes may differ.
class Branch final : public Computation {
public:
  Branch(nb::object yes, size_t used_by_yes, nb::object no, std::string place, std::vector<std::string> names)
      : place_(std::move(place)), names_(std::move(names)), yes_(std::move(yes)), no_(std::move(no)),
        used_by_yes_(used_by_yes) {}
  size_t outputs() const override { return yes_.computation->outputs(); }

  bsgp_status call(int32_t count, bsgp_array* const* arguments, bsgp_array** results) const override {
    bool flag = false;
    if (bsgp_status status = readFlag(arguments[0], flag))
      return status;
    if (bsgp_status status = names_.empty() ? BSGP_OK : checkShapes(count, arguments))
      return status;
    auto used = int32_t(used_by_yes_);
    return flag ? yes_.computation->call(used, arguments + 1, results)
                : no_.computation->call(count - 1 - used, arguments + 1 + used, results);
  }

  bsgp_status explain(int32_t count, bsgp_array* const* arguments, bsgp_array** results, Explained* to) const override {
    if (!to)
      return yes_.computation->explain(int32_t(used_by_yes_), arguments + 1, results, nullptr);
    std::vector<bsgp_array*> of_no(outputs());
    Explained parts[2];
    auto used = int32_t(used_by_yes_);
    bsgp_status status = no_.computation->explain(count - 1 - used, arguments + 1 + used, of_no.data(), &parts[1]);
    for (bsgp_array* each : of_no)
      bsgp_array_release(each);
    if (!status)
      status = yes_.computation->explain(used, arguments + 1, results, &parts[0]);
    to->text += "cond of " + place_ + ", if it is true:\n";
    to->add(parts[0]);
    to->text += "else:\n";
    to->add(parts[1]);
    return status;
  }

private:
  using Results = std::vector<Handle>;

  // The results of one of both, which are not computed; none, if they cannot be made: then a call says why.
  Results shapesOf(const Part& part, int32_t count, bsgp_array* const* arguments) const {
    std::vector<bsgp_array*> made(outputs());
    if (part.computation->explain(count, arguments, made.data(), nullptr)) {
      own_failure.clear();
      return {};
    }
    return Results(made.begin(), made.end());
  }

  bsgp_status checkShapes(int32_t count, bsgp_array* const* arguments) const {
    std::vector<int64_t> key;
    for (int32_t i = 1; i < count; ++i) {
      key.push_back(-1);
      key.insert(key.end(), bsgp_array_shape(arguments[i]),
                 bsgp_array_shape(arguments[i]) + bsgp_array_rank(arguments[i]));
    }
    std::lock_guard<std::mutex> nobody_checks(mutex_);
    if (is_checked_ && key == checked_)
      return BSGP_OK;
    auto used = int32_t(used_by_yes_);
    Results yes = shapesOf(yes_, used, arguments + 1), no = shapesOf(no_, count - 1 - used, arguments + 1 + used);
    for (size_t i = 0; i < std::min(yes.size(), no.size()); ++i)
      if (std::string first = shapeText(yes[i].get()), second = shapeText(no[i].get()); first != second)
        return fails(place_ + ": cond: " + names_[i] + " has shape " + first + " of the first function, and " + second +
                     " of the second\n  help: both give the same shapes in each call");
    checked_ = std::move(key), is_checked_ = true;
    return BSGP_OK;
  }

  std::string place_;
  std::vector<std::string> names_;
  mutable std::mutex mutex_;
  mutable std::vector<int64_t> checked_; // ranks and extents of the arguments whose results were found alike
  mutable bool is_checked_ = false;
  Part yes_, no_;
  size_t used_by_yes_;
};

nb::list callWith(const Computation& computation, const std::vector<Given>& given) {
  std::vector<bsgp_array*> arguments = arraysOf(given), results(computation.outputs());
  std::vector<Handle> kept;
  for (bsgp_array* each : arguments)
    kept.push_back(Handle::to(each));
  bsgp_status status;
  {
    LongCall others_run;
    status = computation.call(int32_t(arguments.size()), arguments.data(), results.data());
  }
  checkComputed(status);
  nb::list all;
  for (bsgp_array* each : results)
    all.append(nb::steal(wrapped(Handle(each))));
  return all;
}

bsgp_array_list listOf(const std::vector<bsgp_array*>& arrays) {
  return {int32_t(arrays.size()), arrays.data()};
}

// Whether each of `known` is reached, and the arrays that cross.
nb::tuple cut(const std::vector<Given>& roots, const std::vector<Given>& known, const std::vector<Given>& earlier,
              uint32_t scope) {
  auto from = arraysOf(roots), stops = arraysOf(known), before = arraysOf(earlier);
  bsgp_array_list lists[] = {listOf(from), listOf(stops), listOf(before)}, crossing{};
  std::vector<int32_t> reached(known.size());
  bsgp_status status;
  {
    LongCall others_run;
    status = bsgp_array_cut(&lists[0], &lists[1], &lists[2], scope, reached.data(), &crossing);
  }
  check(status);
  nb::list flags, arrays;
  for (int32_t each : reached)
    flags.append(each != 0);
  for (int32_t i = 0; i < crossing.count; ++i)
    arrays.append(nb::steal(wrapped(Handle::to(crossing.arrays[i]))));
  bsgp_array_list none{};
  check(bsgp_array_cut(&none, &none, &none, 0, nullptr, &crossing)); // the library keeps none of them
  return nb::make_tuple(flags, arrays);
}

} // namespace

void Explained::add(const Explained& part, const char* indent) {
  for (size_t begin = 0, end; begin < part.text.size(); begin = end) {
    end = part.text.find('\n', begin) + 1;
    text += indent + part.text.substr(begin, end - begin);
  }
  counts.kernels += part.counts.kernels;
  counts.operations += part.counts.operations;
  counts.bytes_written += part.counts.bytes_written;
}

void checkComputed(bsgp_status status) {
  std::string message = std::exchange(own_failure, {}); // an older one may be there that another error has hidden
  if (status == BSGP_INVALID && !message.empty())
    throw nb::value_error(message.c_str());
  check(status);
}

void bindStages(nb::module_& m) {
  nb::class_<Computation>(m, "Computation").def("call", &callWith, "arguments"_a).def("explain", &explained);
  nb::class_<Program, Computation>(m, "Program")
      .def(nb::init<const std::vector<std::pair<nb::object, Program::Registers>>&, Program::Registers>(), "steps"_a,
           "outputs"_a);
  nb::class_<Loop, Computation>(m, "Loop").def(
      nb::init<nb::object, size_t, nb::object, std::string, std::vector<std::string>>(), "condition"_a,
      "used_by_condition"_a, "body"_a, "place"_a, "names"_a);
  nb::class_<Branch, Computation>(m, "Branch")
      .def(nb::init<nb::object, size_t, nb::object, std::string, std::vector<std::string>>(), "yes"_a, "used_by_yes"_a,
           "no"_a, "place"_a, "names"_a);
  m.def("cut", &cut, "roots"_a, "known"_a, "earlier"_a, "scope"_a);
  m.def("is_weak", [](Given a) { return bsgp_array_is_weak(a.array) != 0; }, "a"_a);
  m.def("identity", [](Given a) { return reinterpret_cast<uintptr_t>(a.array); }, "a"_a);
}

} // namespace bsgp::python

// Functions: a graph that is made once and called with other arrays.
#pragma once

#include "bindings.h"

namespace bsgp::python {

class Function {
public:
  Function(const std::vector<Given>& parameters, const std::vector<Given>& outputs);
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  ~Function() { bsgp_array_function_release(function_); }

  nanobind::tuple call(const nanobind::args& arguments) const;
  nanobind::tuple explain(const nanobind::args& arguments) const;
  bsgp_array_function* get() const { return function_; }
  size_t outputs() const { return outputs_; }

private:
  bsgp_array_function* function_ = nullptr;
  size_t outputs_;
};

} // namespace bsgp::python

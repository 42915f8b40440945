// Functions: a graph that is made once and called with other arrays.
#pragma once

#include "computation.h"

namespace bsgp::python {

class Function final : public Computation {
public:
  // is_stage: parameters may be any arrays of the graph.
  Function(const std::vector<Given>& parameters, const std::vector<Given>& outputs, bool is_stage);
  ~Function() override { bsgp_array_function_release(function_); }

  bsgp_status call(int32_t count, bsgp_array* const* arguments, bsgp_array** results) const override {
    return bsgp_array_function_call(function_, count, arguments, results);
  }
  size_t outputs() const override { return outputs_; }
  bsgp_status explain(int32_t count, bsgp_array* const* arguments, bsgp_array** results, Explained* to) const override;
  nanobind::tuple callWith(const nanobind::args& arguments) const;

private:
  bsgp_array_function* function_ = nullptr;
  size_t outputs_;
};

} // namespace bsgp::python

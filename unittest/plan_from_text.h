// Plans as text, with C++ functions as kernels and requires.
#pragma once

#include <map>

#include <gtest/gtest.h>

#include "plan/parse.h"
#include "plan/verify.h"
#include "plan_fixture.h"

namespace bsgp::test {

// By symbol.
struct Functions {
  std::map<std::string, bsgp_kernel_fn> kernels;
  std::map<std::string, bsgp_require_fn> requires_;
};

// What the targets make of a Plan; here each kernel and require is the function of its name.
class TextPlan : public TestPlan {
public:
  TextPlan(const std::string& text, const Functions& functions) {
    auto plans = plan::parse(text);
    EXPECT_TRUE(plans) << plans.message();
    if (!plans || plans->size() != 1)
      return;
    plan_ = plans->front();
    EXPECT_EQ(plan::verify(plan_), "");
    takeHead();
    for (const plan::Kernel& kernel : plan_.kernels)
      takeKernel(kernel, functions.kernels.at(kernel.symbol));
    for (const std::string& symbol : plan_.requires_)
      require(functions.requires_.at(symbol));
    const plan::Site* superstep = nullptr;
    for (const plan::Step& step : plan_.steps) {
      superstep = step.kind == plan::Step::Superstep ? &step.site : superstep;
      takeStep(step, step.site.line ? step.site : *superstep);
    }
  }
  TextPlan(const TextPlan&) = delete;
  TextPlan& operator=(const TextPlan&) = delete;

private:
  void takeHead() {
    rank_bits = plan_.rank_bits, block = plan_.block;
    size_offset = plan_.size_offset, decision_offset = plan_.decision_offset;
    name = plan_.name.c_str();
    site = siteOf(plan_.site);
  }

  void takeKernel(const plan::Kernel& kernel, bsgp_kernel_fn run) {
    std::vector<bsgp_param> params;
    for (const plan::Param& param : kernel.params)
      if (param.kind == plan::Param::Frame)
        params.push_back(frameParam(plan_.slots[param.index].offset, plan_.slots[param.index].bytes));
      else
        params.push_back({param.kind, param.index, 8});
    const plan::Superstep& lines = plan_.supersteps[kernel.superstep - 1];
    add({kernel.symbol.c_str(), run, nullptr, 0, kernel.superstep, lines.first_line, lines.last_line, kernel.loaded,
         kernel.stored, nullptr, nullptr},
        std::move(params));
  }

  void takeStep(const plan::Step& planned, const plan::Site& at) {
    bool sized = planned.kind == plan::Step::Allocate || planned.kind == plan::Step::Clear;
    step(planned.kind, planned.index, sized ? plan_.streams[planned.index].bytes : 0, siteOf(at), planned.other);
  }

  const bsgp_site* siteOf(const plan::Site& at) {
    if (!at.line)
      return nullptr;
    sites_.push_back({at.file.c_str(), at.line, at.column, nullptr, at.of_library});
    return &sites_.back();
  }

  plan::Plan plan_;
  std::deque<bsgp_site> sites_;
};

} // namespace bsgp::test

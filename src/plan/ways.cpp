#include "plan/ways.h"

#include <set>

namespace bsgp::plan {

Ways::Ways(const Plan& plan) : plan_(plan), jumps_(plan.steps.size() + 1) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    any_ |= step.kind >= Step::Decide;
    if (step.kind == Step::Superstep)
      begins_.push_back(i);
    if (jumps(step) && step.other < jumps_.size())
      ++jumps_[step.other];
  }
}

bool Ways::meet(size_t step) const {
  bool falls = step > 0 && plan_.steps[step - 1].kind != Step::Jump;
  return jumps_[step] + falls > 1;
}

std::vector<uint32_t> Ways::next(uint32_t superstep) const {
  std::set<uint32_t> found;
  std::set<size_t> seen;
  std::vector<size_t> open{begins_[superstep - 1] + 1};
  while (!open.empty()) {
    size_t at = open.back();
    open.pop_back();
    if (at >= plan_.steps.size())
      found.insert(0);
    else if (plan_.steps[at].kind == Step::Superstep)
      found.insert(plan_.steps[at].index);
    else if (seen.insert(at).second) {
      if (jumps(plan_.steps[at]))
        open.push_back(plan_.steps[at].other);
      if (plan_.steps[at].kind != Step::Jump)
        open.push_back(at + 1);
    }
  }
  return {found.begin(), found.end()};
}

} // namespace bsgp::plan

// Launches that are too small for a comparison within: the forms of their kernels (forms.h) are compared from launch to
// launch. Two that follow each other make a pair; what a thread took counts, since they may differ in size.
#pragma once

#include "runtime/cpu/forms.h"

namespace bsgp::runtime {

bool isSmall(const bsgp_launch& launch);

struct SmallTurn {
  uint32_t form;
  bool timed; // report() wants to know how long it takes
};
SmallTurn nextOfSmall(bsgp_forms& forms);
FormsRun reportSmall(bsgp_forms& forms, const bsgp_launch& launch, const SmallTurn& turn, double ns);

} // namespace bsgp::runtime

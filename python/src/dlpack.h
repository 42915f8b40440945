// DLPack's capsules.
#pragma once

#include <nanobind/nanobind.h>

namespace bsgp::python {

void bindDlpack(nanobind::module_& m);

} // namespace bsgp::python

#include "arrays/linalg/matrices.h"

namespace bsgp::arrays {

std::string whichMatrix(const Shape& leading, int64_t i) {
  if (leading.rank == 0)
    return "the matrix";
  Shape at = leading;
  for (int axis = leading.rank; axis-- > 0; i /= leading[axis])
    at[axis] = i % leading[axis];
  return "matrix " + text(at) + " of the batch";
}

void Failure::add(int64_t i, Info info) {
  std::lock_guard lock(mutex_);
  if (matrix_ < 0 || i < matrix_)
    matrix_ = i, info_ = info;
}

Result<void> Failure::result(const WholeCall& call, const Shape& leading,
                             std::string (*explain)(const std::string& which, Info info)) const {
  if (info_ == 0)
    return {};
  if (info_ == kLacksMemory)
    return Error{fmt::format("there is no memory for intermediate values of {}", call.name), Mistake::Memory};
  return Error{fmt::format("{}: {}", call.name, explain(whichMatrix(leading, matrix_), info_)), Mistake::Matrix};
}

} // namespace bsgp::arrays

// The parameters of a kernel: found while its body is made (paper, 4.2 step 4), known to its signature at the end.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <llvm/IR/Function.h>

#include "plan/plan.h"

namespace bsgp::bsp {

class KernelParams {
public:
  KernelParams() = default;
  KernelParams(const KernelParams&) = delete;
  KernelParams& operator=(const KernelParams&) = delete;
  ~KernelParams();

  // The argument, made when it is first asked for.
  llvm::Value* get(plan::Param::Kind kind, uint32_t index, llvm::Type* type, std::string name);

  // Moves the body of a function without parameters into one that has them, under the same name. Returns that, and
  // lists the parameters in order.
  llvm::Function* addTo(llvm::Function* body, std::vector<plan::Param>& params);

private:
  // Until addTo, uses refer to an argument that belongs to no function.
  std::map<std::pair<plan::Param::Kind, uint32_t>, llvm::Argument*> arguments_;
};

} // namespace bsgp::bsp

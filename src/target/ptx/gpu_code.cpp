#include "target/ptx/gpu_code.h"

#include <cstddef>

#include "plan/plan_abi.h"
#include "target/add_constant.h"

namespace bsgp::target {

using namespace llvm;

// The literal struct types below follow these layouts.
static_assert(sizeof(bsgp_gpu_code) == 48 && offsetof(bsgp_gpu_code, sm) == 16 && offsetof(bsgp_gpu_code, sites) == 32);
static_assert(sizeof(bsgp_gpu_kernel) == 24 && offsetof(bsgp_gpu_kernel, shared_bytes) == 8);

namespace {

Constant* number(Module& module, uint64_t value, unsigned bits = 32) {
  return ConstantInt::get(IntegerType::get(module.getContext(), bits), value);
}

Constant* table(Module& module, const MapVector<Constant*, unsigned>& entries, const char* name) {
  auto* pointer = PointerType::get(module.getContext(), 0);
  if (entries.empty())
    return ConstantPointerNull::get(pointer);
  SmallVector<Constant*, 16> elements;
  for (const auto& [constant, at] : entries)
    elements.push_back(constant);
  return addConstant(module, ConstantArray::get(ArrayType::get(pointer, elements.size()), elements), name);
}

} // namespace

Constant* defineGpuCode(Module& host, const std::string& ptx, unsigned sm, const GpuTables& tables) {
  Constant* text = addConstant(host, ConstantDataArray::getString(host.getContext(), ptx), "gpu.ptx");
  Constant* fields[] = {text,
                        number(host, ptx.size(), 64),
                        number(host, sm),
                        number(host, tables.sites.size()),
                        number(host, tables.formats.size()),
                        table(host, tables.sites, "gpu.sites"),
                        table(host, tables.formats, "gpu.formats")};
  return addConstant(host, ConstantStruct::getAnon(fields), "gpu.code");
}

Constant* defineGpuKernel(Module& host, Constant* code, const GpuKernel& kernel) {
  Constant* fields[] = {code, number(host, kernel.shared_bytes), number(host, kernel.talks), number(host, kernel.tile)};
  return addConstant(host, ConstantStruct::getAnon(fields), "gpu.kernel");
}

} // namespace bsgp::target

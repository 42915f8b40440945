#include "target/ptx/gpu_code.h"

#include <cstddef>

#include "plan/plan_abi.h"
#include "target/common/add_constant.h"
#include "target/ptx/ptx_target.h"

namespace bsgp::target {

using namespace llvm;

// The literal struct types below follow these layouts.
static_assert(sizeof(bsgp_gpu_code) == 56 && offsetof(bsgp_gpu_code, sm) == 16 && offsetof(bsgp_gpu_code, sites) == 32);
static_assert(sizeof(bsgp_gpu_kernel) == 32 && offsetof(bsgp_gpu_kernel, shared_bytes) == 8);

namespace {

constexpr unsigned kBytesField = 1; // of gpuCode
constexpr char kPtxSection[] = ".bsgp.ptx", kCodeSection[] = ".data.rel.ro.bsgp.gpu";

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

GlobalVariable* gpuCode(Module& host, GlobalVariable* text, uint64_t bytes, unsigned sm, const GpuTables& tables) {
  Constant* fields[] = {text,
                        number(host, bytes, 64),
                        number(host, sm),
                        number(host, tables.sites.size()),
                        number(host, tables.formats.size()),
                        number(host, tables.checks.size()),
                        table(host, tables.sites, "gpu.sites"),
                        table(host, tables.formats, "gpu.formats"),
                        table(host, tables.checks, "gpu.checks")};
  return addConstant(host, ConstantStruct::getAnon(fields), "gpu.code");
}

// The constant alone in a section, never merged with an equal one: fillInPtx finds it by the section's name.
GlobalVariable* inSection(GlobalVariable* constant, const char* section) {
  constant->setSection(section);
  constant->setUnnamedAddr(GlobalValue::UnnamedAddr::None);
  return constant;
}

} // namespace

Constant* defineGpuCode(Module& host, const std::string& ptx, unsigned sm, const GpuTables& tables) {
  GlobalVariable* text = addConstant(host, ConstantDataArray::getString(host.getContext(), ptx), "gpu.ptx");
  return gpuCode(host, text, ptx.size(), sm, tables);
}

Constant* defineOpenGpuCode(Module& host, unsigned sm, const GpuTables& tables) {
  GlobalVariable* text = addConstant(host, ConstantDataArray::getString(host.getContext(), " "), "gpu.ptx");
  return inSection(gpuCode(host, inSection(text, kPtxSection), 0, sm, tables), kCodeSection);
}

// Passes and the linking of both programs may have renamed the two constants, so that their sections name them.
void fillInPtx(Module& host, const std::string& ptx) {
  auto in = [&](const char* section) {
    auto found =
        find_if(host.globals(), [&](const GlobalVariable& variable) { return variable.getSection() == section; });
    return found == host.global_end() ? nullptr : &*found;
  };
  GlobalVariable *open = in(kPtxSection), *code = in(kCodeSection);
  if (!open || !code) // a program without kernels
    return;
  Constant* contents = ConstantDataArray::getString(host.getContext(), ptx);
  auto* text = new GlobalVariable(host, contents->getType(), /*isConstant=*/true, open->getLinkage(), contents);
  text->copyAttributesFrom(open);
  text->takeName(open);
  open->replaceAllUsesWith(text);
  open->eraseFromParent();
  auto* fields = cast<ConstantStruct>(code->getInitializer());
  SmallVector<Constant*, 9> filled;
  for (const Use& field : fields->operands())
    filled.push_back(cast<Constant>(field));
  filled[kBytesField] = number(host, ptx.size(), 64);
  code->setInitializer(ConstantStruct::get(fields->getType(), filled));
}

Constant* defineGpuKernel(Module& host, Constant* code, const GpuKernel& kernel) {
  Constant* fields[] = {code,
                        number(host, kernel.shared_bytes),
                        number(host, kernel.talks),
                        number(host, kernel.tile),
                        number(host, kernel.checks),
                        number(host, kernel.puts)};
  return addConstant(host, ConstantStruct::getAnon(fields), "gpu.kernel");
}

} // namespace bsgp::target

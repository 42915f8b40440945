#include "target/ptx/gpu_code.h"

#include <cstddef>
#include <cstring>

#include <llvm/ObjCopy/ConfigManager.h>
#include <llvm/ObjCopy/ObjCopy.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include "plan/plan_abi.h"
#include "target/add_constant.h"
#include "target/ptx/ptx_target.h"

namespace bsgp::target {

using namespace llvm;

// The literal struct types below follow these layouts.
static_assert(sizeof(bsgp_gpu_code) == 56 && offsetof(bsgp_gpu_code, sm) == 16 && offsetof(bsgp_gpu_code, sites) == 32);
static_assert(sizeof(bsgp_gpu_kernel) == 32 && offsetof(bsgp_gpu_kernel, shared_bytes) == 8);

namespace {

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

// The length is written over the one in the file. The text becomes the contents of a section made for it, which holds
// nothing else.
Result<std::string> fillInPtx(std::string object, const std::string& ptx) {
  auto problem = [](llvm::Error error) {
    return bsgp::Error{"cannot put the PTX into the object file: " + toString(std::move(error))};
  };
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(object, "program"));
  if (!file)
    return problem(file.takeError());
  bool named = false;
  for (const object::SectionRef& section : (*file)->sections())
    if (auto name = section.getName(); name && *name == kCodeSection) {
      uint64_t at = object::ELFSectionRef(section).getOffset() + offsetof(bsgp_gpu_code, bytes), bytes = ptx.size();
      std::memcpy(object.data() + at, &bytes, sizeof bytes);
      named = true;
    }
  if (!named) // a program without kernels
    return object;
  objcopy::ConfigManager config;
  config.Common.UpdateSection.emplace_back(
      kPtxSection,
      MemoryBuffer::getMemBuffer(StringRef(ptx.c_str(), ptx.size() + 1), "ptx", /*RequiresNullTerminator=*/false));
  SmallString<0> made;
  raw_svector_ostream stream(made);
  if (auto error = objcopy::executeObjcopyOnBinary(config, **file, stream))
    return problem(std::move(error));
  return made.str().str();
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

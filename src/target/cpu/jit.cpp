// Machine code in this process. The whole module is compiled when the Jit is made, not at the first call of a function:
// a missing symbol is reported before the program has done anything. Of ORC only the linker is used.
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>

#include <mutex>

#include "support/check.h"
#include "target/cpu/cpu_target.h"
#include "target/cpu/emit.h"

namespace bsgp::target {

using namespace llvm;
using namespace llvm::orc;

namespace {

// What the session reports beside the error that a lookup returns.
struct Reports {
  std::mutex mutex;
  std::string undefined; // names, comma-separated
  std::string other;

  void add(llvm::Error error) {
    std::lock_guard lock(mutex);
    handleAllErrors(
        std::move(error),
        [&](const SymbolsNotFound& missing) {
          for (const SymbolStringPtr& symbol : missing.getSymbols())
            undefined += (undefined.empty() ? "'" : ", '") + (*symbol).str() + "'";
        },
        [](const FailedToMaterialize&) {}, // the cause is reported by itself
        [&](const ErrorInfoBase& error) { other += (other.empty() ? "" : "; ") + error.message(); });
  }

  bsgp::Error message(const std::string& doing) {
    std::lock_guard lock(mutex);
    if (!undefined.empty())
      return {"undefined symbol " + undefined + ": neither this program nor the libraries it was given define it"};
    return {doing + ": " + (other.empty() ? "the linker gave no reason" : other)};
  }
};

} // namespace

struct Jit::Impl {
  std::unique_ptr<Reports> reports = std::make_unique<Reports>(); // the session, which goes first, writes to it
  std::unique_ptr<LLJIT> jit;

  bsgp::Error failure(llvm::Error error, const std::string& doing) {
    reports->add(std::move(error));
    return reports->message(doing);
  }

  llvm::Error start(const CpuOptions& options, const Module& module);
  llvm::Error defineSymbols(const CpuOptions& options);
};

llvm::Error Jit::Impl::start(const CpuOptions& options, const Module& module) {
  auto created = LLJITBuilder()
                     .setJITTargetMachineBuilder(JITTargetMachineBuilder(Triple(module.getTargetTriple())))
                     .setDataLayout(module.getDataLayout())
                     .setPlatformSetUp(setUpInactivePlatform) // no static constructors here
                     .setLinkProcessSymbolsByDefault(false)
                     .setProcessSymbolsJITDylibSetup([](LLJIT&) -> Expected<JITDylibSP> { return nullptr; })
                     .setCompileFunctionCreator(
                         [](JITTargetMachineBuilder builder) -> Expected<std::unique_ptr<IRCompileLayer::IRCompiler>> {
                           return std::make_unique<ConcurrentIRCompiler>(std::move(builder)); // never used
                         })
                     .create();
  if (!created)
    return created.takeError();
  jit = std::move(*created);
  jit->getExecutionSession().setErrorReporter([to = reports.get()](llvm::Error error) { to->add(std::move(error)); });
  return defineSymbols(options);
}

// In this order: symbols given by address, libraries, the process.
llvm::Error Jit::Impl::defineSymbols(const CpuOptions& options) {
  SymbolMap given;
  for (const auto& [name, address] : options.symbols)
    given[jit->mangleAndIntern(name)] = {ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported};
  if (auto error = jit->getMainJITDylib().define(absoluteSymbols(std::move(given))))
    return error;
  char prefix = jit->getDataLayout().getGlobalPrefix();
  for (const std::string& library : options.libraries) {
    auto generator = DynamicLibrarySearchGenerator::Load(library.c_str(), prefix);
    if (!generator)
      return generator.takeError();
    jit->getMainJITDylib().addGenerator(std::move(*generator));
  }
  auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  jit->getMainJITDylib().addGenerator(std::move(*process));
  return llvm::Error::success();
}

Jit::Jit() : impl_(std::make_unique<Impl>()) {}
Jit::~Jit() = default;

Result<std::unique_ptr<Jit>> Jit::create(ir::Compiled compiled, const CpuOptions& options) {
  if (auto optimized = optimize(compiled, options); !optimized)
    return optimized.error();
  std::string any_symbol; // to look up one links all
  for (const GlobalValue& value : compiled.module->global_values())
    if (!value.isDeclaration() && !value.hasLocalLinkage())
      any_symbol = value.getName();
  auto code = generateCode(compiled, options, CodeGenFileType::ObjectFile);
  if (!code)
    return code.error();

  std::unique_ptr<Jit> made(new Jit);
  Impl& impl = *made->impl_;
  if (auto error = impl.start(options, *compiled.module))
    return impl.failure(std::move(error), "cannot start the just-in-time linker");
  auto object = std::make_unique<SmallVectorMemoryBuffer>(code.take(), "bsgp", /*RequiresNullTerminator=*/false);
  if (auto error = impl.jit->addObjectFile(std::move(object)))
    return impl.failure(std::move(error), "cannot link the compiled program");
  if (!any_symbol.empty())
    if (auto found = made->lookup(any_symbol); !found)
      return found.error();
  return made;
}

Result<void*> Jit::lookup(const std::string& symbol) {
  auto address = impl_->jit->lookup(symbol);
  if (!address)
    return impl_->failure(address.takeError(), "cannot link " + symbol);
  return address->toPtr<void*>();
}

} // namespace bsgp::target

// Machine code in this process. All of it is linked when the Jit is made, not at the first call of a function: a
// missing symbol is reported before the program has done anything. Of ORC only the linker is used.
#include <llvm/ExecutionEngine/JITEventListener.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Threading.h>
#include <llvm/TargetParser/Host.h>

#include <cmath>
#include <mutex>

#include "support/check.h"
#include "target/cpu/code/code_parts.h"
#include "target/cpu/code/emit.h"
#include "target/cpu/cpu_target.h"

#ifdef __x86_64__
extern "C" { // of libgcc; their addresses alone are taken
void __truncdfhf2();
void __truncsfhf2();
void __extendhfsf2();
}
#endif

namespace bsgp::target {

using namespace llvm;
using namespace llvm::orc;

namespace {

constexpr char kLayout[] = "e-m:e"; // the linker asks for nothing but how ELF spells names

// Collects the errors that the session reports beside the one that a lookup returns.
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

// Announces the code to gdb; also to perf, which reads a file of it from the folder that $JITDUMPDIR names.
void tellDebuggers(RTDyldObjectLinkingLayer& layer) {
  layer.setProcessAllSections(true);
  layer.registerJITEventListener(*JITEventListener::createGDBRegistrationListener());
  if (std::getenv("JITDUMPDIR"))
    if (JITEventListener* perf = JITEventListener::createPerfJITEventListener())
      layer.registerJITEventListener(*perf);
}

Expected<std::unique_ptr<ObjectLayer>> layerForDebuggers(ExecutionSession& session, const Triple&) {
  auto layer =
      std::make_unique<RTDyldObjectLinkingLayer>(session, [] { return std::make_unique<SectionMemoryManager>(); });
  tellDebuggers(*layer);
  return layer;
}

} // namespace

struct Jit::Impl {
  std::unique_ptr<Reports> reports = std::make_unique<Reports>(); // the session, which goes first, writes to it
  std::unique_ptr<LLJIT> jit;

  bsgp::Error failure(llvm::Error error, const std::string& doing) {
    reports->add(std::move(error));
    return reports->message(doing);
  }

  llvm::Error start(const CpuOptions& options);
  llvm::Error defineSymbols(const CpuOptions& options);
  Expected<std::string> add(const std::string& object); // a symbol that it defines, or nothing
};

llvm::Error Jit::Impl::start(const CpuOptions& options) {
  LLJITBuilder builder;
  if (options.debug)
    builder.setObjectLinkingLayerCreator(layerForDebuggers);
  auto created = builder.setJITTargetMachineBuilder(JITTargetMachineBuilder(Triple(sys::getProcessTriple())))
                     .setDataLayout(DataLayout(kLayout))
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

// Functions that code generation calls for a CPU that has no instruction for them. A process that has loaded this library for itself
// alone, as Python does, does not show them among its symbols.
static std::vector<std::pair<const char*, void*>> helpersOfCode() {
  std::vector<std::pair<const char*, void*>> helpers{
      {"fma", reinterpret_cast<void*>(static_cast<double (*)(double, double, double)>(std::fma))},
      {"fmaf", reinterpret_cast<void*>(static_cast<float (*)(float, float, float)>(std::fma))}};
#ifdef __x86_64__
  helpers.insert(helpers.end(), {{"__truncdfhf2", reinterpret_cast<void*>(__truncdfhf2)},
                                 {"__truncsfhf2", reinterpret_cast<void*>(__truncsfhf2)},
                                 {"__extendhfsf2", reinterpret_cast<void*>(__extendhfsf2)}});
#endif
  return helpers;
}

// Defines, in this order, the symbols given by address, those of the libraries, and those of the process.
llvm::Error Jit::Impl::defineSymbols(const CpuOptions& options) {
  SymbolMap given;
  for (const auto& [name, address] : helpersOfCode())
    given[jit->mangleAndIntern(name)] = {ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported};
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

// Some symbol that the object defines, to look up: that links the whole object. Nothing if there is none.
static Expected<std::string> anySymbol(MemoryBufferRef object) {
  auto file = object::ObjectFile::createObjectFile(object);
  if (!file)
    return file.takeError();
  for (const object::SymbolRef& symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags)
      return flags.takeError();
    if (!name)
      return name.takeError();
    if ((*flags & object::SymbolRef::SF_Global) && !(*flags & object::SymbolRef::SF_Undefined))
      return name->str();
  }
  return std::string();
}

Expected<std::string> Jit::Impl::add(const std::string& object) {
  auto bytes = MemoryBuffer::getMemBufferCopy(object, "bsgp");
  auto symbol = anySymbol(*bytes);
  if (symbol)
    if (auto error = jit->addObjectFile(std::move(bytes)))
      return error;
  return symbol;
}

Result<std::string> compileObject(ir::Kernels& program, const CpuOptions& options) {
  if (auto optimized = optimize(program, options); !optimized)
    return optimized.error();
  auto code = generateCode(program, options, CodeGenFileType::ObjectFile);
  if (!code)
    return code.error();
  return std::string(code->begin(), code->end());
}

Result<std::vector<std::string>> compileObjects(ir::Kernels& program, const CpuOptions& options) {
  if (!options.after_pass && !options.remark)
    return compileInParts(program, options, hardware_concurrency().compute_thread_count());
  auto object = compileObject(program, options);
  if (!object)
    return object.error();
  return std::vector<std::string>{object.take()};
}

Jit::Jit() : impl_(std::make_unique<Impl>()) {}
Jit::~Jit() = default;

Result<std::unique_ptr<Jit>> Jit::link(const std::vector<std::string>& objects, const CpuOptions& options) {
  std::unique_ptr<Jit> made(new Jit);
  Impl& impl = *made->impl_;
  if (auto error = impl.start(options))
    return impl.failure(std::move(error), "cannot link the program");
  std::vector<std::string> symbols; // one of each object
  for (const std::string& object : objects) {
    auto symbol = impl.add(object);
    if (!symbol)
      return impl.failure(symbol.takeError(), "cannot link the program");
    symbols.push_back(std::move(*symbol));
  }
  for (const std::string& symbol : symbols)
    if (!symbol.empty())
      if (auto found = made->lookup(symbol); !found)
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

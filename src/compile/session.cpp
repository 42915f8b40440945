#include "compile/session.h"

#include "compile/compiler_build.h"
#include "compile/libraries.h"
#include "compile/on_deep_stack.h"
#include "runtime/code_cache.h"
#include "runtime/symbols.h"
#include "target/common/out_of_memory.h"

namespace bsgp::compile {

Session& Session::ofProcess() {
  static auto* const session = new Session;
  return *session;
}

std::unique_ptr<Pipeline> Session::begin(Source source, const Options& options) const {
  return std::make_unique<Pipeline>(library_, options, std::move(source));
}

Result<Compiled> Session::compile(Source source, const Options& options) {
  Result<Compiled> made = Compiled{};
  size_t bytes = bytesOf(source);
  if (!onDeepStack(bytes, [&] { made = compileHere(std::move(source), options); }))
    return Error{"the system gives no thread to compile in"};
  return made;
}

// Those that a compile may use.
struct Session::Caches {
  std::string build; // "": it is not known, and the disk has nothing of it
  runtime::CodeCache disk;
  bool any = false;

  bool hasDisk() const { return any && !build.empty(); }
};

std::shared_ptr<const Code> Session::find(const runtime::Hash128& key, const Caches& caches) {
  if (auto code = memory_.find(key)) {
    ++cached_in_memory_;
    return code;
  }
  std::optional<std::string> entry = caches.hasDisk() ? caches.disk.find(key) : std::nullopt;
  std::optional<Code> code = entry ? codeOf(*entry) : std::nullopt;
  if (!code)
    return nullptr;
  ++cached_on_disk_;
  auto shared = std::make_shared<const Code>(std::move(*code));
  memory_.keep(key, shared);
  return shared;
}

Result<Compiled> Session::make(Pipeline& pipeline, const runtime::Hash128& key, const Caches& caches) {
  Result<std::optional<Code>> made = makeCode(pipeline);
  if (!made)
    return made.error();
  if (!*made)
    return Compiled{nullptr, messagesOf(pipeline)};
  ++compiled_;
  auto code = std::make_shared<const Code>(std::move(**made));
  if (caches.any)
    memory_.keep(key, code);
  if (caches.hasDisk())
    caches.disk.keep(key, entryOf(*code));
  return Compiled{code, {}};
}

// A text is parsed in any case: the parser alone knows which files it includes. A tree is made only where its code is not cached.
Result<Compiled> Session::compileHere(Source source, const Options& options) {
  Result<runtime::CodeCache> disk = runtime::CodeCache::fromEnvironment();
  if (!disk)
    return disk.error();
  const auto* tree = std::get_if<Tree>(&source);
  bool is_known = !tree || !tree->key.empty(); // by a key
  Caches caches{{}, *disk, options.uses_cache && is_known && disk->keepsAny()};
  if (caches.any)
    caches.build = compilerBuild();
  runtime::Hash128 key;
  auto cached = [&] {
    auto code = find(key, caches);
    if (code && options.after_pass)
      options.after_pass("code from the cache", nullptr);
    return code;
  };
  if (tree && caches.any) {
    key = keyOf(*tree, options, caches.build);
    if (auto code = cached())
      return Compiled{code, {}};
  }
  Pipeline pipeline(library_, options, std::move(source));
  if (!pipeline.parse())
    return pipeline.malformed().empty() ? Result<Compiled>(Compiled{nullptr, messagesOf(pipeline)})
                                        : Result<Compiled>(malformedTree(pipeline));
  if (pipeline.isText() && caches.any) {
    key = keyOf(pipeline, caches.build);
    if (auto code = cached())
      return Compiled{code, {}};
  }
  return make(pipeline, key, caches);
}

Result<std::unique_ptr<target::Jit>> load(const Code& code, const Options& options) {
  target::InLlvm in_llvm;
  target::CpuOptions machine = machineOptions(options);
  for (const runtime::Symbol& symbol : runtime::symbols())
    machine.symbols.emplace_back(symbol.name, symbol.address);
  for (std::string& library : sharedLibraries(code.libraries))
    machine.libraries.push_back(std::move(library));
  return target::Jit::link(code.objects, machine);
}

} // namespace bsgp::compile

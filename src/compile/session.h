// The one entry to the compiler: for the command line, for bsgp_compile, and for front ends of other languages.
//
// The folder `compile` takes a program (source.h: a text, or the tree of another front end) and options (options.h); runs the phases and
// a target; gives machine code for this process, or objects for a linker, with all that is said of the program. It embeds the standard
// library, caches machine code and writes C headers. The meaning of a program is decided in the phases, never here.
//
//   Session session;
//   Result<Compiled> made = session.compile(Text{"axpy.bsgp", text}, {});
//   if (made && made->good())
//     auto jit = load(*made->code, {});
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "compile/code.h"
#include "compile/library.h"
#include "compile/memory_cache.h"
#include "compile/options.h"
#include "compile/pipeline.h"
#include "compile/source.h"
#include "support/result.h"

namespace bsgp::compile {

// The result of compile: a program for this process.
struct Compiled {
  std::shared_ptr<const Code> code; // null: the program has errors
  Messages errors;
  bool good() const { return code != nullptr; }
};

struct BuildOptions {
  std::vector<std::string> cpus{"native"}; // each kernel is made for each of them: target::addCpus
  bool gpu = false;                        // kernels for GPUs of Options::sm, too
  bool as_object = false;                  // one object, for a program whose main is not ours
  std::string header_name;                 // of the file; its guard comes from it
};

// The result of build: a program to be linked.
struct Built {
  bool good() const { return errors.plain.empty(); }
  Messages errors, warnings;
  std::string failed_for_gpu; // as a program for CPUs it has no errors: a sentence that says so
  std::vector<std::string> objects, exports, libraries;
  std::vector<std::string> texts; // names of all that was read, without the library
  std::string remarks, header;
};

// From any thread, any number at a time.
class Session {
public:
  struct Counts {
    unsigned preludes = 0, compiled = 0, cached_in_memory = 0, cached_on_disk = 0;
  };

  explicit Session(size_t most_bytes_in_memory = size_t(64) << 20) : memory_(most_bytes_in_memory) {}
  static Session& ofProcess(); // of what has no session of its own; it is never destroyed

  // The phases one by one, for who looks at what stands between them. The caller's stack has to be deep enough (on_deep_stack.h).
  std::unique_ptr<Pipeline> begin(Source source, const Options& options) const;

  // Machine code for this process: from the memory of this session, from the disk ($BSGP_CACHE and its kin), or made. Fails where the
  // machine cannot be compiled for, the cache is described wrongly, or the tree is malformed.
  Result<Compiled> compile(Source source, const Options& options);

  // Objects for a linker; nothing is cached. With `gpu`, the program is made once more for GPUs, in a thread beside the first; the tree
  // of a front end is then made twice, one after the other.
  Result<Built> build(Source source, const Options& options, const BuildOptions& wanted) const;

  Counts counts() const { return {library_.preludesParsed(), compiled_, cached_in_memory_, cached_on_disk_}; }
  const Library& library() const { return library_; }

private:
  struct Caches;
  Result<Compiled> compileHere(Source source, const Options& options);
  std::shared_ptr<const Code> find(const runtime::Hash128& key, const Caches& caches);
  Result<Compiled> make(Pipeline& parsed, const runtime::Hash128& key, const Caches& caches);

  Library library_;
  MemoryCache memory_;
  std::atomic<unsigned> compiled_ = 0, cached_in_memory_ = 0, cached_on_disk_ = 0;
};

// Links code into this process; extern functions are those of `options`, of the program's own libraries and of the runtime.
Result<std::unique_ptr<target::Jit>> load(const Code& code, const Options& options);

} // namespace bsgp::compile

#include "driver/program_code.h"

#include <cstring>

#include "driver/compiler_build.h"
#include "driver/header.h"
#include "driver/remarks.h"
#include "target/out_of_memory.h"

namespace bsgp::driver {

namespace {

// Texts one behind the other, each with its length.
class Writer {
public:
  Writer& operator<<(std::string_view text) {
    uint64_t bytes = text.size();
    out_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    out_ += text;
    return *this;
  }
  Writer& operator<<(uint64_t number) { return *this << std::string_view(std::to_string(number)); }
  std::string take() { return std::move(out_); }

private:
  std::string out_;
};

class Reader {
public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool operator>>(std::string& text) {
    uint64_t bytes = 0;
    if (rest_.size() < sizeof bytes)
      return false;
    std::memcpy(&bytes, rest_.data(), sizeof bytes);
    rest_.remove_prefix(sizeof bytes);
    if (bytes > rest_.size())
      return false;
    text = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return true;
  }
  bool atEnd() const { return rest_.empty(); }

private:
  std::string_view rest_;
};

std::string entryOf(const ProgramCode& code) {
  Writer entry;
  entry << code.warnings << code.colored_warnings << code.remarks << code.header << code.objects.size();
  for (const std::string& object : code.objects)
    entry << object;
  entry << code.libraries.size();
  for (const std::string& library : code.libraries)
    entry << library;
  for (const std::string& name : code.exports)
    entry << name;
  return entry.take();
}

// Their number, and they.
bool readAll(Reader& reader, std::vector<std::string>& texts) {
  std::string count;
  bool whole = reader >> count;
  for (uint64_t left = whole ? std::strtoull(count.c_str(), nullptr, 10) : 0; whole && left != 0; --left) {
    texts.emplace_back();
    whole = reader >> texts.back();
  }
  return whole;
}

std::optional<ProgramCode> codeOf(std::string_view entry) {
  ProgramCode code;
  Reader reader(entry);
  bool whole = reader >> code.warnings && reader >> code.colored_warnings && reader >> code.remarks &&
               reader >> code.header && readAll(reader, code.objects) && readAll(reader, code.libraries);
  while (whole && !reader.atEnd()) {
    code.exports.emplace_back();
    whole = reader >> code.exports.back();
  }
  return whole ? std::optional(std::move(code)) : std::nullopt;
}

// Everything that the code, and what is said of it, depends on: the build of the compiler, the options, the machine,
// the text with all that it includes.
runtime::Hash128 keyOf(const Pipeline& pipeline, const CodeOptions& options, const std::string& build) {
  const PipelineOptions& front = pipeline.options();
  const target::CpuOptions& machine = options.machine;
  Writer key;
  key << "bsgp program" << build << front.opt_level << uint64_t(front.fp) << front.need_main << front.gpu
      << front.positions << front.debug << front.checks << front.warnings.text() << machine.opt_level << machine.triple
      << machine.cpu << machine.vector_width << machine.reference << options.interface;
  if (machine.cpu == "native")
    key << target::thisMachine();
  if (options.gpu)
    key << options.gpu->sm << options.gpu->opt_level << options.gpu->approximate;
  std::error_code ignored;
  if (front.debug) // where debuggers look for the files
    key << std::filesystem::current_path(ignored).string();
  const SourceManager& sources = pipeline.sources();
  SourcePos begin = 1;
  for (std::string_view name : sources.names()) {
    key << name << sources.text(begin);
    begin += SourcePos(sources.text(begin).size()) + 1;
  }
  return runtime::hash128(key.take());
}

void describeInterface(const Program& program, const SourceManager& sources, ProgramCode& code) {
  for (const Function* function : program.functions)
    if (function->is_export)
      code.exports.push_back(function->symbol);
  code.header = headerText(program, sources, "program.h");
}

Result<std::optional<ProgramCode>> make(Pipeline& pipeline, CodeOptions& options) {
  if (!pipeline.afterParse())
    return std::optional<ProgramCode>();
  target::InLlvm in_llvm;
  ProgramCode code;
  code.libraries = pipeline.flat().program->libraries;
  if (options.interface)
    describeInterface(*pipeline.flat().program, pipeline.sources(), code);
  if (pipeline.options().positions)
    options.machine.remark = remarkLines(pipeline, [&](const std::string& line) { code.remarks += line; });
  options.machine.place_of = debugPlaces(pipeline);
  if (options.gpu)
    target::lowerKernelsToPtx(pipeline.kernels(), *options.gpu, options.machine);
  else
    target::lowerKernels(pipeline.kernels(), options.machine);
  Result<std::vector<std::string>> objects = target::compileObjects(pipeline.kernels(), options.machine);
  if (!objects)
    return objects.error();
  code.objects = objects.take();
  code.warnings = pipeline.diagnostics().render(false);
  code.colored_warnings = pipeline.diagnostics().render(true);
  return std::optional(std::move(code));
}

} // namespace

Result<std::optional<ProgramCode>> compileProgram(Pipeline& pipeline, CodeOptions options,
                                                  const runtime::CodeCache& cache) {
  if (!pipeline.parse())
    return std::optional<ProgramCode>();
  std::string build = cache.keepsAny() ? compilerBuild() : std::string();
  if (build.empty())
    return make(pipeline, options);
  runtime::Hash128 key = keyOf(pipeline, options, build);
  if (std::optional<std::string> entry = cache.find(key))
    if (std::optional<ProgramCode> code = codeOf(*entry)) {
      pipeline.done("code from the cache");
      return code;
    }
  Result<std::optional<ProgramCode>> code = make(pipeline, options);
  if (code && *code)
    cache.keep(key, entryOf(**code));
  return code;
}

} // namespace bsgp::driver

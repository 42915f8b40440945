#include "compile/code.h"

#include <nlohmann/json.hpp>

#include "compile/header.h"
#include "compile/remarks.h"
#include "target/common/out_of_memory.h"

namespace bsgp::compile {

namespace {

using nlohmann::json;

// Texts one behind the other, each with its length: no two lists of texts give the same.
void append(std::string& key, std::string_view text) {
  key += std::to_string(text.size()) + ':';
  key += text;
}

// The texts of the program; those of the library belong to the build.
void appendTexts(std::string& key, const SourceManager& sources) {
  for (SourcePos begin : sources.begins()) {
    append(key, sources.name(begin));
    append(key, sources.ofLibrary({begin, begin}) ? std::string_view() : sources.text(begin));
  }
}

json bytes(const std::string& text) {
  return json::binary(std::vector<uint8_t>(text.begin(), text.end()));
}

std::string textOf(const json& bytes) {
  const json::binary_t& binary = bytes.get_binary();
  return {binary.begin(), binary.end()};
}

} // namespace

Messages messagesOf(const Pipeline& pipeline) {
  return {pipeline.diagnostics().render(false), pipeline.diagnostics().render(true)};
}

std::vector<std::string> exportsOf(const Program& program) {
  std::vector<std::string> symbols;
  for (const Function* function : program.functions)
    if (function->is_export)
      symbols.push_back(function->symbol);
  return symbols;
}

std::string entryOf(const Code& code) {
  json entry = {{"warnings", bytes(code.warnings.plain)},
                {"colored", bytes(code.warnings.colored)},
                {"remarks", bytes(code.remarks)},
                {"header", bytes(code.header)},
                {"interface", bytes(entryOf(code.interface))},
                {"exports", code.exports},
                {"libraries", code.libraries},
                {"objects", json::array()}};
  for (const std::string& object : code.objects)
    entry["objects"].push_back(bytes(object));
  std::string text;
  json::to_cbor(entry, text);
  return text;
}

std::optional<Code> codeOf(std::string_view text) try {
  json entry = json::from_cbor(text);
  Code code;
  code.warnings = {textOf(entry.at("warnings")), textOf(entry.at("colored"))};
  code.remarks = textOf(entry.at("remarks"));
  code.header = textOf(entry.at("header"));
  code.interface = interfaceOf(textOf(entry.at("interface")));
  code.exports = entry.at("exports");
  code.libraries = entry.at("libraries");
  for (const json& object : entry.at("objects"))
    code.objects.push_back(textOf(object));
  return code;
} catch (const json::exception&) {
  return std::nullopt;
}

runtime::Hash128 keyOf(const Pipeline& parsed, const std::string& build) {
  std::string key = "text";
  append(key, build);
  append(key, text(parsed.options()));
  appendTexts(key, parsed.sources());
  return runtime::hash128(key);
}

runtime::Hash128 keyOf(const Tree& tree, const Options& options, const std::string& build) {
  std::string key = "tree";
  append(key, build);
  append(key, text(options));
  append(key, tree.key);
  for (const std::string& file : tree.library)
    append(key, file);
  append(key, "texts");
  for (const Text& each : tree.texts) {
    append(key, each.name);
    append(key, each.text);
  }
  return runtime::hash128(key);
}

Result<std::optional<Code>> makeCode(Pipeline& pipeline) {
  if (!pipeline.afterParse())
    return std::optional<Code>();
  target::InLlvm in_llvm;
  const Options& options = pipeline.options();
  const Program& program = *pipeline.flat().program;
  Code code;
  code.libraries = program.libraries;
  code.exports = exportsOf(program);
  if (options.interface) {
    code.header = headerText(program, pipeline.sources(), "program.h");
    code.interface = interfaceOf(program, pipeline.sources());
  }
  target::CpuOptions machine = machineOptions(options);
  if (options.remarks)
    machine.remark = remarkLines(pipeline, [&](const std::string& line) { code.remarks += line; });
  machine.place_of = debugPlaces(pipeline);
  if (options.target == Target::Gpu)
    target::lowerKernelsToPtx(pipeline.kernels(), gpuOptions(options), machine);
  else
    target::lowerKernels(pipeline.kernels(), machine);
  Result<std::vector<std::string>> objects = target::compileObjects(pipeline.kernels(), machine);
  if (!objects)
    return objects.error();
  code.objects = objects.take();
  code.warnings = messagesOf(pipeline);
  return std::optional(std::move(code));
}

} // namespace bsgp::compile

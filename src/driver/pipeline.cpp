#include "driver/pipeline.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "bsp/bsp.h"
#include "check/check.h"
#include "driver/exports.h"
#include "driver/standard_library.h"
#include "parse/missing_includes.h"
#include "parse/parse.h"
#include "parse/tree_check.h"
#include "plan/check_abi.h"
#include "sema/after_errors.h"
#include "sema/verify.h"
#include "target/out_of_memory.h"

namespace bsgp::driver {

namespace {

bool isWordCharacter(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A declaration at the top level starts in the first column; its name is the last word in front of what follows names.
// Empty: the line is none.
std::string_view declaredIn(std::string_view line) {
  bool declaration = !line.empty() && isWordCharacter(line[0]);
  size_t end = declaration ? std::min(line.find_first_of("([{=;"), line.size()) : 0;
  while (end > 0 && !isWordCharacter(line[end - 1]))
    --end;
  size_t begin = end;
  while (begin > 0 && isWordCharacter(line[begin - 1]))
    --begin;
  return begin == 0 ? std::string_view() : line.substr(begin, end - begin);
}

// What the files of the library declare that are not read before every program.
std::unordered_map<std::string_view, std::string> namesOfIncludes() {
  std::unordered_map<std::string_view, std::string> names;
  for (const EmbeddedFile& file : embeddedFiles())
    for (std::string_view rest = file.part == LibraryPart::Include ? file.text : ""; !rest.empty();) {
      size_t end = std::min(rest.find('\n'), rest.size());
      if (std::string_view name = declaredIn(rest.substr(0, end)); !name.empty())
        names.emplace(name, file.name);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  return names;
}

std::string includeOf(std::string_view name) {
  static const auto names = namesOfIncludes();
  auto known = names.find(name);
  return known == names.end() ? std::string() : known->second;
}

// Up to its end.
Result<std::string> readStandardInput() {
  constexpr size_t kMost = size_t(1) << 30;
  std::string text;
  char buffer[1 << 16];
  for (size_t got = 0; text.size() <= kMost && (got = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;)
    text.append(buffer, got);
  if (std::ferror(stdin))
    return Error{std::string("cannot read the standard input: ") + std::strerror(errno)};
  if (text.size() > kMost)
    return Error{"the program on the standard input is larger than 1 GiB"};
  return text;
}

} // namespace

Result<void> Pipeline::load(const std::string& path) {
  if (path == "-") {
    Result<std::string> text = readStandardInput();
    if (!text)
      return text.error();
    loadText(kStandardInput, text.take());
    return {};
  }
  Result<SourcePos> file = sources_.addFile(path);
  if (!file)
    return file.error();
  main_file_ = *file;
  return {};
}

void Pipeline::loadText(std::string name, std::string text) {
  main_file_ = sources_.addText(std::move(name), std::move(text));
}

ParseOptions Pipeline::parseOptions() const {
  ParseOptions options;
  options.include_dirs = options_.include_dirs;
  options.include_of = includeOf;
  LibraryPart others = options_.gpu ? LibraryPart::Cpu : LibraryPart::Gpu;
  for (const EmbeddedFile& file : embeddedFiles())
    if (file.part != others)
      (file.part == LibraryPart::Include ? options.library : options.prelude)
          .push_back({file.name, std::string(file.text)});
  return options;
}

bool Pipeline::parse() {
  tree_ = bsgp::parse(sources_, arena_, diagnostics_, main_file_, parseOptions());
  done("parse");
  if (diagnostics_.hasErrors())
    sema::analyzeBroken(*tree_, semaOptions(), diagnostics_);
  is_text_ = true;
  tellOtherIncludes(includeOf, diagnostics_);
  return !diagnostics_.hasErrors();
}

bool Pipeline::useTree(std::string name, std::string text,
                       const std::function<ast::Program*(ast::Builder&, SourcePos)>& makeTree) {
  loadText(std::move(name), std::move(text));
  const ast::Program* prelude = bsgp::parse(sources_, arena_, diagnostics_, 0, parseOptions());
  ast::Builder builder(arena_);
  const ast::Program* made = makeTree(builder, main_file_);
  SourceRange all{main_file_, main_file_ + SourcePos(sources_.text(main_file_).size())};
  malformed_ = made ? checkTree(*made, all, diagnostics_) : "there is no tree";
  bool sound = malformed_.empty() && !diagnostics_.hasErrors();
  tree_ = sound ? bsgp::join(*prelude, *made, arena_) : arena_.make<ast::Program>();
  done("parse");
  return sound;
}

sema::Options Pipeline::semaOptions() const {
  sema::Options options;
  options.need_main = options_.need_main;
  options.gpu = options_.gpu;
  options.appends = !options_.gpu && !options_.reference && options_.checks == 0;
  options.include_of = includeOf;
  options.fast_math = options_.fp == irgen::FloatMode::Fast;
  options.tells_undefined = options_.checks & BSGP_CHECK_INIT;
  return options;
}

bool Pipeline::analyze() {
  analysis_ = std::make_unique<sema::Analysis>(*tree_, semaOptions(), diagnostics_);
  if (is_text_)
    tellOtherIncludes(includeOf, diagnostics_);
  done("sema");
  if (options_.verify && !diagnostics_.hasErrors())
    sema::check(analysis_->program());
  return !diagnostics_.stop();
}

bool verifies() {
  const char* wanted = std::getenv("BSGP_VERIFY");
  return wanted && std::string_view(wanted) == "1";
}

bool Pipeline::expand() {
  flat_ = expand::expand(analysis_->take(), {}, diagnostics_);
  done("expand");
  if (!diagnostics_.hasErrors())
    checkExports(*flat_.program, diagnostics_);
  return !diagnostics_.stop();
}

bool Pipeline::emit() {
  target::InLlvm in_llvm;
  irgen::Options options;
  options.fp = options_.fp;
  options.positions = options_.positions || options_.checks || options_.debug;
  options.debug = options_.debug;
  options.verify = options_.verify;
  options.checked = options_.checks != 0;
  spawns_ = irgen::emitModule(flat_, sources_, options, diagnostics_);
  done("irgen");
  if (options_.checks && !diagnostics_.hasErrors()) {
    check::addChecks(spawns_, sources_, {options_.checks});
    done("check");
  }
  return !diagnostics_.stop();
}

bool Pipeline::split() {
  target::InLlvm in_llvm;
  bsp::Options options;
  options.opt_level = options_.opt_level;
  options.verify = options_.verify;
  if (options_.after_pass)
    options.after_pass = [this](std::string_view pass, const llvm::Module& module) {
      options_.after_pass(pass, &module);
    };
  kernels_ = bsp::compileSupersteps(std::move(spawns_), options, diagnostics_);
  return !diagnostics_.stop();
}

void Pipeline::done(std::string_view pass) {
  if (options_.after_pass)
    options_.after_pass(pass, kernels_.module ? kernels_.module.get() : spawns_.module.get());
}

} // namespace bsgp::driver

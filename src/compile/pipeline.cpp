#include "compile/pipeline.h"

#include "bsp/bsp.h"
#include "check/check.h"
#include "compile/exports.h"
#include "parse/missing_includes.h"
#include "parse/tree_check.h"
#include "sema/after_errors.h"
#include "sema/verify.h"
#include "target/common/out_of_memory.h"

namespace bsgp::compile {

namespace {

IncludeOf includeOf(const Library& library) {
  return [&library](std::string_view name) { return library.includeOf(name); };
}

std::vector<Text> takeTexts(Source& source) {
  if (auto* tree = std::get_if<Tree>(&source))
    return std::move(tree->texts);
  return {std::move(std::get<Text>(source))};
}

} // namespace

static WarningPolicy policyOf(const Source& source, WarningPolicy policy) {
  if (const auto* tree = std::get_if<Tree>(&source))
    policy.off.insert(policy.off.end(), tree->silent.begin(), tree->silent.end());
  return policy;
}

Pipeline::Pipeline(const Library& library, Options options, Source source)
    : library_(library), options_(std::move(options)), source_(std::move(source)),
      prelude_(library.prelude(options_.target == Target::Gpu)), sources_(SourceManager::after(prelude_.sources())),
      diagnostics_(sources_) {
  diagnostics_.setPolicy(policyOf(source_, options_.warnings));
  for (Text& text : takeTexts(source_))
    texts_.push_back(sources_.addText(text.name.empty() ? "program" : std::move(text.name), std::move(text.text)));
  if (texts_.empty())
    texts_.push_back(sources_.addText("program", ""));
}

ParseOptions Pipeline::parseOptions() const {
  ParseOptions options;
  options.include_dirs = options_.include_dirs;
  options.include_of = includeOf(library_);
  options.library = library_.includes();
  options.prelude = &prelude_;
  return options;
}

void Pipeline::reportMistakesOfLibrary() {
  for (const Diagnostic& message : prelude_.messages())
    diagnostics_.put(message);
}

bool Pipeline::parse() {
  reportMistakesOfLibrary();
  const auto* tree = std::get_if<Tree>(&source_);
  return tree ? makeTree(*tree) : parseText();
}

bool Pipeline::parseText() {
  tree_ = bsgp::parse(sources_, arena_, diagnostics_, mainFile(), parseOptions());
  done("parse");
  if (diagnostics_.hasErrors())
    sema::analyzeBroken(*tree_, semaOptions(options_, includeOf(library_)), diagnostics_);
  tellOtherIncludes(includeOf(library_), diagnostics_);
  return !diagnostics_.hasErrors();
}

// The prelude, with the other files of the library that the tree asks for.
const ast::Program& Pipeline::libraryOf(const Tree& tree) {
  if (tree.library.empty())
    return prelude_.tree();
  std::string includes;
  for (const std::string& file : tree.library)
    includes += "#include <" + file + ">\n";
  SourcePos begin = sources_.addText("<includes>", includes, Origin::Library);
  return *bsgp::parse(sources_, arena_, diagnostics_, begin, parseOptions());
}

bool Pipeline::makeTree(const Tree& tree) {
  SourceRange all{texts_.front(), texts_.back() + SourcePos(sources_.text(texts_.back()).size())};
  const ast::Program& library = libraryOf(tree);
  if (tree.help)
    diagnostics_.setHelp(tree.help);
  ast::Builder nodes(arena_);
  TreeMaker maker{nodes, texts_, [this, all](SourceRange where, const std::string& message, const std::string& help) {
                    bool inside = where.begin >= all.begin && where.begin <= where.end && where.end <= all.end;
                    diagnostics_.report(Diag::front_end, inside ? where : SourceRange{all.begin, all.begin}, message,
                                        help);
                  }};
  const ast::Program* made = tree.make ? tree.make(maker) : nullptr;
  if (!made && !diagnostics_.hasErrors())
    malformed_ = "there is no tree, and no error was reported";
  else if (made)
    malformed_ = checkTree(*made, all, diagnostics_);
  bool sound = malformed_.empty() && !diagnostics_.hasErrors();
  tree_ = sound ? bsgp::join(library, *made, arena_) : arena_.make<ast::Program>();
  done("parse");
  return sound;
}

bool Pipeline::analyze() {
  analysis_ = std::make_unique<sema::Analysis>(*tree_, semaOptions(options_, includeOf(library_)), diagnostics_);
  if (std::holds_alternative<Text>(source_))
    tellOtherIncludes(includeOf(library_), diagnostics_);
  done("sema");
  if (options_.verify && !diagnostics_.hasErrors())
    sema::check(analysis_->program());
  return !diagnostics_.stop();
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
  spawns_ = irgen::emitModule(flat_, sources_, irgenOptions(options_), diagnostics_);
  done("irgen");
  if (options_.checks && !diagnostics_.hasErrors()) {
    check::addChecks(spawns_, sources_, {options_.checks});
    done("check");
  }
  return !diagnostics_.stop();
}

bool Pipeline::split() {
  target::InLlvm in_llvm;
  kernels_ = bsp::compileSupersteps(std::move(spawns_), bspOptions(options_), diagnostics_);
  return !diagnostics_.stop();
}

void Pipeline::done(std::string_view pass) {
  if (options_.after_pass)
    options_.after_pass(pass, kernels_.module ? kernels_.module.get() : spawns_.module.get());
}

Error malformedTree(const Pipeline& pipeline) {
  return Error{"the front end made no tree of the language: " + pipeline.malformed()};
}

} // namespace bsgp::compile

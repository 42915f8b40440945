// One way in to the compiler: a front end of thirty lines, what is cached, what is shared by compiles at the same time.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bsgp/bsgp.h"
#include "compile/interface.h"
#include "compile/session.h"

namespace bsgp::compile {

namespace {

namespace fs = std::filesystem;

// The front end. A text is "NAME scale N" or "NAME add N": what is done to all numbers of an array; or "include FILE", which has one more
// line of this kind. The second text, if there is one, is that file.
ast::TopLevel lineOf(TreeMaker& maker, SourcePos at, const std::string& line) {
  size_t first = line.find(' '), second = line.find(' ', first + 1);
  std::string name = line.substr(0, first), word = line.substr(first + 1, second - first - 1);
  SourceRange place{at, at + SourcePos(first)}, operation{place.end + 1, at + SourcePos(second)};
  ast::Builder& b = maker.nodes;
  if (word != "scale" && word != "add")
    maker.error(operation, "'" + word + "' is nothing that can be done to numbers", "write scale or add");
  auto element = [&] { return b.index(b.name("p", place), b.thread("rank", place), place); };
  // A name that the user did not write is taken for the number: sema has to find that it is none.
  std::string number = line.substr(second + 1, line.find('\n') - second - 1);
  ast::Expr* by =
      number == "?" ? b.name("unknown", operation) : b.integer(uint64_t(std::atoi(number.c_str())), operation);
  ast::BinaryOp op = word == "add" ? ast::BinaryOp::Add : ast::BinaryOp::Mul;
  ast::Stmt* body = b.block({b.expression(b.update(op, element(), by, operation))}, place);
  ast::Stmt* all = b.block({b.spawn(b.name("n", place), body, place)}, place);
  ast::TypeExpr* numbers = b.pointer(b.named("i32", place), place, ast::Space::Device);
  ast::Function* made = b.function(
      nullptr, name, {b.parameter(numbers, "p", place), b.parameter(b.named("i32", place), "n", place)}, all, place);
  made->is_export = true;
  return b.item(made);
}

Tree program(std::vector<Text> texts, std::atomic<int>* made = nullptr) {
  Tree tree;
  tree.texts = texts;
  tree.key = "numbers 1";
  tree.make = [=](TreeMaker& maker) {
    if (made)
      ++*made;
    std::vector<ast::TopLevel> items;
    for (size_t i = 0; i < texts.size(); ++i)
      items.push_back(lineOf(maker, maker.texts[i], texts[i].text));
    return maker.nodes.program(items);
  };
  tree.help = [](const Diagnostic&) { return "write a number"; };
  return tree;
}

using Function = bsgp_status (*)(bsgp_context*, int32_t*, int32_t);

int32_t runOn(const Code& code, const char* name, int32_t value) {
  auto jit = load(code, {});
  EXPECT_TRUE(jit) << jit.message();
  auto found = (*jit)->lookup(name);
  EXPECT_TRUE(found) << found.message();
  std::vector<int32_t> numbers(100, value);
  EXPECT_EQ(reinterpret_cast<Function>(*found)(nullptr, numbers.data(), 100), BSGP_OK) << bsgp_error_message();
  EXPECT_TRUE(std::all_of(numbers.begin(), numbers.end(), [&](int32_t n) { return n == numbers[0]; }));
  return numbers[0];
}

// A folder of its own for the cache, as long as this lives.
class CacheFolder {
public:
  CacheFolder() : folder_(fs::temp_directory_path() / ("bsgp_session_" + std::to_string(getpid()))) {
    setenv("BSGP_CACHE", "1", 1);
    setenv("BSGP_CACHE_DIR", folder_.c_str(), 1);
  }
  ~CacheFolder() {
    setenv("BSGP_CACHE", "0", 1);
    unsetenv("BSGP_CACHE_DIR");
    fs::remove_all(folder_);
  }

private:
  fs::path folder_;
};

std::string kernel(int number) {
  return "export add(device float* y, int n) {\n  spawn (n) { y[thread.rank] += " + std::to_string(number) +
         ".0f; }\n}\n";
}

} // namespace

TEST(CompileSession, RunsTheProgramOfAFrontEnd) {
  Session session;
  auto made = session.compile(program({{"numbers", "triple scale 3\n"}}), {});
  ASSERT_TRUE(made) << made.message();
  ASSERT_TRUE(made->good()) << made->errors.plain;
  EXPECT_EQ(runOn(*made->code, "triple", 14), 42);
}

TEST(CompileSession, ReportsInTheWordsOfTheFrontEnd) {
  Session session;
  auto unknown = session.compile(program({{"numbers", "triple divide 3\n"}}), {});
  ASSERT_TRUE(unknown && !unknown->good());
  EXPECT_NE(unknown->errors.plain.find("numbers:1:8: error: 'divide' is nothing that can be done to numbers"),
            std::string::npos)
      << unknown->errors.plain;
  EXPECT_NE(unknown->errors.plain.find("[front_end]"), std::string::npos) << unknown->errors.plain;
  EXPECT_NE(unknown->errors.plain.find("help: write scale or add"), std::string::npos) << unknown->errors.plain;
  auto of_sema = session.compile(program({{"numbers", "triple scale ?\n"}}), {});
  ASSERT_TRUE(of_sema && !of_sema->good());
  EXPECT_NE(of_sema->errors.plain.find("numbers:1:8: error"), std::string::npos) << of_sema->errors.plain;
  EXPECT_NE(of_sema->errors.plain.find("help: write a number"), std::string::npos) << of_sema->errors.plain;
}

TEST(CompileSession, ATreeHasPlacesInSeveralTexts) {
  Session session;
  auto made = session.compile(program({{"main", "triple scale 3\n"}, {"included", "more add 5\n"}}), {});
  ASSERT_TRUE(made && made->good());
  EXPECT_EQ(runOn(*made->code, "more", 1), 6);
  auto wrong = session.compile(program({{"main", "triple scale 3\n"}, {"included", "more add ?\n"}}), {});
  ASSERT_TRUE(wrong && !wrong->good());
  EXPECT_NE(wrong->errors.plain.find("included:1:6: error"), std::string::npos) << wrong->errors.plain;
}

TEST(CompileSession, CachesTreesByTheirTextsAndKeys) {
  CacheFolder folder;
  std::atomic<int> made = 0;
  Session session;
  for (int i = 0; i < 3; ++i) {
    auto code = session.compile(program({{"numbers", "triple scale 3\n"}}, &made), {});
    ASSERT_TRUE(code && code->good());
    EXPECT_EQ(runOn(*code->code, "triple", 2), 6);
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(session.counts().cached_in_memory, 2u);
  auto other = session.compile(program({{"numbers", "triple scale 4\n"}}, &made), {});
  ASSERT_TRUE(other && other->good());
  EXPECT_EQ(runOn(*other->code, "triple", 2), 8);
  Tree keyless = program({{"numbers", "triple scale 3\n"}}, &made);
  keyless.key.clear();
  ASSERT_TRUE(session.compile(keyless, {}) && session.compile(keyless, {}));
  EXPECT_EQ(made, 4);
}

TEST(CompileSession, CachesTextsByAllThatTheyRead) {
  CacheFolder folder;
  fs::path included = fs::temp_directory_path() / ("bsgp_session_" + std::to_string(getpid()) + ".bsgp");
  auto write = [&](const char* text) { std::ofstream(included) << text; };
  Session session;
  Text text{"main.bsgp", "#include \"" + included.string() + "\"\nexport int number() { return kNumber; }\n"};
  write("const int kNumber = 1;\n");
  ASSERT_TRUE(session.compile(text, {})->good());
  ASSERT_TRUE(session.compile(text, {})->good());
  EXPECT_EQ(session.counts().cached_in_memory, 1u);
  write("const int kNumber = 2;\n");
  ASSERT_TRUE(session.compile(text, {})->good());
  EXPECT_EQ(session.counts().compiled, 2u);
  Options other;
  other.opt_level = 1;
  ASSERT_TRUE(session.compile(text, other)->good());
  EXPECT_EQ(session.counts().compiled, 3u);
  fs::remove(included);
}

TEST(CompileSession, MemoryHoldsNoMoreThanItsBound) {
  CacheFolder folder;
  setenv("BSGP_CACHE_DIR", "/dev/null/none", 1); // nothing is written
  Session session(size_t(1));                    // byte
  ASSERT_TRUE(session.compile(Text{"k.bsgp", kernel(1)}, {})->good());
  ASSERT_TRUE(session.compile(Text{"k.bsgp", kernel(1)}, {})->good());
  EXPECT_EQ(session.counts().cached_in_memory, 0u);
  EXPECT_EQ(session.counts().compiled, 2u);
}

TEST(CompileSession, BuildsTheProgramOfAFrontEnd) {
  Session session;
  BuildOptions wanted;
  wanted.as_object = true, wanted.gpu = true, wanted.header_name = "numbers.h";
  auto built = session.build(program({{"numbers", "triple scale 3\n"}}), {}, wanted);
  ASSERT_TRUE(built) << built.message();
  ASSERT_TRUE(built->good()) << built->errors.plain;
  ASSERT_EQ(built->objects.size(), 1u);
  EXPECT_EQ(built->objects[0].substr(1, 3), "ELF");
  EXPECT_EQ(built->exports, std::vector<std::string>{"triple"});
  EXPECT_NE(built->header.find("triple("), std::string::npos) << built->header;
  EXPECT_EQ(built->texts, std::vector<std::string>{"numbers"});
}

TEST(CompileSession, AProgramToBeLinkedHasAMain) {
  Session session;
  auto text = session.build(Text{"t.bsgp", "export f(int n) { }\n"}, {}, {});
  ASSERT_TRUE(text && !text->good());
  EXPECT_NE(text->errors.plain.find("main"), std::string::npos) << text->errors.plain;
  auto tree = session.build(program({{"numbers", "triple scale 3\n"}}), {}, {});
  ASSERT_TRUE(tree && !tree->good());
}

TEST(CompileSession, ATreeWithoutTextsOrNamesIsRefusedOrNamed) {
  Session session;
  auto made = session.compile(program({}), {});
  EXPECT_TRUE(made && made->good()); // an empty program
  Options debug;
  debug.debug = true;
  auto unnamed = session.compile(program({{"", "triple scale 3\n"}}), debug);
  ASSERT_TRUE(unnamed && unnamed->good());
  Tree nothing;
  EXPECT_FALSE(session.compile(nothing, {}));
}

TEST(CompileSession, HelpOfTheFrontEndStandsUnderWarnings) {
  Session session;
  Tree tree = program({{"numbers", "x\n"}});
  tree.make = [](TreeMaker& maker) {
    ast::Builder& b = maker.nodes;
    SourceRange at{maker.texts[0], maker.texts[0] + 1};
    ast::Stmt* nothing = b.expression(b.binary(ast::BinaryOp::Add, b.name("n", at), b.integer(1, at), at));
    ast::Function* made = b.function(b.named("i32", at), "f", {b.parameter(b.named("i32", at), "n", at)},
                                     b.block({nothing, b.giveBack(b.name("n", at), at)}, at), at);
    made->is_export = true;
    return b.program({made});
  };
  auto made = session.compile(tree, {});
  ASSERT_TRUE(made && made->good()) << made->errors.plain;
  EXPECT_NE(made->code->warnings.plain.find("help: write a number"), std::string::npos) << made->code->warnings.plain;
}

TEST(CompileSession, ExportedNamesAreNamesInC) {
  Session session;
  auto made = session.compile(program({{"numbers", "a*b scale 3\n"}}), {});
  ASSERT_TRUE(made && !made->good());
  EXPECT_NE(made->errors.plain.find("is no name in C"), std::string::npos) << made->errors.plain;
}

TEST(CompileSession, ATreeIncludesFilesOfTheLibrary) {
  Session session;
  auto call = [](std::vector<std::string> library) {
    Tree tree = program({{"numbers", "x\n"}});
    tree.library = std::move(library);
    tree.make = [](TreeMaker& maker) {
      ast::Builder& b = maker.nodes;
      SourceRange at{maker.texts[0], maker.texts[0] + 1};
      ast::Expr* made = b.call("random", {b.integer(1, at), b.integer(2, at)}, at);
      ast::Stmt* stand = b.declare(b.automatic(at), "r", made, at);
      ast::Function* f = b.function(nullptr, "f", {}, b.block({stand}, at), at);
      f->is_export = true;
      return b.program({f});
    };
    return tree;
  };
  auto without = session.compile(call({}), {});
  EXPECT_TRUE(without && !without->good());
  auto with = session.compile(call({"random.bsgp"}), {});
  ASSERT_TRUE(with && with->good()) << (with ? with->errors.plain : with.message());
  auto unknown = session.compile(call({"unheard_of.bsgp"}), {});
  EXPECT_TRUE(unknown && !unknown->good());
}

TEST(CompileSession, ATreeForGpusIsTheSame) {
  Session session;
  auto times = std::make_shared<int>(0);
  Tree tree = program({{"numbers", "triple scale 3\n"}});
  tree.make = [times](TreeMaker& maker) {
    std::string name = ++*times == 1 ? "first" : "other";
    std::vector<ast::TopLevel> items{lineOf(maker, maker.texts[0], name + " scale 3\n")};
    return maker.nodes.program(items);
  };
  BuildOptions wanted;
  wanted.as_object = true, wanted.gpu = true;
  auto built = session.build(tree, {}, wanted);
  ASSERT_FALSE(built);
  EXPECT_NE(built.message().find("exports other functions"), std::string::npos) << built.message();
}

TEST(CompileSession, ManyThreadsCompileAtATime) {
  constexpr int kThreads = 4;
  const char* wanted = std::getenv("BSGP_SESSION_KERNELS");
  int each = wanted ? std::atoi(wanted) / kThreads : 5;
  Session session;
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      Options options;
      options.opt_level = 1;
      for (int i = 0; i < each; ++i) {
        auto made = session.compile(Text{"k.bsgp", kernel(t * each + i)}, options);
        good += made && made->good() && load(*made->code, options);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(good, kThreads * each);
  EXPECT_EQ(session.counts().preludes, 1u);
  EXPECT_EQ(session.counts().compiled, unsigned(kThreads * each));
}

// This is how it is kept on disk.
TEST(Interface, IsTheSameBehindATextOfIt) {
  Interface interface;
  interface.types.push_back({BSGP_TYPE_STRUCT, -1, "S", 16, 8, 3, true, false, 0, {{"next", 0, 8}}});
  interface.exports.push_back({"f", "symbol", "a.bsgp", "void f(S* s)", 7, 0, {{"s", 0, false, true}}});
  Interface read = interfaceOf(entryOf(interface));
  EXPECT_EQ(entryOf(read), entryOf(interface));
  EXPECT_EQ(read.types[0].fields[0].offset, 8u);
  EXPECT_EQ(read.exports[0].symbol, "symbol");
  EXPECT_TRUE(read.exports[0].parameters[0].is_const);
}

} // namespace bsgp::compile

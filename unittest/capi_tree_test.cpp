// bsgp_compile_tree: programs of other front ends as JSON.
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "bsgp/bsgp.h"

namespace {

// The tree of docs/trees.md.
std::string documented() {
  std::ifstream file(BSGP_DOCS "/trees.md");
  std::stringstream all;
  all << file.rdbuf();
  std::string text = all.str();
  size_t begin = text.find("```json\n") + 8;
  return text.substr(begin, text.find("```", begin) - begin);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string errorOf(const std::string& tree) {
  bsgp_program* program = nullptr;
  EXPECT_EQ(bsgp_compile_tree(tree.c_str(), nullptr, &program), BSGP_INVALID) << tree;
  EXPECT_EQ(program, nullptr);
  return bsgp_error_message();
}

#define EXPECT_SAYS(text, words) EXPECT_NE((text).find(words), std::string::npos) << (text)

TEST(CompileTree, DocumentedTreeRuns) {
  bsgp_program* program = nullptr;
  ASSERT_EQ(bsgp_compile_tree(documented().c_str(), nullptr, &program), BSGP_OK) << bsgp_error_message();
  void* function = nullptr;
  ASSERT_EQ(bsgp_program_function(program, "twice", &function), BSGP_OK);
  float x[3] = {1, 2, 3};
  auto twice = reinterpret_cast<bsgp_status (*)(bsgp_context*, float*, int32_t)>(function);
  ASSERT_EQ(twice(nullptr, x, 3), BSGP_OK) << bsgp_error_message();
  EXPECT_EQ(x[2], 6);
  EXPECT_EQ(bsgp_program_destroy(program), BSGP_OK);
}

TEST(CompileTree, MistakesHaveTheirPlacesInTheTextsOfTheFrontEnd) {
  std::string error = errorOf(replaced(documented(), R"(["name", 6, 7, "x"])", R"(["name", 6, 7, "z"])"));
  EXPECT_SAYS(error, "twice.toy:1:7: error: unknown name 'z' [unknown_name]");
  EXPECT_SAYS(error, "    twice x\n          ^");
}

TEST(CompileTree, HelpIsThatOfTheFrontEnd) {
  std::string tree = replaced(documented(), R"(["name", 6, 7, "x"])", R"(["name", 6, 7, "z"])");
  tree = replaced(tree, R"({"texts")", R"({"helps": {"unknown_name": "say it otherwise"}, "texts")");
  EXPECT_SAYS(errorOf(tree), "help: say it otherwise");
}

TEST(CompileTree, WrongNodesAreNamed) {
  EXPECT_SAYS(errorOf(replaced(documented(), R"("update")", R"("upside")")), "node 'upside' is no expression");
  EXPECT_SAYS(errorOf(replaced(documented(), R"(0, 7, "*",)", R"(0, 7, "**",)")), "has an unknown operator");
  EXPECT_SAYS(errorOf(replaced(documented(), R"(["int", 0, 5, 2])", R"(["int", 0, 9, 2])")), "outside of the texts");
  EXPECT_SAYS(errorOf(replaced(documented(), R"(["int", 0, 5, 2])", R"(["int", 0, 5])")), "lacks part 1");
  EXPECT_SAYS(errorOf(replaced(documented(), R"(["int", 0, 5, 2])", "7")), "this is no node: 7");
  EXPECT_SAYS(errorOf(replaced(documented(), R"("f32"]], "x")", R"("f32"], "moon"], "x")")), "has an unknown space");
  EXPECT_SAYS(errorOf(replaced(documented(), R"(["int", 0, 5, 2])", R"(["int", 0, 5, 2, 1000000000])")),
              "has as many bits");
  EXPECT_SAYS(errorOf(R"({"texts": [["a", "b"]], "program": null})"), "the program is no list");
  EXPECT_SAYS(errorOf(replaced(documented(), R"(["function")", R"(["program")")), "neither a function nor a struct");
}

TEST(CompileTree, WrongTextsAreRefused) {
  EXPECT_SAYS(errorOf("{"), "bsgp_compile_tree: the tree is no JSON");
  EXPECT_SAYS(errorOf("{}"), "malformed");
  EXPECT_SAYS(errorOf(R"({"texts": [], "program": []})"), "has no texts");
  EXPECT_SAYS(errorOf(R"({"texts": [["a"]], "program": []})"), "malformed");
  EXPECT_SAYS(errorOf(R"({"texts": [["a", "b"]], "program": 7})"), "malformed");
  EXPECT_EQ(bsgp_compile_tree(nullptr, nullptr, nullptr), BSGP_INVALID);
}

// Every part of a tree that is left out or replaced is an error, never a crash.
TEST(CompileTree, DamagedTreesAreRefused) {
  std::string tree = documented();
  for (const char* put : {"null", "[]", "\"x\"", "-1", "[[[]]]"})
    for (size_t at = tree.find('['); at != std::string::npos; at = tree.find('[', at + 1)) {
      int depth = 0;
      size_t end = at;
      do
        depth += tree[end] == '[' ? 1 : tree[end] == ']' ? -1 : 0;
      while (++end < tree.size() && depth > 0);
      bsgp_program* program = nullptr;
      std::string damaged = tree.substr(0, at) + put + tree.substr(end);
      if (bsgp_compile_tree(damaged.c_str(), nullptr, &program) == BSGP_OK)
        bsgp_program_destroy(program);
    }
}

} // namespace

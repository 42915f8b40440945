#include "compile/tree_of_json.h"

#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compile/json_nodes.h"

namespace bsgp::compile {

using nlohmann::json;

namespace {

// A member that may be left out.
template <class T> T member(const json& of, const char* name, T otherwise) {
  auto found = of.find(name);
  return found == of.end() ? otherwise : found->template get<T>();
}

std::string helpOf(const std::map<std::string, std::string>& helps, const Diagnostic& message) {
  auto found = helps.find(std::string(diagName(message.kind)));
  return found == helps.end() ? message.help : found->second;
}

ast::Program* programOf(const json& items, TreeMaker& maker, const std::vector<Text>& texts) {
  try {
    return JsonNodes(maker, texts).program(items);
  } catch (const WrongNode& wrong) {
    maker.error(wrong.place, "the tree is malformed: " + wrong.message, "");
    return nullptr;
  }
}

Result<Tree> treeOf(const std::shared_ptr<const json>& all, const std::string& key) {
  Tree tree;
  for (const json& each : all->at("texts"))
    tree.texts.push_back({each.at(0).get<std::string>(), each.at(1).get<std::string>()});
  if (tree.texts.empty())
    return Error{"the tree has no texts"};
  tree.library = member(*all, "library", std::vector<std::string>{});
  tree.silent = member(*all, "silent", std::vector<std::string>{});
  auto helps = member(*all, "helps", std::map<std::string, std::string>{});
  tree.help = [helps](const Diagnostic& message) { return helpOf(helps, message); };
  tree.key = "json " + key;
  auto texts = tree.texts;
  const json& items = all->at("program");
  tree.make = [all, &items, texts](TreeMaker& maker) { return programOf(items, maker, texts); };
  return tree;
}

} // namespace

Result<Tree> treeOfJson(const std::string& text) {
  auto all = std::make_shared<json>(json::parse(text, nullptr, false));
  if (all->is_discarded())
    return Error{"the tree is no JSON"};
  try {
    return treeOf(all, text);
  } catch (const json::exception& wrong) {
    return Error{std::string("the tree is malformed: ") + wrong.what()};
  }
}

} // namespace bsgp::compile

// Prints the partitions of a spawn: blocks, and the values that live between them.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plan/report.h"
#include "plan/table.h"
#include "plan/words.h"

namespace bsgp::plan {
namespace {

std::string numbers(const std::vector<uint32_t>& list) {
  return list.empty() ? "-" : fmt::format("{}", fmt::join(list, ", "));
}

std::string plural(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// The blocks among the numbers of a variable that are `number`.
std::string namesIn(const PartitionTable& table, uint32_t number, std::vector<uint32_t> PartitionVariable::* list) {
  std::vector<std::string> names;
  for (const PartitionVariable& variable : table.variables)
    if (std::binary_search((variable.*list).begin(), (variable.*list).end(), number))
      names.push_back(variable.name);
  return names.empty() ? "-" : join(names);
}

std::string blocksText(const PartitionTable& table) {
  std::vector<Row> rows{{"block", "basic blocks", "colour", "then", "loads", "stores"}};
  size_t blocks = table.blocks.size() - table.copying.size();
  for (uint32_t i = 0; i < table.blocks.size(); ++i) {
    const PartitionBlock& block = table.blocks[i];
    std::string number = i < blocks ? std::to_string(i) : fmt::format("{} copies", i);
    rows.push_back({number, i < blocks ? std::to_string(block.basic_blocks) : "-", block.colour ? "b" : "a",
                    numbers(block.next), namesIn(table, i, &PartitionVariable::loaded),
                    namesIn(table, i, &PartitionVariable::stored)});
  }
  return bsgp::plan::table(rows, 4);
}

Row variableRow(const PartitionVariable& variable) {
  const char* kind = variable.is_array                   ? "array, used in place"
                     : variable.read_and_written.empty() ? "exposed"
                                                         : "read and written";
  return {variable.name,
          std::to_string(variable.bytes),
          kind,
          numbers(variable.read_and_written),
          numbers(variable.copied),
          numbers(variable.bypassed)};
}

std::string tableText(const PartitionTable& table) {
  size_t copying = table.copying.size(), blocks = table.blocks.size() - copying;
  std::string text = fmt::format("  superstep {}: {}, merged into {}; with {}, {}\n", table.superstep,
                                 plural(table.basic_blocks, "basic block"), blocks, plural(copying, "copying node"),
                                 plural(table.blocks.size(), "kernel"));
  text += blocksText(table);
  size_t both = 0, exposed = 0;
  for (const PartitionVariable& variable : table.variables)
    both += !variable.read_and_written.empty(), exposed += variable.read_and_written.empty() && !variable.is_array;
  text += fmt::format("    {} between blocks: {} exposed, {} read and written, {} in place; {} of one block\n",
                      plural(table.variables.size(), "variable"), exposed, both,
                      plural(table.variables.size() - both - exposed, "array"), plural(table.locals, "variable"));
  if (table.variables.empty())
    return text;
  std::vector<Row> rows{{"variable", "bytes/thread", "kind", "read and written in", "copied in", "bypassed in"}};
  for (const PartitionVariable& variable : table.variables)
    rows.push_back(variableRow(variable));
  return text + bsgp::plan::table(rows, 4);
}

nlohmann::ordered_json json(const PartitionVariable& variable) {
  return {{"name", variable.name},      {"bytes_per_thread", variable.bytes},
          {"array", variable.is_array}, {"loaded", variable.loaded},
          {"stored", variable.stored},  {"read_and_written", variable.read_and_written},
          {"copied", variable.copied},  {"bypassed", variable.bypassed}};
}

nlohmann::ordered_json json(const PartitionTable& table) {
  auto blocks = nlohmann::ordered_json::array(), copying = blocks, variables = blocks;
  for (const PartitionBlock& block : table.blocks)
    blocks.push_back(nlohmann::ordered_json{
        {"basic_blocks", block.basic_blocks}, {"next", block.next}, {"colour", int(block.colour)}});
  for (auto [from, to] : table.copying)
    copying.push_back(nlohmann::ordered_json{{"from", from}, {"to", to}});
  for (const PartitionVariable& variable : table.variables)
    variables.push_back(json(variable));
  return {{"superstep", table.superstep},
          {"basic_blocks", table.basic_blocks},
          {"blocks", table.blocks.size() - table.copying.size()},
          {"kernels", blocks},
          {"copying_nodes", copying},
          {"variables_of_one_block", table.locals},
          {"variables", variables}};
}

} // namespace

std::string partitionText(const Plan& plan, const Report& report) {
  std::string text = heading(plan) + "\n";
  for (const PartitionTable& table : report.partitions)
    text += tableText(table);
  for (const PartitionRemark& remark : report.partition)
    text += "  " + remark.text + "\n";
  return report.partition.empty() ? text + "  no partition\n" : text;
}

std::string partitionJson(const Plan& plan, const Report& report) {
  auto tables = nlohmann::ordered_json::array(), remarks = tables;
  for (const PartitionTable& table : report.partitions)
    tables.push_back(json(table));
  for (const PartitionRemark& remark : report.partition)
    remarks.push_back(remark.text);
  return nlohmann::ordered_json{{"spawn", plan.name}, {"partitions", tables}, {"remarks", remarks}}.dump(2) + "\n";
}

} // namespace bsgp::plan

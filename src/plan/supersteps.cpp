// Prints the supersteps of a spawn: kernels with their lines and parameters, then the values that cross a barrier
// (the paper's tables 1 and 2, with a column for those that are really stored after recomputation).
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plan/report.h"
#include "plan/table.h"
#include "plan/words.h"

namespace bsgp::plan {
namespace {

bool crosses(const CrossingValue& value) {
  return std::any_of(value.used.begin(), value.used.end(), [&](uint32_t step) { return step > value.defined; });
}

std::string superstepText(const Plan& plan, size_t i, const std::vector<std::string>& labels) {
  const Superstep& step = plan.supersteps[i];
  const Kernel* kernel = kernelOf(plan, uint32_t(i + 1));
  Row head{fmt::format("superstep {}", i + 1), lines(step.first_line, step.last_line),
           kernel ? "kernel " + kernel->symbol : "nothing to run"};
  if (step.reassigned)
    head.push_back("ranks reassigned");
  std::string text = table({head}, 2);
  if (!step.next.empty())
    text += "    then " + ways(step.next) + "\n";
  if (!kernel)
    return text;
  std::vector<Row> rows;
  if (!kernel->params.empty())
    rows.push_back({"parameters", paramNames(*kernel, labels)});
  if (kernel->loaded || kernel->stored)
    rows.push_back({"streams", fmt::format("{} bytes/thread loaded, {} stored", kernel->loaded, kernel->stored)});
  if (const Partition* partition = partitionOf(plan, uint32_t(kernel - plan.kernels.data())))
    rows.push_back(
        {"partition", fmt::format("{} basic blocks as {} kernels", partition->basic_blocks, partition->blocks.size())});
  return text + table(rows, 4);
}

std::string storedText(const CrossingValue& value) {
  if (value.stored)
    return value.how.empty() ? "yes" : fmt::format("yes ({}, {} bytes/thread)", value.how, value.bytes);
  return value.how.empty() ? "no" : fmt::format("no ({})", value.how);
}

std::string crossingText(const Report& report) {
  if (report.crossing.empty())
    return "  no value crosses a barrier\n";
  std::vector<Row> rows{{"value", "defined", "used", "crosses", "stored"}};
  for (const CrossingValue& value : report.crossing)
    rows.push_back({value.name, std::to_string(value.defined), fmt::format("{}", fmt::join(value.used, ", ")),
                    crosses(value) ? "yes" : "no", storedText(value)});
  return "  values that cross a barrier\n" + table(rows, 4);
}

nlohmann::ordered_json json(const Site& site) {
  return {{"file", site.file}, {"line", site.line}, {"column", site.column}, {"library", site.of_library}};
}

nlohmann::ordered_json json(const Plan& plan, const Param& param) {
  static constexpr const char* kKinds[] = {"frame", "stream", "size", "oldsize", "append", "block"};
  const char* kind = kKinds[param.kind];
  std::string name = takesSlot(param)              ? plan.slots[param.index].name
                     : param.kind == Param::Stream ? fmt::format("t{}", param.index)
                                                   : kind;
  static constexpr const char* kAccess[] = {"none", "own", "any"};
  return {{"kind", kind},
          {"index", param.index},
          {"name", name},
          {"reads", kAccess[int(param.reads)]},
          {"writes", kAccess[int(param.writes)]}};
}

nlohmann::ordered_json superstepJson(const Plan& plan, size_t i) {
  const Superstep& step = plan.supersteps[i];
  nlohmann::ordered_json out{{"superstep", i + 1},
                             {"first_line", step.first_line},
                             {"last_line", step.last_line},
                             {"ranks_reassigned", step.reassigned},
                             {"next", nextOf(plan, uint32_t(i + 1))}};
  const Kernel* kernel = kernelOf(plan, uint32_t(i + 1));
  if (!kernel) {
    out["kernel"] = nullptr;
    return out;
  }
  auto params = nlohmann::ordered_json::array();
  for (const Param& param : kernel->params)
    params.push_back(json(plan, param));
  out["kernel"] = kernel->symbol;
  out["parameters"] = params;
  if (const Partition* partition = partitionOf(plan, uint32_t(kernel - plan.kernels.data())))
    out["blocks"] = partition->blocks.size(), out["basic_blocks"] = partition->basic_blocks;
  out["loaded_bytes_per_thread"] = kernel->loaded;
  out["stored_bytes_per_thread"] = kernel->stored;
  return out;
}

nlohmann::ordered_json json(const CrossingValue& value) {
  return {{"value", value.name},
          {"defined", value.defined},
          {"used", value.used},
          {"crosses", crosses(value)},
          {"stored", value.stored},
          {"how", value.how},
          {"bytes_per_thread", value.bytes}};
}

} // namespace

std::string superstepsText(const Plan& plan, const Report& report) {
  std::string text = heading(plan) + "\n";
  std::vector<std::string> labels = slotLabels(plan);
  for (size_t i = 0; i < plan.supersteps.size(); ++i)
    text += superstepText(plan, i, labels);
  text += crossingText(report);
  for (const std::string& remark : report.remarks)
    text += "  remark: " + remark + "\n";
  for (const PartitionRemark& remark : report.partition)
    text += "  remark: " + remark.text + "\n";
  return text;
}

std::string superstepsJson(const Plan& plan, const Report& report) {
  auto supersteps = nlohmann::ordered_json::array(), values = supersteps;
  for (size_t i = 0; i < plan.supersteps.size(); ++i)
    supersteps.push_back(superstepJson(plan, i));
  for (const CrossingValue& value : report.crossing)
    values.push_back(json(value));
  nlohmann::ordered_json out{{"spawn", plan.name},
                             {"site", json(plan.site)},
                             {"rank_bits", plan.rank_bits},
                             {"block", plan.block},
                             {"supersteps", supersteps},
                             {"values", values},
                             {"stream_count", plan.streams.size()},
                             {"remarks", report.remarks}};
  return out.dump(2) + "\n";
}

} // namespace bsgp::plan

#include "bsp/partition/describe.h"

#include <set>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "bsp/crossing.h"
#include "bsp/partition/graph/bipartition.h"
#include "bsp/partition/graph/bypass.h"
#include "ir/names.h"

namespace bsgp::bsp {

using namespace llvm;

namespace {

class Describer {
public:
  Describer(Function& kernel, const Regions& regions, const KeptValues& kept)
      : kernel_(kernel), regions_(regions), kept_(kept), graph_(makeBipartite(graphOf(regions))) {}

  plan::PartitionTable run(uint32_t superstep) {
    table_.superstep = superstep;
    table_.basic_blocks = regions_.basic_blocks;
    for (auto [from, to] : graph_.copied)
      table_.copying.push_back({from, to});
    for (unsigned node = 0; node < graph_.next.size(); ++node)
      table_.blocks.push_back({node < regions_.all.size() ? uint32_t(codeBlocks(node)) : 0,
                               {graph_.next[node].begin(), graph_.next[node].end()},
                               graph_.colour[node]});
    for (auto [value, stream] : kept_.streams)
      addVariable(*value);
    countLocals();
    return std::move(table_);
  }

private:
  static BlockGraph graphOf(const Regions& regions) {
    BlockGraph graph;
    for (const Region& region : regions.all)
      graph.push_back(region.next);
    return graph;
  }

  // Without the blocks that the cut has put on edges.
  size_t codeBlocks(unsigned region) const {
    return regions_.all[region].blocks.size() - regions_.all[region].exits.size();
  }

  void addVariable(Instruction& value) {
    plan::PartitionVariable variable{displayName(value), bytesOf(value), isa<AllocaInst>(value)};
    if (variable.is_array) {
      table_.variables.push_back(variable);
      return;
    }
    std::vector<bool> both(graph_.next.size());
    for (unsigned region = 0; region < regions_.all.size(); ++region) {
      bool loads = is_contained(kept_.regions[region].loaded, &value), stores = storesIn(region, value);
      if (loads)
        variable.loaded.push_back(region);
      if (stores)
        variable.stored.push_back(region);
      both[region] = loads && stores;
    }
    if (is_contained(both, true))
      bypass(both, variable);
    table_.variables.push_back(std::move(variable));
  }

  void bypass(const std::vector<bool>& both, plan::PartitionVariable& variable) const {
    Bypass found = bypassNodes(graph_.next, graph_.colour, both);
    for (unsigned node = 0; node < both.size(); ++node)
      if (both[node])
        variable.read_and_written.push_back(node);
      else
        (found.bypassed[node] ? variable.bypassed : variable.copied).push_back(node);
  }

  bool storesIn(unsigned region, const Instruction& value) const {
    return any_of(regions_.all[region].exits, [&](unsigned exit) {
      return any_of(kept_.exits[exit], [&](const StoredAtExit& stored) { return stored.kept == &value; });
    });
  }

  uint32_t bytesOf(const Instruction& value) const {
    const DataLayout& layout = kernel_.getParent()->getDataLayout();
    if (auto* array = dyn_cast<AllocaInst>(&value))
      return uint32_t(array->getAllocationSize(layout)->getFixedValue());
    return uint32_t(layout.getTypeAllocSize(value.getType()).getFixedValue());
  }

  // The program's variables none of whose values lives between blocks.
  void countLocals() {
    std::set<std::string> kept, local;
    for (const plan::PartitionVariable& variable : table_.variables)
      kept.insert(variable.name);
    for (const Instruction& instruction : instructions(kernel_))
      if (std::string name = ir::sourceName(instruction); !name.empty() && !kept.count(name))
        local.insert(name);
    table_.locals = uint32_t(local.size());
  }

  Function& kernel_;
  const Regions& regions_;
  const KeptValues& kept_;
  const Bipartition graph_;
  plan::PartitionTable table_;
};

} // namespace

plan::PartitionTable describePartition(uint32_t superstep, Function& kernel, const Regions& regions,
                                       const KeptValues& kept) {
  return Describer(kernel, regions, kept).run(superstep);
}

} // namespace bsgp::bsp

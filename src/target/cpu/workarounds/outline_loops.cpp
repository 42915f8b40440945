#include "target/cpu/workarounds/outline_loops.h"

#include <algorithm>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr size_t kManyLoops = 64, kLoopsOfPiece = 16; // a piece costs a call

// Code with many loops that stand side by side: a function, or the body of a loop, such as that over a launch's blocks.
struct Body {
  Loop* around = nullptr; // null: the function
  BasicBlock* end;        // every path through the body ends here
};

std::vector<Body> bodiesOf(Function& function, LoopInfo& loops) {
  std::vector<Body> bodies;
  for (BasicBlock& block : function)
    if (isa<ReturnInst>(block.getTerminator()) && size_t(loops.end() - loops.begin()) > kManyLoops)
      bodies.push_back({nullptr, &block});
  if (bodies.size() > 1) // paths that return early
    bodies.clear();
  for (Loop* loop : loops.getLoopsInPreorder())
    if (loop->getSubLoops().size() > kManyLoops && loop->getLoopLatch())
      bodies.push_back({loop, loop->getLoopLatch()});
  return bodies;
}

// Returns the blocks of the body, in no loop inside, that every path through it passes, in this order; without the
// first and the last one.
std::vector<BasicBlock*> milestones(const Body& body, const DominatorTree& dominators, const LoopInfo& loops) {
  std::vector<BasicBlock*> found;
  const BasicBlock* begin = body.around ? body.around->getHeader() : dominators.getRoot();
  for (const auto* at = dominators.getNode(body.end)->getIDom(); at && at->getBlock() != begin; at = at->getIDom())
    if (loops.getLoopFor(at->getBlock()) == body.around)
      found.push_back(at->getBlock());
  std::reverse(found.begin(), found.end());
  return found;
}

// For each milestone the blocks that come behind it and before the next one, itself first: those of which it is the last
// milestone that dominates them.
using Stretch = std::vector<BasicBlock*>;
std::vector<Stretch> stretchesOf(const Body& body, const DominatorTree& dominators, ArrayRef<BasicBlock*> milestones) {
  DenseMap<const BasicBlock*, Stretch*> stretch_of;
  std::vector<Stretch> stretches(milestones.size());
  for (unsigned i = 0; i != milestones.size(); ++i)
    stretch_of[milestones[i]] = &stretches[i];
  stretch_of[body.end] = nullptr; // stays
  for (const auto* node : depth_first(dominators.getRootNode())) {
    Stretch* above = node->getIDom() ? stretch_of.lookup(node->getIDom()->getBlock()) : nullptr;
    Stretch* stretch = stretch_of.try_emplace(node->getBlock(), above).first->second;
    if (stretch && (!body.around || body.around->contains(node->getBlock())))
      stretch->push_back(node->getBlock());
  }
  return stretches;
}

// Stretches that follow each other, up to kLoopsOfPiece loops together.
std::vector<Stretch> piecesOf(const Body& body, const std::vector<Stretch>& stretches, const LoopInfo& loops) {
  auto loopsIn = [&](const Stretch& stretch) {
    return size_t(count_if(stretch, [&](const BasicBlock* block) {
      const Loop* loop = loops.getLoopFor(block);
      return loop && loop->getHeader() == block && loop->getParentLoop() == body.around;
    }));
  };
  std::vector<Stretch> pieces(1);
  size_t count = 0;
  for (const Stretch& stretch : stretches) {
    size_t more = loopsIn(stretch);
    if (count + more > kLoopsOfPiece && count > 0) {
      pieces.emplace_back();
      count = 0;
    }
    count += more;
    append_range(pieces.back(), stretch);
  }
  if (count == 0)
    pieces.pop_back();
  return pieces;
}

} // namespace

std::vector<Function*> outlineLoops(Function& function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  std::vector<Stretch> pieces;
  for (const Body& body : bodiesOf(function, loops))
    if (pieces.empty())
      pieces = piecesOf(body, stretchesOf(body, dominators, milestones(body, dominators, loops)), loops);
  if (pieces.size() < 2)
    return {};
  CodeExtractorAnalysisCache cache(function);
  std::vector<Function*> made;
  for (const Stretch& piece : pieces) {
    CodeExtractor extractor(piece, /*DT=*/nullptr, /*AggregateArgs=*/false, nullptr, nullptr, nullptr,
                            /*AllowVarArgs=*/false, /*AllowAlloca=*/false, nullptr, "piece");
    if (Function* outlined = extractor.isEligible() ? extractor.extractCodeRegion(cache) : nullptr)
      made.push_back(outlined);
  }
  return made;
}

void outlineLoops(Module& module) {
  std::vector<Function*> functions; // pieces are added behind
  for (Function& function : module)
    if (!function.isDeclaration())
      functions.push_back(&function);
  for (Function* function : functions)
    outlineLoops(*function);
}

} // namespace bsgp::target

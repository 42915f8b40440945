// Marks of loops in the code of threads, which irgen makes of the program's words and the targets read.
//
// The latches of a wavefront have the node `!llvm.loop`, with the property !{!"bsgp.wavefront", i32 begin, i32 end}:
// the place of the loop in the program's text. Loops around and inside a wavefront have nodes without properties,
// so that no pass gives a latch of one loop to another one with its node.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

#include "support/source.h"

namespace bsgp::ir {

constexpr char kWavefrontLoop[] = "bsgp.wavefront";

// Makes the property of a wavefront.
llvm::MDNode* wavefrontMark(llvm::LLVMContext& context, SourceRange place);

// Gives latches one node of their own, with these properties.
void markLatches(llvm::ArrayRef<llvm::BasicBlock*> latches, llvm::ArrayRef<llvm::Metadata*> properties);

bool isWavefront(const llvm::Loop& loop);

// Returns the place of a wavefront in the program's text; invalid: it is none.
SourceRange placeOfWavefront(const llvm::Loop& loop);

} // namespace bsgp::ir

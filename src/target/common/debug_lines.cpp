#include "target/common/debug_lines.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

namespace bsgp::target {

using namespace llvm;

namespace {

const DILocation* firstLocation(const Function& function) {
  for (const Instruction& instruction : instructions(function))
    if (const DILocation* location = instruction.getDebugLoc())
      return location;
  return nullptr;
}

const DILocation* outermost(const DILocation* location) {
  while (location->getInlinedAt())
    location = location->getInlinedAt();
  return location;
}

class FunctionLines {
public:
  FunctionLines(Function& function, const PlaceOf& place_of) : function_(function), place_of_(place_of) {}

  void make() {
    if (const DILocation* first = firstLocation(function_); first && !function_.getSubprogram())
      describe(*outermost(first));
    if (!function_.getSubprogram())
      return;
    for (Instruction& instruction : instructions(function_)) {
      if (const DILocation* location = instruction.getDebugLoc())
        instruction.setDebugLoc(lineOf(location));
      for (DbgRecord& record : instruction.getDbgRecordRange())
        if (const DILocation* location = record.getDebugLoc())
          record.setDebugLoc(lineOf(location));
    }
  }

private:
  // A kernel is a function of its own, with the name of its spawn and the place of its first statement.
  void describe(const DILocation& first) {
    const DISubprogram& spawn = *first.getScope()->getSubprogram();
    unsigned line = first.getLine() ? place_of_(first.getLine()).line : spawn.getLine();
    function_.setSubprogram(DISubprogram::getDistinct(function_.getContext(), spawn.getFile(), spawn.getName(), "",
                                                      spawn.getFile(), line, spawn.getType(), line, nullptr, 0, 0,
                                                      DINode::FlagZero, spawn.getSPFlags(), spawn.getUnit()));
  }

  // One new location for each old one: those that code is inlined at are distinct.
  DILocation* lineOf(const DILocation* location) {
    if (auto known = lines_.find(location); known != lines_.end())
      return known->second;
    DILocation* at = location->getInlinedAt() ? lineOf(location->getInlinedAt()) : nullptr;
    DISubprogram* scope = at ? location->getScope()->getSubprogram() : function_.getSubprogram();
    LineColumn place = location->getLine() ? place_of_(location->getLine()) : LineColumn();
    DILocalScope* where = inFile(scope, place);
    LLVMContext& context = function_.getContext();
    DILocation* made = location->isDistinct() ? DILocation::getDistinct(context, place.line, place.column, where, at)
                                              : DILocation::get(context, place.line, place.column, where, at);
    return lines_[location] = made;
  }

  // Code of another file than its function's: of the library in a spawn, of a file that is included in a function.
  DILocalScope* inFile(DISubprogram* scope, const LineColumn& place) {
    StringRef name(place.file.data(), place.file.size());
    if (place.line == 0 || !scope->getFile() || scope->getFile()->getFilename() == name)
      return scope;
    DIFile* file = DIFile::get(function_.getContext(), name, scope->getFile()->getDirectory());
    return DILexicalBlockFile::get(function_.getContext(), scope, file, 0);
  }

  Function& function_;
  const PlaceOf& place_of_;
  DenseMap<const DILocation*, DILocation*> lines_;
};

} // namespace

void makeDebugLines(Module& module, const PlaceOf& place_of) {
  for (Function& function : module)
    if (!function.isDeclaration())
      FunctionLines(function, place_of).make();
}

} // namespace bsgp::target

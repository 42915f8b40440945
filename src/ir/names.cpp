#include "ir/names.h"

namespace bsgp::ir {

std::string sourceName(const llvm::Value& value) {
  llvm::StringRef name = value.getName();
  size_t end = name.find('~');
  return end == llvm::StringRef::npos ? std::string() : name.take_front(end).str();
}

} // namespace bsgp::ir

// The places of one spawn that are watched, as constants of the program: bsgp_check_site.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instruction.h>

#include "ir/watched.h"
#include "plan/check_abi.h"
#include "support/source.h"

namespace bsgp::check {

// A cause of an undefined value: bsgp_check_cause.
struct Cause {
  uint32_t kind = BSGP_CAUSE_VARIABLE;
  std::string name;
  SourcePos at = 0;
  bool is_sure = true;
  bool operator==(const Cause&) const = default;
};

// The facts that a site tells beside its place.
struct Watched {
  uint8_t access = BSGP_ACCESS_READ, space = BSGP_MEMORY_DEVICE;
  uint32_t bytes = 0, align = 1;
  uint64_t extent = 0;
  uint8_t flags = 0;          // bits of bsgp_check_site_flag
  uint32_t checks = ~0u;      // those of them that are looked for
  bool is_access = false;     // the text is that of the accessed place, not of the whole expression
  bool is_index = false;      // the expression is an array and an index of it
  std::string element;        // its type, or that of the value; "": unknown
  uint32_t element_bytes = 0; // 0: as many as the access
  SourcePos declared = 0;
  std::vector<Cause> causes{};
};

// Texts and places, each once in the module.
class SiteTexts {
public:
  // The place that a report points at: the innermost one of the program's own text, and the one in the library that
  // it led to.
  struct Place {
    SourcePos at = 0, inside = 0;
    uint32_t length = 0; // of the expression at `at`; 0: unknown
  };
  SiteTexts(llvm::Module& module, const SourceManager& sources) : module_(module), sources_(sources) {}
  llvm::Constant* text(llvm::StringRef text);               // "": null
  llvm::Constant* place(SourcePos at);                      // 0: null
  llvm::Constant* causes(const std::vector<Cause>& causes); // empty: null
  const SourceManager& sources() const { return sources_; }
  llvm::Module& module() { return module_; }

private:
  llvm::Module& module_;
  const SourceManager& sources_;
  llvm::StringMap<llvm::Constant*> texts_;
  llvm::DenseMap<SourcePos, llvm::Constant*> places_;
  llvm::DenseMap<llvm::Constant*, llvm::Constant*> causes_; // by the list
};

class Sites {
public:
  Sites(SiteTexts& texts, uint32_t checks);
  // Makes a site at this instruction's place in the program. It may be an operand at once; the array is made by
  // finish. `text`: the watched place in the program's words; "": the expression.
  llvm::Constant* add(const llvm::Instruction& where, const Watched& watched, llvm::StringRef text = "");
  // Makes a site for a part of the expression there.
  llvm::Constant* addPart(const llvm::Instruction& whole, const llvm::Instruction& part, const Watched& watched);
  bool isPart(const llvm::Instruction& part, const llvm::Instruction& whole) const;
  // Returns the facts of a site.
  Watched& at(llvm::Constant* site) { return sites_[numbers_.lookup(site)].watched; }
  llvm::StringRef textAt(const llvm::Instruction& where) const;
  llvm::StringRef callAt(const llvm::Instruction& where) const; // of library code, where the program called it
  SourcePos callPlaceAt(const llvm::Instruction& where) const;
  // True if the instruction itself stands in a function of the library that is watched so.
  bool isWatchedAs(Watch watch, const llvm::Instruction& where) const;
  // Returns its place in the program; 0 if it is in the library, or has none.
  SourcePos placeAt(const llvm::Instruction& where) const;
  bool isOfLibrary(SourcePos at) const { return texts_.sources().ofLibrary({at, at}); }
  // True if it stands in the library.
  bool isOfLibrary(const llvm::Instruction& where) const;
  // True for an array of the library's own that is read only after it was written.
  bool isTrusted(const llvm::GlobalVariable& array) const;
  void finish(const llvm::Twine& name);

private:
  struct Site {
    llvm::Constant *at, *inside, *text, *name, *element, *declared;
    Watched watched;
  };
  llvm::Constant* add(const SiteTexts::Place& place, const Watched& watched, llvm::StringRef text);
  llvm::StructType* type() const;
  llvm::Constant* constantOf(const Site& site, uint32_t number) const;

  SiteTexts& texts_;
  const uint32_t checks_;
  const ir::Watched watched_;
  llvm::GlobalVariable* array_; // stands for the array until it is made
  std::vector<Site> sites_;
  llvm::DenseMap<llvm::Constant*, size_t> numbers_;
};

} // namespace bsgp::check

// State that all functions of one module share: types, constants, declarations, the spawns found so far.
#pragma once

#include <map>
#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/Module.h>

#include "ir/spawns.h"
#include "irgen/debug_info.h"
#include "irgen/irgen.h"
#include "irgen/types.h"

namespace bsgp::irgen {

// How the body of a device function returns, as far as inlining cares.
struct ReturnShape {
  bool only_at_end = false; // one return, the last statement of the body; or none at all
};

// How a host function takes a parameter.
enum class Passing : uint8_t { Value, Copy, Address };
Passing passingOf(const Variable* param);

std::string nameOf(const Function* function);                           // the stem of all names made for it
std::optional<llvm::Attribute::AttrKind> extensionOf(const Type* type); // of a C parameter or result

// A leaf of a host variable, as of a version, that device code reads.
struct Slot {
  const Variable* variable;
  uint32_t version, leaf;
  uint32_t offset; // in the frame
};

class ModuleEmitter {
public:
  ModuleEmitter(const FlatProgram& flat, const SourceManager& sources, const Options& options, Diagnostics& diagnostics,
                ir::Spawns& emitted);
  void run();

  llvm::Type* int1() const { return llvm::Type::getInt1Ty(context); }
  llvm::Type* int8() const { return llvm::Type::getInt8Ty(context); }
  llvm::Type* int32() const { return llvm::Type::getInt32Ty(context); }
  llvm::Type* int64() const { return llvm::Type::getInt64Ty(context); }
  llvm::PointerType* pointer() const { return llvm::PointerType::get(context, 0); }

  // globals.cpp
  llvm::GlobalVariable* global(const Variable* variable);    // Global, Constant
  llvm::GlobalVariable* newShared(const Variable& variable); // another one each time
  llvm::Constant* scalarConstant(const Type* scalar, const ConstValue& value);
  llvm::Constant* string(std::string_view text); // ends in 0
  llvm::Constant* site(SourceRange range, std::string_view text = {});

  // functions.cpp
  llvm::Function* hostFunction(const Function* function); // i32(ptr call, args..., ptr result)
  llvm::Function* externFunction(const Function* function);
  llvm::Type* argumentType(const Variable* param); // as a host function takes it
  void verify(llvm::Function& function);

  // device_facts.cpp: of device code, found once
  bool hasAddressTaken(const Variable* variable) const { return address_taken_.contains(variable); }
  bool isAssigned(const Variable* variable) const { return assigned_.contains(variable); } // not by its declaration
  void findUses(const FlatSpawn& spawn);
  const ReturnShape& returnShape(const Function* function);

  // host_effects.cpp
  ir::HostFacts hostFacts();

  plan::Site planSite(SourceRange range) const;
  llvm::DISubprogram* positionScope();        // null: positions are not asked for
  DebugInfo* debug() { return debug_.get(); } // null: it is not asked for
  uint32_t line(SourcePos position) const { return sources.at(position).line; }

  const FlatProgram& flat;
  const SourceManager& sources;
  const Options& options;
  Diagnostics& diagnostics;
  ir::Spawns& emitted;
  llvm::LLVMContext& context;
  llvm::Module& module;
  TypeMap types;
  struct SpawnSource {
    const FlatSpawn* flat;
    std::vector<Slot> slots;
  };
  std::vector<SpawnSource> spawn_sources; // of each of emitted.spawns

private:
  void emitEntry(const Function& function);     // the C function of an export
  void emitApply(const Function& function);     // a second one, which takes the addresses of its arguments
  void emitMainEntry(const Function& function); // bsgp_main
  void noteDeclaration(llvm::GlobalVariable& made, const Variable& variable);
  llvm::Constant* initializer(const Type* type, const std::vector<ConstValue>& scalars, size_t& next);
  void findUses(const Stmt* stmt);
  void findUses(const Expr* expr);
  void findUses(const Function* function);

  llvm::DISubprogram* position_scope_ = nullptr;
  std::unique_ptr<DebugInfo> debug_;
  llvm::DenseMap<const Variable*, llvm::GlobalVariable*> globals_;
  llvm::DenseMap<const Function*, llvm::Function*> functions_;
  llvm::StringMap<llvm::Constant*> strings_;
  std::map<std::pair<SourcePos, std::string>, llvm::Constant*> sites_;
  llvm::DenseSet<const Variable*> address_taken_, assigned_;
  llvm::DenseSet<const Function*> searched_;
  llvm::DenseMap<const Function*, ReturnShape> return_shapes_;
};

} // namespace bsgp::irgen

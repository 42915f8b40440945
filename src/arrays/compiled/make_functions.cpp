// A tool of the build: takes the math functions out of their kernels, as functions of one element.
//
//   make_functions KERNELS.ll OUT.cpp
//
// KERNELS.ll is the module of loops/math.bsgp as `bsgpc emit kernels` prints it. OUT.cpp has the bitcode of a module with a function
// NAME_TYPE for each kernel that is straight code: exp_float of arrays_exp_float. Kernels with branches are left out.
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

namespace {

// The parameters of a kernel: where the result goes, and the operands.
enum { kResult, kFirstOperand };

// The block with the code of a thread, behind the one that asks for its rank; null where there are branches.
BasicBlock* onlyBlock(Function& kernel) {
  return kernel.size() == 2 ? &kernel.back() : nullptr;
}

// The parameter whose element an access reads or writes.
std::optional<unsigned> parameterOf(const Value* address) {
  auto* place = dyn_cast<GetElementPtrInst>(address);
  auto* parameter = place ? dyn_cast<Argument>(place->getPointerOperand()) : nullptr;
  return parameter ? std::optional(parameter->getArgNo()) : std::nullopt;
}

class Maker {
public:
  Maker(Function& kernel, Module& to) : kernel_(kernel), to_(to) {}

  // False: the kernel is no function of its operands' elements alone.
  bool make(StringRef name) {
    BasicBlock* code = onlyBlock(kernel_);
    if (!code || !findType(*code))
      return false;
    SmallVector<Type*, 2> operands(kernel_.arg_size() - 1, type_);
    made_ = Function::Create(FunctionType::get(type_, operands, false), GlobalValue::ExternalLinkage, name, to_);
    auto* block = BasicBlock::Create(to_.getContext(), "", made_);
    for (Instruction& each : *code)
      if (!add(each, *block)) {
        made_->eraseFromParent();
        return false;
      }
    return true;
  }

private:
  bool findType(BasicBlock& code) {
    for (Instruction& each : code)
      if (auto* store = dyn_cast<StoreInst>(&each))
        type_ = store->getValueOperand()->getType();
    return type_ && type_->isFloatingPointTy();
  }

  Value* known(Value* value) {
    auto found = values_.find(value);
    return found == values_.end() ? value : found->second;
  }

  bool add(Instruction& each, BasicBlock& to) {
    if (isa<GetElementPtrInst>(each) || (isa<SExtInst>(each) && isa<CallInst>(each.getOperand(0))))
      return true; // addresses
    if (auto* load = dyn_cast<LoadInst>(&each)) {
      auto parameter = parameterOf(load->getPointerOperand());
      if (parameter)
        values_[load] = made_->getArg(*parameter - kFirstOperand);
      return parameter.has_value();
    }
    if (auto* store = dyn_cast<StoreInst>(&each)) {
      ReturnInst::Create(to_.getContext(), known(store->getValueOperand()), &to);
      return parameterOf(store->getPointerOperand()) == unsigned(kResult);
    }
    if (isa<ReturnInst>(each))
      return true;
    Instruction* copy = each.clone();
    for (Use& operand : copy->operands())
      operand.set(known(operand.get()));
    if (auto* call = dyn_cast<CallInst>(copy)) {
      Function* called = call->getCalledFunction();
      call->setCalledFunction(to_.getOrInsertFunction(called->getName(), called->getFunctionType()));
    }
    copy->dropUnknownNonDebugMetadata();
    copy->insertInto(&to, to.end());
    values_[&each] = copy;
    return true;
  }

  Function& kernel_;
  Module& to_;
  Function* made_ = nullptr;
  Type* type_ = nullptr;
  std::map<Value*, Value*> values_;
};

// exp_float of spawn.arrays_exp_float.0.1; else nothing.
StringRef functionName(const Function& kernel) {
  StringRef name = kernel.getName();
  return name.consume_front("spawn.arrays_") ? name.take_until([](char c) { return c == '.'; }) : StringRef();
}

void write(StringRef bytes, std::ofstream& to) {
  to << "#include <cstddef>\n\nnamespace bsgp::arrays {\n\nextern const unsigned char kMathFunctions[];\nextern const "
        "size_t "
        "kMathFunctionsSize;\n\nconst unsigned char kMathFunctions[] = {";
  for (size_t i = 0; i < bytes.size(); ++i)
    to << (i % 32 ? "," : i ? ",\n" : "\n") << unsigned(static_cast<unsigned char>(bytes[i]));
  to << "};\nconst size_t kMathFunctionsSize = sizeof kMathFunctions;\n\n} // namespace bsgp::arrays\n";
}

} // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: make_functions KERNELS.ll OUT.cpp\n";
    return 2;
  }
  LLVMContext context;
  SMDiagnostic wrong;
  std::unique_ptr<Module> kernels = parseIRFile(arguments[1], wrong, context);
  if (!kernels) {
    wrong.print("make_functions", errs());
    return 1;
  }
  Module functions("functions", context);
  for (Function& kernel : *kernels)
    if (StringRef name = functionName(kernel); !name.empty())
      Maker(kernel, functions).make(name);
  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  WriteBitcodeToFile(functions, stream);
  std::ofstream to(arguments[2]);
  write(bytes, to);
  return to.good() ? 0 : 1;
}

#include "arrays/compiled/functions.h"

#include <llvm/Bitcode/BitcodeReader.h>

#include "arrays/operations.h"

namespace bsgp::arrays {

extern const unsigned char kMathFunctions[];
extern const size_t kMathFunctionsSize;

namespace {

using namespace llvm;

class Widener {
public:
  Widener(IRBuilder<>& builder, ElementCount width) : builder_(builder), width_(width) {}

  Value* write(llvm::Function& function, ArrayRef<Value*> operands) {
    for (size_t i = 0; i < operands.size(); ++i)
      values_[function.getArg(unsigned(i))] = operands[i];
    for (Instruction& each : function.front()) {
      if (auto* result = dyn_cast<ReturnInst>(&each))
        return vector(result->getReturnValue());
      values_[&each] = made(each);
    }
    return nullptr;
  }

private:
  Type* vectorOf(Type* type) { return VectorType::get(type, width_); }

  Value* vector(Value* value) {
    if (auto* constant = dyn_cast<Constant>(value))
      return ConstantVector::getSplat(width_, constant);
    return values_.lookup(value);
  }

  Value* made(Instruction& each) {
    if (auto* call = dyn_cast<IntrinsicInst>(&each))
      return intrinsic(*call);
    Instruction* wide = each.clone();
    for (Use& operand : wide->operands())
      operand.set(vector(operand.get()));
    wide->mutateType(vectorOf(each.getType()));
    return builder_.Insert(wide);
  }

  Value* intrinsic(IntrinsicInst& call) {
    SmallVector<Value*, 3> operands;
    for (Use& operand : call.args())
      operands.push_back(vector(operand.get()));
    SmallVector<Type*, 2> types{vectorOf(call.getType())};
    if (call.getArgOperand(0)->getType() != call.getType())
      types.push_back(operands[0]->getType());
    return builder_.CreateIntrinsic(call.getIntrinsicID(), types, operands);
  }

  IRBuilder<>& builder_;
  ElementCount width_;
  DenseMap<Value*, Value*> values_;
};

} // namespace

llvm::Function* MathFunctions::function(bsgp_operation operation, const Type* type) {
  if (!functions_) {
    StringRef bytes(reinterpret_cast<const char*>(kMathFunctions), kMathFunctionsSize);
    auto read = getLazyBitcodeModule(MemoryBufferRef(bytes, "functions"), user_.getContext());
    if (!read) {
      consumeError(read.takeError());
      return nullptr;
    }
    functions_ = std::move(*read);
  }
  std::string name = std::string(info(operation).name) + (type->isFloatTy() ? "_float" : "_double");
  llvm::Function* found = functions_->getFunction(name);
  if (found && found->isMaterializable())
    if (llvm::Error failed = found->materialize()) {
      consumeError(std::move(failed));
      return nullptr;
    }
  return found;
}

Value* MathFunctions::write(IRBuilder<>& builder, bsgp_operation operation, ArrayRef<Value*> operands) {
  auto* type = cast<VectorType>(operands[0]->getType());
  llvm::Function* found = function(operation, type->getElementType());
  return found ? Widener(builder, type->getElementCount()).write(*found, operands) : nullptr;
}

Value* MathFunctions::call(IRBuilder<>& builder, bsgp_operation operation, ArrayRef<Value*> operands) {
  Type* vector = operands[0]->getType();
  std::string name = std::string(info(operation).name) + (vector->getScalarType()->isFloatTy() ? "_float" : "_double");
  llvm::Function* called = user_.getParent()->getFunction(name);
  if (!called) {
    SmallVector<Type*, 2> types(operands.size(), vector);
    called = llvm::Function::Create(FunctionType::get(vector, types, false), GlobalValue::InternalLinkage, name,
                                    user_.getParent());
    called->setAttributes(user_.getAttributes());
    IRBuilder<> body(BasicBlock::Create(user_.getContext(), "", called));
    SmallVector<Value*, 2> own(make_pointer_range(called->args()));
    Value* result = write(body, operation, own);
    if (!result) {
      called->eraseFromParent();
      return nullptr;
    }
    body.CreateRet(result);
  }
  return builder.CreateCall(called, operands);
}

} // namespace bsgp::arrays

#include "arrays/compiled/code.h"

#include <algorithm>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "arrays/compiled/functions.h"
#include "target/common/code_generation.h"
#include "target/cpu/cpu_target.h"
#include "target/cpu/machine/machine.h"

namespace bsgp::arrays {

using namespace llvm;

namespace {

constexpr char kName[] = "segment";
constexpr unsigned kVectorBytes = 64;
constexpr int kInlined = 2; // calls of a math function, above which it is not inlined
constexpr int kShort = 48;  // additions of a segment that is worth two vectors side by side

bool isFloat(bsgp_dtype type) {
  return info(type).kind == TypeKind::Float;
}
bool isSigned(bsgp_dtype type) {
  return info(type).kind == TypeKind::Signed;
}

// Places of a vector: one register of the widest type, two of them where there is little to compute.
unsigned widthOf(const Segment& segment) {
  unsigned widest = 1;
  for (bsgp_dtype type : segment.inputs)
    widest = std::max<unsigned>(widest, info(type).bytes);
  for (const Segment::Operation& operation : segment.operations)
    widest = std::max<unsigned>(widest, info(operation.type).bytes);
  return kVectorBytes / widest * (segment.cost() <= kShort ? 2 : 1);
}

// Emits the operations for a vector of places. Bools are bits in registers and bytes in memory.
class Emitter {
public:
  Emitter(const Segment& segment, llvm::Function& function)
      : segment_(segment), function_(function), context_(function.getContext()), builder_(context_),
        functions_(function), width_(widthOf(segment)) {
    for (const Segment::Operation& operation : segment.operations)
      uses_[operation.operation] += isMathFunction(operation.operation, operation.from);
  }

  // for (i = 0;; i = min(i + width, count - width)) { body(i); if (i + width >= count) break; }
  // The last vector may overlap the one before: it computes the same values again. False: a math function has no code.
  bool emit() {
    auto* entry = BasicBlock::Create(context_, "entry", &function_);
    auto* loop = BasicBlock::Create(context_, "loop", &function_);
    auto* exit = BasicBlock::Create(context_, "exit", &function_);
    builder_.SetInsertPoint(entry);
    loadAddresses();
    Value *count = function_.getArg(1), *width = builder_.getInt64(width_), *last = builder_.CreateSub(count, width);
    builder_.CreateBr(loop);
    builder_.SetInsertPoint(loop);
    PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    body(i);
    Value* next = builder_.CreateAdd(i, width);
    Value* bounded = builder_.CreateSelect(builder_.CreateICmpULT(next, last), next, last);
    i->addIncoming(builder_.getInt64(0), entry), i->addIncoming(bounded, loop);
    builder_.CreateCondBr(builder_.CreateICmpUGE(next, count), exit, loop);
    builder_.SetInsertPoint(exit);
    builder_.CreateRetVoid();
    return is_whole_;
  }

private:
  Type* scalar(bsgp_dtype type, bool in_memory = false) {
    if (type == BSGP_BOOL)
      return in_memory ? builder_.getInt8Ty() : builder_.getInt1Ty();
    if (isFloat(type))
      return type == BSGP_FLOAT32 ? builder_.getFloatTy() : builder_.getDoubleTy();
    return builder_.getIntNTy(8 * info(type).bytes);
  }
  Type* vector(bsgp_dtype type, bool in_memory = false) {
    return FixedVectorType::get(scalar(type, in_memory), width_);
  }

  // Numbers become vectors here.
  void loadAddresses() {
    for (size_t i = 0; i < segment_.inputs.size() + segment_.outputs.size(); ++i) {
      Value* slot = builder_.CreateConstGEP1_64(builder_.getPtrTy(), function_.getArg(0), i);
      addresses_.push_back(builder_.CreateLoad(builder_.getPtrTy(), slot));
    }
    for (size_t i = 0; i < segment_.inputs.size(); ++i) {
      if (!segment_.is_number[i])
        continue;
      Value* number = builder_.CreateLoad(scalar(segment_.inputs[i], true), addresses_[i]);
      if (segment_.inputs[i] == BSGP_BOOL)
        number = builder_.CreateICmpNE(number, builder_.getInt8(0));
      numbers_[i] = builder_.CreateVectorSplat(width_, number);
    }
  }

  Value* placeOf(size_t slot, bsgp_dtype type, Value* i) {
    return builder_.CreateGEP(scalar(type, true), addresses_[slot], i);
  }

  void body(Value* i) {
    values_.clear();
    for (size_t slot = 0; slot < segment_.inputs.size(); ++slot)
      values_.push_back(segment_.is_number[slot] ? numbers_[slot] : loaded(slot, i));
    for (const Segment::Operation& operation : segment_.operations)
      values_.push_back(operation.kind == Instruction::Cast
                            ? cast(values_[operation.operands[0]], operation.from, operation.type)
                            : apply(operation));
    for (size_t output = 0; output < segment_.outputs.size(); ++output)
      store(segment_.outputs[output], segment_.inputs.size() + output, i);
  }

  Value* loaded(size_t slot, Value* i) {
    bsgp_dtype type = segment_.inputs[slot];
    Value* value = builder_.CreateAlignedLoad(vector(type, true), placeOf(slot, type, i), Align(info(type).bytes));
    return type == BSGP_BOOL ? builder_.CreateICmpNE(value, Constant::getNullValue(value->getType())) : value;
  }

  void store(int32_t number, size_t slot, Value* i) {
    bsgp_dtype type = segment_.operations[number - segment_.inputs.size()].type;
    Value* value = type == BSGP_BOOL ? builder_.CreateZExt(values_[number], vector(type, true)) : values_[number];
    builder_.CreateAlignedStore(value, placeOf(slot, type, i), Align(info(type).bytes));
  }

  Constant* number(bsgp_dtype type, double value) {
    return isFloat(type) ? ConstantFP::get(vector(type), value) : ConstantInt::getSigned(vector(type), int64_t(value));
  }

  Value* cast(Value* value, bsgp_dtype from, bsgp_dtype to) {
    if (to == BSGP_BOOL)
      return isFloat(from) ? builder_.CreateFCmpUNE(value, number(from, 0))
                           : builder_.CreateICmpNE(value, number(from, 0));
    if (isFloat(from) && isFloat(to))
      return info(from).bytes < info(to).bytes ? builder_.CreateFPExt(value, vector(to))
                                               : builder_.CreateFPTrunc(value, vector(to));
    if (isFloat(from))
      return builder_.CreateIntrinsic(isSigned(to) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
                                      {vector(to), vector(from)}, {value});
    if (isFloat(to))
      return isSigned(from) ? builder_.CreateSIToFP(value, vector(to)) : builder_.CreateUIToFP(value, vector(to));
    return isSigned(from) ? builder_.CreateSExtOrTrunc(value, vector(to))
                          : builder_.CreateZExtOrTrunc(value, vector(to));
  }

  Value* lessThan(Value* a, Value* b, bsgp_dtype type, bool or_equal = false) {
    if (isFloat(type))
      return or_equal ? builder_.CreateFCmpOLE(a, b) : builder_.CreateFCmpOLT(a, b);
    CmpInst::Predicate is_signed = or_equal ? CmpInst::ICMP_SLE : CmpInst::ICMP_SLT,
                       is_unsigned = or_equal ? CmpInst::ICMP_ULE : CmpInst::ICMP_ULT;
    return builder_.CreateICmp(isSigned(type) ? is_signed : is_unsigned, a, b);
  }

  Value* magnitude(Value* a) { return builder_.CreateUnaryIntrinsic(Intrinsic::fabs, a); }
  Value* isNan(Value* a) { return builder_.CreateFCmpUNO(a, a); }

  // a < b, or a NaN: a; else b
  Value* chosen(Value* first, Value* a, Value* b, bsgp_dtype type) {
    return builder_.CreateSelect(isFloat(type) ? builder_.CreateOr(first, isNan(a)) : first, a, b);
  }

  // By at least as many bits as there are: 0, or -1 of a negative number.
  Value* shifted(Value* a, Value* by, bsgp_dtype type, bool left) {
    Constant *bits = number(type, 8 * info(type).bytes), *last = number(type, 8 * info(type).bytes - 1);
    Value* beyond = builder_.CreateICmpUGE(by, bits);
    if (left)
      return builder_.CreateSelect(beyond, number(type, 0),
                                   builder_.CreateShl(a, builder_.CreateSelect(beyond, number(type, 0), by)));
    if (isSigned(type))
      return builder_.CreateAShr(a, builder_.CreateSelect(beyond, last, by));
    return builder_.CreateSelect(beyond, number(type, 0),
                                 builder_.CreateLShr(a, builder_.CreateSelect(beyond, number(type, 0), by)));
  }

  Value* rounded(Value* a, bsgp_dtype type, Intrinsic::ID how) {
    return isFloat(type) ? builder_.CreateUnaryIntrinsic(how, a) : a;
  }

  Value* sign(Value* a, bsgp_dtype type) {
    Value* zero = number(type, 0);
    Value* rest = isFloat(type) ? builder_.CreateSelect(isNan(a), a, zero) : zero;
    if (isFloat(type) || isSigned(type))
      rest = builder_.CreateSelect(lessThan(a, zero, type), number(type, -1), rest);
    return builder_.CreateSelect(lessThan(zero, a, type), number(type, 1), rest);
  }

  Value* absolute(Value* a, bsgp_dtype type) {
    if (isFloat(type))
      return magnitude(a);
    return isSigned(type) ? builder_.CreateSelect(lessThan(a, number(type, 0), type), builder_.CreateNeg(a), a) : a;
  }

  Value* math(bsgp_operation operation, ArrayRef<Value*> operands) {
    bool is_frequent = uses_[operation] > kInlined;
    Value* made =
        is_frequent ? functions_.call(builder_, operation, operands) : functions_.write(builder_, operation, operands);
    is_whole_ &= made != nullptr;
    return made ? made : operands[0];
  }

  Value* apply(const Segment::Operation& operation) {
    Value* operands[3] = {};
    for (int i = 0; i < 3 && operation.operands[i] >= 0; ++i)
      operands[i] = values_[operation.operands[i]];
    bsgp_dtype type = operation.from;
    if (isMathFunction(operation.operation, operation.from))
      return math(operation.operation, {operands, info(operation.operation).operands});
    if (info(operation.operation).operands == 1)
      return ofOne(operation.operation, operands[0], type);
    if (operation.operation == BSGP_OP_COND)
      return builder_.CreateSelect(operands[0], operands[1], operands[2]);
    if (operation.operation == BSGP_OP_FMA)
      return builder_.CreateIntrinsic(Intrinsic::fma, {vector(type)}, {operands[0], operands[1], operands[2]});
    return type == BSGP_BOOL ? ofBools(operation.operation, operands[0], operands[1])
                             : ofTwo(operation.operation, operands[0], operands[1], type);
  }

  Value* ofOne(bsgp_operation operation, Value* a, bsgp_dtype type) {
    switch (operation) {
    case BSGP_OP_NEGATIVE:
      return isFloat(type) ? builder_.CreateFNeg(a) : builder_.CreateNeg(a);
    case BSGP_OP_ABS:
      return absolute(a, type);
    case BSGP_OP_SIGN:
      return sign(a, type);
    case BSGP_OP_SQUARE:
      return isFloat(type) ? builder_.CreateFMul(a, a) : builder_.CreateMul(a, a);
    case BSGP_OP_RECIPROCAL:
      return builder_.CreateFDiv(number(type, 1), a);
    case BSGP_OP_FLOOR:
      return rounded(a, type, Intrinsic::floor);
    case BSGP_OP_CEIL:
      return rounded(a, type, Intrinsic::ceil);
    case BSGP_OP_TRUNC:
      return rounded(a, type, Intrinsic::trunc);
    case BSGP_OP_ROUND:
      return rounded(a, type, Intrinsic::roundeven);
    case BSGP_OP_SQRT:
      return builder_.CreateUnaryIntrinsic(Intrinsic::sqrt, a);
    case BSGP_OP_ISNAN:
      return isNan(a);
    case BSGP_OP_ISINF:
      return builder_.CreateFCmpOEQ(magnitude(a), ConstantFP::getInfinity(vector(type)));
    case BSGP_OP_ISFINITE:
      return builder_.CreateFCmpOLT(magnitude(a), ConstantFP::getInfinity(vector(type)));
    case BSGP_OP_SIGNBIT: {
      bsgp_dtype bits = type == BSGP_FLOAT32 ? BSGP_INT32 : BSGP_INT64;
      return builder_.CreateICmpSLT(builder_.CreateBitCast(a, vector(bits)), number(bits, 0));
    }
    default: // logical_not, bitwise_invert
      return builder_.CreateNot(a);
    }
  }

  // The order of bools is that of false and true.
  Value* ofBools(bsgp_operation operation, Value* a, Value* b) {
    switch (operation) {
    case BSGP_OP_ADD:
    case BSGP_OP_OR:
    case BSGP_OP_LOGICAL_OR:
    case BSGP_OP_MAXIMUM:
      return builder_.CreateOr(a, b);
    case BSGP_OP_XOR:
    case BSGP_OP_LOGICAL_XOR:
    case BSGP_OP_NOT_EQUAL:
      return builder_.CreateXor(a, b);
    case BSGP_OP_EQUAL:
      return builder_.CreateNot(builder_.CreateXor(a, b));
    case BSGP_OP_LESS:
      return builder_.CreateAnd(builder_.CreateNot(a), b);
    case BSGP_OP_LESS_EQUAL:
      return builder_.CreateOr(builder_.CreateNot(a), b);
    case BSGP_OP_GREATER:
      return builder_.CreateAnd(a, builder_.CreateNot(b));
    case BSGP_OP_GREATER_EQUAL:
      return builder_.CreateOr(a, builder_.CreateNot(b));
    default: // multiply, minimum, and
      return builder_.CreateAnd(a, b);
    }
  }

  Value* ofTwo(bsgp_operation operation, Value* a, Value* b, bsgp_dtype type) {
    switch (operation) {
    case BSGP_OP_ADD:
      return isFloat(type) ? builder_.CreateFAdd(a, b) : builder_.CreateAdd(a, b);
    case BSGP_OP_SUBTRACT:
      return isFloat(type) ? builder_.CreateFSub(a, b) : builder_.CreateSub(a, b);
    case BSGP_OP_MULTIPLY:
      return isFloat(type) ? builder_.CreateFMul(a, b) : builder_.CreateMul(a, b);
    case BSGP_OP_DIVIDE:
      return builder_.CreateFDiv(a, b);
    case BSGP_OP_MINIMUM:
      return chosen(lessThan(a, b, type), a, b, type);
    case BSGP_OP_MAXIMUM:
      return chosen(lessThan(b, a, type), a, b, type);
    case BSGP_OP_COPYSIGN:
      return builder_.CreateBinaryIntrinsic(Intrinsic::copysign, a, b);
    case BSGP_OP_EQUAL:
      return isFloat(type) ? builder_.CreateFCmpOEQ(a, b) : builder_.CreateICmpEQ(a, b);
    case BSGP_OP_NOT_EQUAL:
      return isFloat(type) ? builder_.CreateFCmpUNE(a, b) : builder_.CreateICmpNE(a, b);
    case BSGP_OP_LESS:
      return lessThan(a, b, type);
    case BSGP_OP_LESS_EQUAL:
      return lessThan(a, b, type, true);
    case BSGP_OP_GREATER:
      return lessThan(b, a, type);
    case BSGP_OP_GREATER_EQUAL:
      return lessThan(b, a, type, true);
    case BSGP_OP_AND:
      return builder_.CreateAnd(a, b);
    case BSGP_OP_OR:
      return builder_.CreateOr(a, b);
    case BSGP_OP_XOR:
      return builder_.CreateXor(a, b);
    default:
      return shifted(a, b, type, operation == BSGP_OP_SHIFT_LEFT);
    }
  }

  const Segment& segment_;
  llvm::Function& function_;
  LLVMContext& context_;
  IRBuilder<> builder_;
  MathFunctions functions_;
  unsigned width_;
  bool is_whole_ = true;
  std::map<bsgp_operation, int> uses_; // of math functions
  std::vector<Value*> addresses_, values_;
  std::map<size_t, Value*> numbers_;
};

} // namespace

Result<std::string> generateSegment(const Segment& segment) {
  target::CpuOptions options;
  options.opt_level = 1;
  auto machine = target::createMachine(options);
  if (!machine)
    return machine.error();
  LLVMContext context;
  Module module(kName, context);
  target::describeMachine(module, options);
  auto* type =
      FunctionType::get(Type::getVoidTy(context), {PointerType::get(context, 0), Type::getInt64Ty(context)}, false);
  auto* function = llvm::Function::Create(type, GlobalValue::ExternalLinkage, kName, module);
  function->setDoesNotThrow();
  target::describeFunction(*function, **machine);
  if (!Emitter(segment, *function).emit())
    return Error{"a math function has branches"};
  SmallVector<char, 0> object = target::generate(module, **machine, CodeGenFileType::ObjectFile, {});
  return std::string(object.begin(), object.end());
}

Result<CompiledSegment> linkSegment(const Segment& segment, const std::string& object) {
  auto linked = target::Jit::link({object}, {});
  if (!linked)
    return linked.error();
  std::shared_ptr<target::Jit> jit = linked.take();
  auto address = jit->lookup(kName);
  if (!address)
    return address.error();
  return CompiledSegment{jit, reinterpret_cast<SegmentCode>(*address), int32_t(widthOf(segment))};
}

std::string machineOfCode() {
  auto machine = target::createMachine({});
  return machine ? ((*machine)->getTargetCPU() + (*machine)->getTargetFeatureString()).str() : std::string();
}

} // namespace bsgp::arrays

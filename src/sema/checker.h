// The state of semantic analysis. Sema holds what the whole program shares (types, overload sets, instances); Body
// checks one function instance. The methods of Body are spread over expr_*.cpp and stmt_*.cpp by construct.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diag/diagnostics.h"
#include "parse/copy_tree.h"
#include "sema/block_flow.h"
#include "sema/constructs.h"
#include "sema/host_writes.h"
#include "sema/program.h"
#include "sema/sema.h"
#include "sema/symbols.h"

namespace bsgp::sema {

class Body;
struct Grid;

constexpr const char* kIntoSpawn =
    "put it inside 'spawn (n) { ... }'";                            // where something collective stands in host code
constexpr const char* kIntoVariable = "put it in a variable first"; // what has no address
constexpr const char* kInRequire = "call it in a 'require'";        // what the host alone does
constexpr const char* kAllocated = "allocate larger or varying ones with new or dnew"; // an array's size is a constant
constexpr const char* kEndOfProgram = "write assert(false, \"why\") to end the program; return ends the thread";
constexpr uint64_t kMostCaptured = 64; // numbers of a host variable that are passed to device code by value

class Sema {
public:
  Sema(Program& program, Diagnostics& diagnostics)
      : program(program), types(program.types), arena(program.arena), diag(diagnostics),
        warnings(diagnostics.sources()), block_flow(diagnostics) {}
  void run(const ast::Program& tree, const Options& options);

  // types.cpp's companion: types as written. `body` gives typeof and array sizes their names; may be null.
  const Type* resolve(const ast::TypeExpr* type, Body* body, SpaceCell* open_space = nullptr);
  bool isConst(const ast::TypeExpr* type) const; // is what has this type const?
  const Type* builtinType(std::string_view name) const;

  // Overloads (select.cpp) and instances (instantiate.cpp).
  Selected select(std::string_view name, std::vector<Argument>& arguments, SourceRange range, Body& caller, bool used,
                  Scope scope);
  std::vector<OpenCall> open_calls;                                                        // open_calls.cpp
  bool takes(std::string_view name, const std::vector<Argument>& arguments, Body& caller); // some overload
  bool usesAll(const Callable& op, const Type* type) const;
  bool sums(const Callable& op) const;                // adds or multiplies: narrow_sums.cpp
  std::string methodsOf(const Type* structure) const; // their names, for messages
  bool hasFunction(std::string_view name) const { return functions_.count(name) != 0; }
  std::optional<size_t> parametersOf(std::string_view name) const; // where all of this name have as many
  // What a name stands for in the program's text, or the library's: name_scopes.cpp.
  using Overloads = std::span<const ast::Function* const>;
  Scope scopeOf(SourceRange range) const { return diag.sources().ofLibrary(range) ? Scope::Library : Scope::Program; }
  Overloads overloads(std::string_view name, Scope scope) const { return overloads(functions_, name, scope); }
  Overloads candidates(std::string_view name, const std::vector<Argument>& arguments, Scope scope) const;
  bool isCandidate(const ast::Function& node, Scope scope, const Overloads& all);
  bool hasFunction(std::string_view name, Scope scope) const;
  std::unordered_map<std::string_view, Symbol>& globalsOf(SourceRange declaration) {
    return scopeOf(declaration) == Scope::Library ? library_globals : globals;
  }
  const Symbol* global(std::string_view name, Scope scope) const;  // null: there is none
  const Type* typeNamed(std::string_view name, Scope scope) const; // null: it is no type's name there
  const Traits& traits(const ast::Function& function);
  const ast::Function* declarationOf(const Function& function) const;
  bool isMath(const ast::Function& function); // by its text: of the library, of numbers, nothing that only threads have
  const HostLocals& hostLocals(const ast::Function& function);
  std::span<const ast::Function* const> callees(const ast::Expr& call) const; // that the text of a call may mean
  std::optional<bool> knownCondition(const ast::Expr* condition) const;
  // Given an argument of this type; null: of a type that is not known.
  bool writesParameter(const ast::Function& function, const ast::Param& param, const Type* given);
  bool hasCollective(const ast::Stmt* s); // by its text
  bool isWrittenOut(const ast::Stmt* s);  // in device code: unroll for

  // Spaces that use decides (convert.cpp).
  void decide(SpaceCell* open, Space space, SourceRange why, const char* reason);
  void join(SpaceCell* open, SpaceCell* with);

  // Conversions that need no context (convert.cpp).
  bool sameType(const Type* a, const Type* b) const;
  const Type* promoted(const Type* type);
  const Type* common(const Type* a, const Type* b); // null: none

  std::optional<bool> constantQuery(std::string_view name) const; // nothing: it is not one

  // Constant folding (constant.cpp): true when the expression is a compile-time number.
  static bool constantValue(const Expr* expr, ConstValue& out);

  template <class T> std::span<T> keep(const std::vector<T>& list) {
    if (list.empty())
      return {};
    T* to = static_cast<T*>(arena.allocate(sizeof(T) * list.size(), alignof(T)));
    std::uninitialized_copy(list.begin(), list.end(), to);
    return {to, list.size()};
  }
  Expr* make(Expr::Kind kind, const Type* type, SourceRange range) {
    Expr* e = arena.make<Expr>();
    e->kind = kind, e->type = type, e->range = range, e->strict = making_strict;
    return e;
  }
  Expr* copyOf(const Expr* e); // with nodes of its own
  const Grid* anyGrid();       // grid.cpp
  Stmt* make(Stmt::Kind kind, SourceRange range) {
    Stmt* s = arena.make<Stmt>();
    s->kind = kind, s->range = range;
    return s;
  }
  std::string includeOf(std::string_view name) const { return include_of ? include_of(name) : std::string(); }
  void reportUnknownFunction(std::string_view name, SourceRange range, Body& caller);
  std::string_view nearestFunction(std::string_view name, unsigned limit) const;
  std::string memberSuggestion(ast::Family family, std::string_view name) const; // of thread: "; did you mean …?" or ""
  std::string fieldSuggestion(const Type* type, std::string_view name) const;    // of fields and functions, as these
  std::string suggestion(std::string_view name, Body* body, bool variables_only = false); // "; did you mean 'x'?" or ""

  Program& program;
  bool for_gpu = false;                                    // what target_is_gpu() is
  bool appends = false;                                    // what __appends() is
  bool fast_math = false;                                  // what fast_math() is
  bool tells_undefined = false;                            // the program tells of what nobody wrote
  bool making_strict = false;                              // is what is checked now in a strict function
  std::function<std::string(std::string_view)> include_of; // Options::include_of
  TypeTable& types;
  Arena& arena;
  Diagnostics& diag;
  Diagnostics warnings; // of what is hardly meant (warnings.h): reported where the program has no errors
  std::unordered_set<SourcePos> implicit_locals; // where the names of variables begin that a first assignment declares
  BlockFlow block_flow;
  std::unordered_map<std::string_view, Symbol> globals, library_globals;
  std::unordered_map<std::string_view, const Type*> type_names;

private:
  friend class Body;
  SpaceCell* spaceAsWritten(const ast::TypeExpr& pointer, SpaceCell* open_space);
  const Type* badElement(const ast::TypeExpr& node, const char* what, const Type* element);
  friend class HostReads;
  const Type* resolveWritten(const ast::TypeExpr* type, Body* body, SpaceCell* open_space);
  using FunctionSets = std::unordered_map<std::string_view, std::vector<const ast::Function*>>;
  Overloads overloads(const FunctionSets& sets, std::string_view name, Scope scope) const;
  void addOverload(FunctionSets& sets, std::string_view name, const ast::Function& function);
  bool isOfProgram(const Type* type) const;
  bool isOfProgram(const ast::Function& function) const { return scopeOf(function.range) == Scope::Program; }
  void reportWarnings(const ast::Program& tree);
  void declareStructs(const ast::Program& tree);
  void declareStruct(const ast::Struct& node);
  std::vector<StructField> fieldsOf(const Type* type, std::span<const ast::Declarator> list);
  void checkExtern(const ast::Function& node);
  // field_values.cpp
  bool givesValues(const Type* type) const;                    // begins with them, where a variable is given none
  const Expr* fieldValue(const Type* structure, size_t field); // null: none was written
  void keepFieldValues(const Type* type, std::span<const ast::Declarator> list);
  void checkFieldValues();
  // generic_structs.cpp
  const Type* genericType(const ast::TypeExpr& node, Body* body);
  const Type* genericType(const ast::Struct& node, const std::vector<TypeArgument>& arguments, SourceRange range);
  std::optional<TypeArgument> typeArgument(const ast::TypeParam& param, const ast::TypeExpr& node, Body* body);
  const Type* settled(const Type* type);
  std::string uniqueNameInC(const ast::Struct& node, const std::vector<TypeArgument>& arguments);
  void rejectMissingArguments(const ast::TypeExpr& node);
  void reachGeneric(const ast::Struct& node);
  void declareWaiting();
  void declareGeneric(const Type* type);
  void declareParts(const Type* type, const ast::Struct& node);
  std::string_view nameArgument(const TypeArgument& argument);
  void declareMethods(const Type* type, const ast::Struct& node, ast::TreeCopy& copy);
  std::string_view copyLambda(std::string_view lambda, const Type* type, ast::TreeCopy& copy);
  void needFields(const Type* type);
  // open_types.cpp
  bool takesPartlyOpen(const ast::Param& param, const Expr& value);
  const Type* matched(const ast::TypeExpr* pattern, const Type* given);
  const Type* matchedPointer(const ast::TypeExpr& pattern, const Type* given);
  bool matchesArguments(const ast::TypeExpr& pattern, const Type* given);
  void declareEnum(const ast::Enum& node);
  void nameType(std::string_view name, const Type* type, SourceRange declaration);
  void declareLibrary(const ast::Expr& name);
  void declareGlobal(const ast::Global& node);
  // `texts`: they are constants too.
  bool constantLeaves(const Expr* init, const Type* type, std::vector<ConstValue>& out, bool texts = false);
  Expr* globalInitializer(const ast::Expr* init, const Type*& type);
  void declareFunction(const ast::Function& node);
  // addresses.cpp
  void reportAddress(const AddressUse& use, const Type* about);
  void checkOpenAddresses();
  void warnOfOpenPointers();
  // sides.cpp
  bool checkRoots(const ast::Program& tree); // true: there are some
  void checkUncalled(const ast::Program& tree);
  bool mayBeUncalled(const ast::Function& node) const;
  std::vector<const ast::Function*> callersFirst(const std::vector<const ast::Function*>& wanted);
  void callersLast(const ast::Function& from, std::unordered_set<const ast::Function*>& seen,
                   std::vector<const ast::Function*>& order);
  std::vector<const ast::Function*> namedIn(const ast::Function& function) const;
  void checkForSomeSide(const ast::Function& node);
  bool fits(const ast::Function& node, Side side);
  Function* rootInstance(const ast::Function& node, Side side);
  // sema.cpp
  bool checkMain(const ast::Function& node);
  bool isMainParameter(const ast::Param& param, size_t at);
  bool isMainResult(const Type* type) const;
  // instantiate.cpp
  Function* instantiate(const ast::Function& node, std::vector<Argument>& arguments, SourceRange range, Side side,
                        Body* caller, bool used);
  Function* createInstance(const ast::Function& node, std::vector<Argument>& arguments, Side side, Body* caller);
  bool entersLibrary(const ast::Function& node, SourceRange call, const Body* caller) const;
  Function* breakInstance(const Function& function, const std::vector<Argument>& arguments, SourceRange call,
                          const Body* caller, const Diagnostics::Mark& before);
  void tellOf(Diagnostic inside, std::string_view name, const std::vector<Argument>& arguments, SourceRange call);
  Selected selectBySpace(const ast::Function& first, const ast::Function& second, std::vector<Argument>& arguments,
                         SourceRange range, Body& caller, bool used);
  void decideOpenCalls();
  bool writesThis(std::string_view method, const Type* object); // some overload of it
  bool refersToConst(const ast::Function& node, const ast::Param& param, const Expr* argument, Side side);
  bool canChange(const ast::Function& node, const std::vector<Argument>& arguments, Body& caller);
  std::optional<ConstValue> knownArgument(const ast::Function& node, const ast::Param& param, const Argument& argument,
                                          Body* caller);
  bool isWritten(const ast::Function& node, const ast::Param& param, const Argument& argument);
  bool hostParameter(const ast::Function& node, const ast::Param& param, const Argument& argument, bool by_reference,
                     bool collective);
  const Type* sameSpaces(const Type* type, const Type* given);
  bool spacesFit(const Type* type, const Type* given) const;
  const Type* keyType(const ast::Param& param, const Type* given);
  const Type* resultType(const ast::Function& node);
  void rejectListsByValue(Function& function);
  const Expr* defaultOf(const ast::Param& param);
  void checkDefaults(const ast::Function& node);
  void checkOperands(const ast::Function& node);
  void finishExtern(Function& function, const ast::Function& node);
  int argumentCost(const ast::Function& node, const ast::Param& param, const Argument& argument, Body& caller);
  int rank(const ast::Function& node, const std::vector<Argument>& arguments, Body& caller);
  std::string helpForArguments(Overloads set, const std::vector<Argument>& arguments, Body& caller);
  // nearest_form.cpp
  std::string formOf(const ast::Function& node) const; // sort(p, long n)
  std::string operatorFirst(std::string_view name, const std::vector<Argument>& arguments) const;
  struct Change;
  int costAfter(const Change& change, const ast::Function& node, const std::vector<Argument>& arguments, Body& caller);
  const ast::Function* nearestForm(Overloads set, const std::vector<Argument>& arguments, Body& caller);
  std::string formOfArrays(std::string_view name, const std::vector<Argument>& arguments) const;
  bool isOfThreads(const ast::Function& node);
  std::string formOfThreads(std::string_view name);
  std::string helpForOrder(const Diagnostic& inside, std::string_view name,
                           const std::vector<Argument>& arguments) const;
  size_t parameterOfHost(const Diagnostic& inside, std::string_view name, size_t arguments) const;
  int conversionCost(const Expr* value, const Type* to);
  int viewCost(const Type* from, const Type* to);
  int pointerCost(const Expr* value, const Type* to);
  const Type* parameterType(const ast::Param& param, SpaceCell* open_space = nullptr);
  bool passedByReference(const ast::Function& node, const ast::Param& param, const Expr* argument, Side side);
  bool sameParameter(const ast::Param& a, const ast::Param& b);
  // lambdas.cpp
  std::string_view closure(std::string_view lambda, std::span<const ast::Param> captured);
  void addClosure(std::string_view name, const ast::Function& lambda, std::span<const ast::Param> captured);
  bool runsCollective(const ast::Function& node, const std::vector<Argument>& arguments);
  bool runsCollective(const Callable& callable);
  bool hostCapture(const Argument& captured, bool collective, Side side);
  void capturedKey(const Callable& callable, const ast::Function& node, bool collective, Side side, std::string& key);
  void addCaptured(const Callable& callable, const ast::Function& node, bool collective, Function& function);
  Callable boundTo(const Callable& callable, const Function& function, size_t& next);
  const Grid* gridOf(const ast::Function& node, const std::vector<Argument>& arguments, Side side, Body* caller);
  std::string instanceKey(const ast::Function& node, const std::vector<Argument>& arguments, Side side, Body* caller,
                          bool used);
  void typeKey(const Type* type, std::string& out);

  FunctionSets functions_;
  FunctionSets methods_; // by their names without the struct's
  std::unordered_set<const StructInfo*> program_structs_;
  std::unordered_set<std::string_view> program_type_names_;
  struct FieldValue {
    const ast::Expr* written;
    const Expr* value = nullptr;
    bool checked = false;
  };
  std::unordered_map<const Type*, std::vector<FieldValue>> field_values_; // of structs that have some
  std::vector<const Type*> with_values_;                                  // these, in order
  std::unordered_map<const ast::Param*, const Expr*> defaults_;           // of parameters
  std::map<std::pair<const ast::Param*, const Type*>, bool> written_;     // by the function's text
  std::unordered_map<const ast::Function*, Traits> traits_;
  std::unordered_map<const ast::Function*, HostLocals> host_locals_;
  std::unordered_map<std::string, Function*> instances_;
  std::unordered_map<const Function*, bool> in_progress_;
  std::unordered_map<const Function*, Diagnostic> broken_; // instances of the library, with their first error
  std::unordered_set<const ast::Function*> checked_;       // have an instance, on some side
  std::optional<SideTrial> trial_;
  Grid* any_grid_ = nullptr;                                     // for functions that nobody calls
  std::unordered_map<const Function*, const Type*> narrow_sums_; // kept by these functions of the library
  std::vector<AddressUse> open_addresses_;                       // of pointers whose space nothing had decided
  std::unordered_map<std::string, unsigned> symbol_counts_;
  std::unordered_map<std::string_view, const ast::Struct*> undeclared_structs_; // seen by name, fields still to come
  std::unordered_set<const ast::Struct*> declared_structs_;
  std::unordered_set<std::string_view> const_names_;              // of typedefs
  bool needs_fields_ = true;                                      // resolve: of a struct, not behind a pointer
  std::unordered_map<std::string, const ast::Function*> lambdas_; // of the text
  unsigned declaring_ = 0;                                        // structs
  std::unordered_map<std::string_view, const ast::Struct*> generics_;
  std::unordered_set<const ast::Struct*> reached_generics_; // their declarations, in the order of the text
  std::unordered_set<const ast::Struct*> endless_generics_; // reported
  std::unordered_map<std::string, const Type*> generic_types_;
  std::unordered_map<const ast::TypeExpr*, const Type*> written_generics_; // outside of bodies
  std::unordered_map<const Type*, GenericUse> undeclared_generics_;        // whose fields are still to come
  std::vector<const Type*> waiting_;                                       // of them; last come, first declared
  std::unordered_map<std::string_view, const Type*> argument_types_;       // by the names they have in copies of trees
  std::unordered_set<std::string> c_names_;                                // of structs
  unsigned depth_ = 0;
};

// Of a spawn (w, h) or (w, h, d): see grid.cpp.
struct Grid {
  size_t dimensions = 0;
  Variable* extents[ast::kMostExtents] = {}; // of the host
  Variable* places[ast::kMostExtents] = {};  // of each thread
};

class Body {
public:
  Body(Sema& sema, Function& function, Body* caller)
      : sema_(sema), types_(sema.types), fn_(function), scope_(sema.scopeOf(function.range)), caller_(caller) {}

  void bind(std::string_view name, Symbol symbol);
  void checkBody(const ast::Function& node, bool deduce_result);

  // Expressions: any value or lvalue; arrays stay arrays.
  Expr* expr(const ast::Expr* e);
  Expr* rvalue(const ast::Expr* e);       // arrays decay
  Expr* noValue(const Expr* e);           // reports that it has none
  const Type* typeOf(const ast::Expr* e); // without evaluating it
  Expr* condition(const ast::Expr* e);    // bool
  Symbol find(std::string_view name) const;
  Side side() const { return side_; }
  Side sideFor(const ast::Function& function) const;
  Scope scope() const { return scope_; }
  Body* caller() const { return caller_; }
  Function& function() const { return fn_; }
  const Type* rankType() const { return rank_type_; }
  const Grid* grid() const { return grid_; }
  uint32_t block() const { return block_; }
  size_t visibleCount() const { return visible_.size(); }
  const std::vector<std::string_view>& visibleNames() const { return visible_; }

  // Implicit conversion; reports and returns an error expression when there is none.
  Expr* convert(Expr* e, const Type* to, const char* what);
  bool convertible(const Expr* e, const Type* to) const;
  bool dropsConst(const Expr* e, const Type* to) const; // a conversion to a pointer that could change what is const
  bool unify(const Type* a, const Type* b, SourceRange range);
  // warn_constants.cpp
  void warnOfLoss(Expr* e, const Type* to, const char* what); // a constant that `to` cannot hold
  bool isGeneric() const;                                     // an instance of what takes values of any type
  Expr* decay(Expr* e);
  Expr* toBool(Expr* e);
  Expr* cast(Expr* e, const Type* to); // arithmetic or vector conversion known to be fine

private:
  friend class Sema;
  friend struct Printing;       // expr_print.cpp
  friend struct ChosenElements; // chosen_elements.cpp
  struct Enclosing {            // a condition around the place being checked
    const Expr* condition;      // null: the operand of a short circuit whose condition is `range`
    SourceRange range;
    Construct construct;
    const Stmt* loop = nullptr;         // of which it is the condition
    bool negated = false;               // the place is where the condition does not hold
    Stmt* made = nullptr;               // the if, loop or switch
    bool in_par = false;                // it stands in an arm of a par
    bool by_text = false;               // it is the host's, by its text
    SourceRange parted_by{};            // a break or continue of its own that some threads take alone
    const ast::Expr* written = nullptr; // the condition of an if
    bool tests = false;                 // what is being checked runs in each round, but does not stand in its body
    bool inExpression() const { return isOfExpression(construct); }
    bool inArm() const { return construct == Construct::Choice; }
    bool isAsm() const { return construct == Construct::Asm; }
    const Expr* tested() const { return loop ? loop->expr : condition; }
  };
  struct Misplaced { // a barrier, or what contains one, in control flow
    const char* what;
    SourceRange range;
    size_t returns; // that come before it, of returns_
    std::vector<Enclosing> around;
    std::vector<std::string> instead; // insteadOf
    bool in_flow = false;             // of which something differs
    std::string help{};               // where a condition differs; empty: wayOut
  };
  static constexpr const char* kCallThatGets = "a call of a function that gets or puts";

  // expr_names.cpp
  Expr* literal(const ast::Expr* e);
  Expr* name(const ast::Expr* e);
  Expr* useVariable(Variable* v, SourceRange range);
  bool capturesTooMuch(const Variable* v) const;
  Expr* number(int64_t value, const Type* type, SourceRange range);
  // expr_operators.cpp
  Expr* unary(const ast::Expr* e);
  Expr* incDec(const ast::Expr* e);
  Expr* addressOf(const ast::Expr* e);
  Expr* rejectElementAddress(const ast::Expr* e);
  Expr* deref(const ast::Expr* e);
  Expr* binary(const ast::Expr* e);
  Expr* binaryOn(ast::BinaryOp op, Expr* a, Expr* b, SourceRange range);
  Expr* arithmetic(ast::BinaryOp op, Expr* a, Expr* b, SourceRange range);
  Expr* pointerArithmetic(ast::BinaryOp op, Expr* a, Expr* b, SourceRange range);
  Expr* pointerComparison(ast::BinaryOp op, Expr* a, Expr* b, SourceRange range);
  Expr* logical(const ast::Expr* e);
  static std::optional<bool> constantCondition(const Expr* condition);
  Expr* operand(const ast::Expr* e, const Enclosing& around, bool is_constant, bool left_out);
  Expr* conditional(const ast::Expr* e);
  Expr* overloaded(std::string_view name, std::vector<Expr*> operands, SourceRange range); // null: no such operator
  // expr_assign.cpp
  Expr* assign(const ast::Expr* e);
  Expr* assigned(const ast::Expr* value, const Type* type);
  Expr* assignedPlace(const ast::Expr* e);
  Expr* assignTo(Expr* target, Expr* value, SourceRange range);
  Expr* compound(const ast::Expr* e);
  bool requireLvalue(Expr* e, std::string_view what);
  bool checkWritable(Expr* target, SourceRange range, const char* instead = kOtherPlaces);
  bool checkPointee(const Expr* pointer, SourceRange range); // what it points to is not const
  bool checkAssignable(const Type* type, SourceRange range);
  // expr_access.cpp
  Expr* index(const ast::Expr* e);
  Expr* elementAt(Expr* base, Expr* at, SourceRange range);
  Expr* member(const ast::Expr* e);
  Expr* pointee(const ast::Expr* e);
  Expr* memberOf(Expr* base, std::string_view name, SourceRange range);
  Expr* swizzle(Expr* base, std::string_view name, SourceRange range);
  void touchMemory(Expr* pointer, SourceRange range); // a dereference here: space and side
  void useAddress(AddressUse::Kind kind, const Type* pointer, SourceRange range);
  // expr_calls.cpp
  Expr* call(const ast::Expr* e);
  std::string elementHelp(const ast::Expr* call, const Type* type) const;
  Expr* callNamed(std::string_view name, const ast::Expr* e, Scope scope);
  Expr* callWith(std::string_view name, std::vector<Argument> arguments, SourceRange range, bool used = true) {
    return callFrom(scope_, name, std::move(arguments), range, used);
  }
  bool computesFromHost(const Function& function, std::span<Expr* const> values) const;
  Expr* callFrom(Scope scope, std::string_view name, std::vector<Argument> arguments, SourceRange range,
                 bool used = true);
  bool isUsed(const ast::Expr* call) const { return call != unused_; }
  Expr* methodCall(const ast::Expr* e);
  std::vector<Argument> arguments(std::span<ast::Expr*> list);
  Argument argument(const ast::Expr* e);
  bool asCallable(const ast::Expr* e, Callable& out);
  // references.cpp
  std::optional<Stmt*> reference(const ast::Declarator& d); // nothing: a reference to const, which needs a copy
  Expr* fixed(Expr* place, const ast::Declarator& d, std::vector<Stmt*>& before);
  Expr* once(Expr* value, const ast::Declarator& d, std::vector<Stmt*>& before);
  Expr* seenHere(const Expr* place, SourceRange range);
  // lambdas.cpp
  Callable lambda(const ast::Expr* e);
  Symbol findLocal(std::string_view name) const;
  bool isCopy(const Variable& variable) const;
  Callable again(const Callable& callable);
  size_t passCaptured(const Callable& callable, std::vector<Expr*>& values);
  Expr* callLambda(const Callable& lambda, std::vector<Argument> arguments, SourceRange range);
  Expr* construct(const ast::Expr* e);
  Expr* constructType(const Type* type, std::vector<Expr*> args, SourceRange range);
  Expr* initializer(const ast::Expr* init, const Type* type);
  Expr* initList(const ast::Expr* list, const Type* type);
  Expr* zero(const Type* type, SourceRange range);
  Expr* zeroField(const Type* structure, size_t field, SourceRange range);
  // field_values.cpp
  Expr* withValues(Expr* memory);
  Expr* explicitCast(const ast::Expr* e);
  Expr* castTo(Expr* value, const Type* to, SourceRange range);
  // lists.cpp
  Expr* noListValue(const Expr* list, const char* what);
  Expr* listOnDevice(const Expr* list, const char* what); // device code copies none
  Expr* listOf(const ast::Expr* list, const Type* type);
  Expr* listData(Expr* list, SourceRange range);
  Expr* listPointer(Expr* list, SourceRange range);
  Expr* listMember(Expr* list, std::string_view name, SourceRange range);
  Expr* dlistMethod(Expr* list, const ast::Expr* e);
  void warnOfCopies(SourceRange range);
  bool inLoop() const;
  bool checkListIndex(const Expr* array, const Expr* index);
  Expr* noElementAddress(const Expr* place, SourceRange range);
  Expr* elementCall(std::string_view name, const ast::Expr* e); // null: no such built-in
  // expr_builtins.cpp
  Expr* builtin(std::string_view name, const ast::Expr* e); // null: no such built-in
  Expr* assert_(const ast::Expr* e);
  Expr* copy(const ast::Expr* e);
  Expr* restate(const ast::Expr* e);
  Expr* allocation(const ast::Expr* e);
  // views.cpp
  Expr* viewPart(Expr* view, uint32_t field, SourceRange range);
  Expr* dataOf(Expr* value);
  Expr* viewAsPointer(const Expr* view, const char* what);
  Expr* viewCount(Expr* view, SourceRange range);
  Expr* callOfLibrary(std::string_view name, const std::vector<Expr*>& values, SourceRange range);
  Expr* severalIndices(const ast::Expr* e);
  Expr* rejectSeveralIndices(const ast::Expr* e, const Expr* base);
  Expr* wrongIndexCount(const Expr* indexed, size_t wanted, size_t given, SourceRange range);
  Expr* elementOfView(Expr* view, std::vector<Expr*> places, SourceRange range);
  Expr* dereferenced(Expr* pointer, SourceRange range);
  Expr* viewOf(const ast::Expr* e);
  Expr* wholeNumber(const ast::Expr* e, const Type* type);
  Expr* madeView(Expr* pointer, const std::vector<Expr*>& extents, SourceRange range);
  Expr* copyOfView(const ast::Expr* e);
  Expr* keptLocal(std::string_view name, Expr* value);
  Expr* behind(const std::vector<Expr*>& first, Expr* last);
  static bool isRepeatable(const Expr* e);
  void keepParts(Expr* place, std::vector<Expr*>& first);
  void declareKept(std::vector<Stmt*>& out);
  Expr* allocationOfView(const ast::Expr* e, Expr* memory);
  Expr* release(const ast::Expr* e);
  std::pair<std::string, const char*> freedByItself(const Expr* value) const;
  Expr* sizeOf(const ast::Expr* e);
  Expr* staticAssert(const ast::Expr* e);
  // expr_memory.cpp: each null where the name is not one of theirs
  Expr* memoryCall(std::string_view name, const ast::Expr* e);
  Expr* sharedPlace(std::string_view name, const ast::Expr* e);
  Expr* floatExtreme(const Expr* call);
  Expr* machineQuery(std::string_view name, const ast::Expr* e);
  Expr* useQuery(const ast::Expr* e);
  // library_calls.cpp
  Expr* needs(const ast::Expr* e);
  Expr* typeQuery(std::string_view name, const ast::Expr* e); // null: no such built-in
  // key_parts.cpp
  Expr* keyBuiltin(std::string_view name, const ast::Expr* e); // null: no such built-in
  void appendParts(const Expr* key, std::vector<Expr*>& out);
  Expr* keyWord(std::span<Expr* const> parts, const Type* word);
  // expr_identity.cpp
  Expr* identity(const ast::Expr* e);
  Expr* commutes(const ast::Expr* e);
  Expr* exact(const ast::Expr* e);
  Expr* notAnOperator(const ast::Expr* e);
  Expr* operatorAndType(std::string_view name, const ast::Expr* e, Callable& op, const Type*& type);
  Expr* noIdentity(const Callable& op, const Type* type, SourceRange range);
  // narrow_sums.cpp
  bool widensBools(const Callable& op, SourceRange range);
  Expr* sumBuiltin(std::string_view name, const ast::Expr* e);
  Expr* useBuiltin(const ast::Expr* e);
  Expr* uses(const ast::Expr* value, SourceRange range);
  Expr* nothing(SourceRange range);
  bool checkSums(const Function& callee, SourceRange call);
  // block.cpp
  Expr* blockMember(const ast::Expr* e);
  Expr* blockCount(SourceRange range);
  Expr* blockCall(const ast::Expr* e);
  Expr* blockSync(const ast::Expr* e);
  Expr* tileBuiltin(std::string_view name, const ast::Expr* e); // null: no such built-in
  // append.cpp
  Expr* appendBuiltin(std::string_view name, const ast::Expr* e); // null: no such built-in
  Expr* perTile(const ast::Expr* e);
  void sawBlockSync();
  Stmt* declareShared(const ast::Declarator& d);
  // warp.cpp
  Expr* warpMember(const ast::Expr* e);
  Expr* warpCall(const ast::Expr* e);
  Expr* warpBuiltin(std::string_view name, const ast::Expr* e); // null: no such built-in
  bool checkWarpArguments(std::string_view name, const std::vector<Argument>& given, SourceRange range);
  void sawWarpSync();
  // asm.cpp
  Stmt* inlineAssembly(const ast::Stmt* s);
  bool asmOperand(const ast::AsmOperand& operand, bool output, Expr*& value);
  bool asmConstraint(const ast::AsmOperand& operand, bool output, const Type* type);
  bool asmText(const ast::Stmt* s, std::string& text);
  // expr_thread.cpp
  Expr* threadMember(const ast::Expr* e);
  Expr* threadCall(const ast::Expr* e);
  Expr* get(const ast::Expr* e);
  bool perThreadPlace(const Expr* e) const;
  void failPlace(std::string_view name, const Expr* place, SourceRange rank);

  // stmt_*.cpp
  Stmt* stmt(const ast::Stmt* s);
  void stmts(std::span<ast::Stmt*> list, std::vector<Stmt*>& out);
  Stmt* alone(const ast::Stmt* s);
  Stmt* exprStmt(const ast::Stmt* s);
  Stmt* declaration(const ast::Stmt* s);
  Stmt* declare(const ast::Declarator& d, const ast::Stmt* s);
  void rejectRedefinition(const ast::Declarator& d);
  Stmt* implicitLocal(const ast::Expr* assign, SourceRange range);
  Stmt* head(const ast::Expr* e, std::vector<std::string_view>& names);
  void endHead(std::string_view name);
  void checkHeadType(std::string_view name, const Expr* value, const Type* type, SourceRange range);
  bool warnNearMiss(std::string_view name, SourceRange range);
  Stmt* block(const ast::Stmt* s, const char* scope = kBraces); // scope: what its names end with
  Stmt* ifStmt(const ast::Stmt* s);
  Stmt* loop(const ast::Stmt* s);
  void loopBody(const ast::Stmt* s, Stmt* made);
  // rounds.cpp
  struct Round;
  bool isWrittenOut(const ast::Stmt* s);
  Stmt* writtenOut(const ast::Stmt* s);
  std::vector<Stmt*> rounds(const ast::Stmt* s);
  bool firstRound(const ast::Stmt* s, Round& round);
  bool nextRound(const ast::Stmt* s, Round& round);
  std::optional<bool> hasNextRound(const ast::Stmt* s);
  bool notKnown(const char* what, SourceRange range);
  uint32_t unrollCount(const ast::Stmt* s);
  Stmt* switchStmt(const ast::Stmt* s);
  Expr* returned(const ast::Expr* value);
  Stmt* returnStmt(const ast::Stmt* s);
  void rejectReturnedValue(SourceRange range);
  void checkReturns(const ast::Function& node); // missing_return.cpp
  Stmt* spawn(const ast::Stmt* s);
  Expr* extent(const ast::Expr* written);
  Stmt* behind(std::vector<Stmt*>& before, Stmt* last);
  Stmt* barrier(const ast::Stmt* s);
  Stmt* require(const ast::Stmt* s);
  Stmt* par(const ast::Stmt* s);
  Stmt* oldRank(const ast::Expr* assign);
  Stmt* put(const ast::Expr* call, SourceRange range);
  Stmt* hostAssign(Expr* assign);
  HostWrite hostWrite(const ast::Expr* e) const;
  Stmt* assignToHost(const ast::Expr* e, Expr* target, SourceRange range); // null: reported
  Stmt* wrap(Expr* e);                                                     // an expression statement
  // grid.cpp
  Grid* startGrid(std::span<Expr* const> extents, const Type* rank, std::vector<Stmt*>& before);
  Expr* threadsOf(const Grid& grid, SourceRange range, std::vector<Stmt*>& before);
  void placeThreads(Grid& grid, SourceRange range, std::vector<Stmt*>& declared);
  Variable* constant(std::string_view name, Expr* value, SourceRange range, std::vector<Stmt*>& declared);
  Expr* gridMember(const ast::Expr* e);
  size_t ranksIn(const ast::Expr* call, size_t others) const;
  Expr* rankAt(const ast::Expr* call, size_t count);
  // misplaced.cpp
  void placeCall(const Function& function, const std::vector<Argument>& arguments, SourceRange range);
  void placeCollective(const char* what, SourceRange range, std::vector<std::string> instead = {},
                       std::string help = {});
  void reportMisplaced(const Function* function, const Stmt* code, const std::vector<Misplaced>& all);
  void reportMisplaced(const Misplaced& one, std::span<const Uniformity> flow);
  // host_flow.cpp
  void decideFlow(const Function* function, Stmt* code);
  void giveToHost(const Function* function, Stmt* code);
  void assignOnHost(Stmt* s);
  Expr* plainAssignment(Expr* e);
  void claimReturns(Stmt* code, std::span<const Misplaced> collectives, std::span<const SourceRange> returns);
  bool isHosts(const Enclosing& around) const;
  bool isHostFlow(const ast::Stmt* s, Stmt& made) const;
  SourceRange partedBy(const ast::Stmt* s) const;
  bool assignsToHost(const ast::Expr* e, Expr*& target);
  Expr* step(const ast::Expr* e);
  void reportInHostFlow(const Misplaced& one, const Enclosing& around);
  const Variable* changedByThreads(const Expr* e, const HostLocals::ByThreads*& how) const;
  std::string wayOut(const Misplaced& one, size_t first) const;
  std::string sourceText(SourceRange range) const;
  std::vector<std::string> insteadOf(const Function& function, const std::vector<Argument>& arguments);
  void sawCollective();
  void sawExchange();
  bool hostReturns(const Stmt* s);
  // host_locals.cpp
  bool becomesHost(const void* declaration, const Type* type, const Expr* first) const;
  Stmt* declareOnHost(Variable* v, Expr* first, SourceRange range);

  Expr* error(SourceRange range) { return sema_.make(Expr::Constant, types_.error, range); }
  template <class... Args> Expr* fail(Diag kind, SourceRange range, const Args&... args) {
    sema_.diag.report(kind, range, args...);
    return error(range);
  }
  Variable* local(std::string_view name, const Type* type, SourceRange range) {
    return local(name, type, range, side_);
  }
  Variable* local(std::string_view name, const Type* type, SourceRange range, Side side);
  void pushScope() { marks_.push_back(visible_.size()); }
  static constexpr const char* kBraces = "the braces in which it began";
  static constexpr const char* kLoop = "the loop";
  void popScope(const char* with = kBraces);
  Expr* unknownName(const ast::Expr* e);
  bool onDevice() const { return side_ == Side::Device; }
  bool warns() const { return scope_ == Scope::Program && !unevaluated_; } // of what is hardly meant: warnings.h

  Sema& sema_;
  TypeTable& types_;
  Function& fn_;
  Scope scope_; // of its text
  Body* caller_;
  Side side_ = Side::Host;
  const Type* rank_type_ = nullptr; // device code and requires
  const Grid* grid_ = nullptr;      // there, of a spawn of several dimensions
  uint32_t block_ = 0;              // threads of a full one, there too
  bool saw_block_sync_ = false;     // in this function, or this spawn
  bool in_spawn_ = false;           // in a spawn's text: device code or its requires
  bool alone_ = false;              // there, of a spawn of one thread
  bool in_require_ = false;
  unsigned unevaluated_ = 0; // inside typeof, sizeof: only the type counts
  bool deduce_result_ = false;
  SourcePos body_begin_ = 0;          // of its text
  bool gives_status_ = false;         // main without a type: return; gives 0
  const ast::Expr* unused_ = nullptr; // the statement being checked, or a returned value that no caller uses
  const HostLocals* host_locals_ = nullptr;
  unsigned loops_ = 0, switches_ = 0;
  bool warned_of_copies_ = false;    // in the loop around, or the outermost of them
  bool in_round_ = false;            // of a loop that is written out, and in no other loop
  std::vector<SourceRange> returns_; // of device code
  bool returned_alone_ = false;      // one of them in no control flow of the host's
  bool in_par_ = false;
  SourceRange return_without_value_{}; // the return that made the result of an 'auto' function void
  std::vector<Stmt*> kept_;            // declarations of what the statement's expressions keep
  std::vector<Enclosing> enclosing_;
  std::vector<Misplaced> misplaced_;
  std::unordered_map<std::string_view, std::vector<std::pair<size_t, Symbol>>> names_; // scope depth, symbol
  struct EndedVariable {
    const Variable* variable;
    const char* with; // what ended its scope
  };
  std::unordered_map<std::string_view, EndedVariable> ended_;
  struct Head { // a name that a loop's head declared, and which stood in this scope's depth around it
    std::string_view name;
    const Variable* variable;
    size_t depth;
  };
  std::vector<Head> heads_;                                           // of scopes that are open
  std::unordered_map<std::string_view, const Variable*> ended_heads_; // the same, by name
  std::vector<std::string_view> visible_;
  std::vector<size_t> marks_;
};

} // namespace bsgp::sema

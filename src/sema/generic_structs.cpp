// Generic structs: a type for each list of arguments, made when it is first written. Its fields and functions are copies
// of those of the declaration in which the parameters are names of the arguments, "(float*)" or "(4)", that nothing in
// a program can have.
//
// The fields of a type that is only pointed at wait until the struct around it, or the text above the declaration of
// what they need, is done: P(T) may hold P(T)*, and S may hold P(S)*.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sema/checker.h"

namespace bsgp::sema {

namespace {

constexpr unsigned kMostNested = 32;
constexpr size_t kLongestName = 1000;
constexpr unsigned kNotesInside = 3; // structs in structs of which a note says where they are written
constexpr size_t kLongestShown = 100;

// How deep arguments are in arguments: 0 of int, 1 of int*, 2 of P(int*).
unsigned nesting(const Type* type) {
  if (type->element)
    return 1 + nesting(type->element);
  unsigned deepest = 0;
  if (type->isStruct())
    for (const TypeArgument& argument : type->structure->arguments)
      deepest = std::max(deepest, 1 + (argument.type ? nesting(argument.type) : 0));
  return deepest;
}

std::string shown(const TypeArgument& argument) {
  return argument.type ? typeName(argument.type) : std::to_string(argument.number);
}

std::string shown(const std::vector<TypeArgument>& arguments) {
  std::vector<std::string> texts;
  for (const TypeArgument& argument : arguments)
    texts.push_back(shown(argument));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// What such a type looks like, for messages.
std::string example(const ast::Struct& node) {
  std::vector<std::string_view> arguments;
  for (const ast::TypeParam& param : node.params)
    arguments.push_back(param.is_number ? "4" : "int");
  return fmt::format("{}({})", node.name, fmt::join(arguments, ", "));
}

std::string parameterNames(const ast::Struct& node) {
  std::vector<std::string_view> names;
  for (const ast::TypeParam& param : node.params)
    names.push_back(param.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

// ---- types as written
const Type* Sema::genericType(const ast::TypeExpr& node, Body* body) {
  if (auto known = written_generics_.find(&node); !body && known != written_generics_.end())
    return known->second;
  auto generic = generics_.find(node.name);
  if (generic == generics_.end()) {
    bool known = type_names.count(node.name);
    diag.report(known ? Diag::not_generic : Diag::unknown_type, node.range, node.name,
                known ? "" : suggestion(node.name, nullptr));
    return types.error;
  }
  const ast::Struct& of = *generic->second;
  if (node.args.size() != of.params.size()) {
    diag.report(Diag::type_argument_count, node.range, of.name, of.params.size(), node.args.size(), example(of));
    diag.report(Diag::note_declared, of.range, of.name);
    return types.error;
  }
  bool outer = std::exchange(needs_fields_, false); // that is for the fields of what is made to say
  std::vector<TypeArgument> arguments;
  for (size_t i = 0; i < node.args.size(); ++i)
    if (std::optional<TypeArgument> argument = typeArgument(of.params[i], *node.args[i], body))
      arguments.push_back(*argument);
  needs_fields_ = outer;
  const Type* type = arguments.size() == node.args.size() ? genericType(of, arguments, node.range) : types.error;
  if (!body && !type->isError())
    written_generics_[&node] = type;
  return type;
}

std::optional<TypeArgument> Sema::typeArgument(const ast::TypeParam& param, const ast::TypeExpr& node, Body* body) {
  if (param.is_number != (node.kind == ast::TypeExpr::Number))
    return std::nullopt; // the struct is declared twice
  if (param.is_number) {
    Function scope;
    scope.range = node.range;
    Body outside(*this, scope, nullptr);
    Expr* e = (body ? body : &outside)->rvalue(node.count);
    ConstValue value;
    if (e->type->isError())
      return std::nullopt;
    bool fits = constantValue(e, value) && e->type->isInt() && value.integer == static_cast<int32_t>(value.integer);
    if (!fits)
      diag.report(Diag::not_constant, node.range, fmt::format("what stands for '{}', an int,", param.name));
    return fits ? std::optional(TypeArgument{nullptr, value.integer}) : std::nullopt;
  }
  const Type* type = resolveWritten(&node, body, types.cell(Space::Device));
  if (type->isError())
    return std::nullopt;
  if (isConst(&node))
    diag.report(Diag::const_type_argument, node.range, param.name);
  else if (type->isVoid())
    diag.report(Diag::bad_variable_type, node.range, "a type argument", typeName(type));
  else
    return TypeArgument{settled(type)};
  return std::nullopt;
}

// With the spaces that its pointers have by now: of typeof(p).
const Type* Sema::settled(const Type* type) {
  if (type->isArray())
    return types.array(settled(type->element), type->count);
  if (!type->space)
    return type;
  Space space = type->space->root()->space;
  return types.reaching(type, settled(type->element), types.cell(space == Space::Unknown ? Space::Device : space));
}

void Sema::rejectMissingArguments(const ast::TypeExpr& node) {
  const ast::Struct& of = *generics_.at(node.name);
  diag.report(Diag::missing_type_arguments, node.range, of.name, example(of));
}

const Type* Sema::genericType(const ast::Struct& node, const std::vector<TypeArgument>& arguments, SourceRange range) {
  std::string key = fmt::format("{}", static_cast<const void*>(&node));
  for (const TypeArgument& argument : arguments) {
    key += fmt::format(",{}", argument.number);
    if (argument.type)
      typeKey(argument.type, key);
  }
  const Type*& type = generic_types_[key];
  if (type)
    return type;
  std::string name = fmt::format("{}({})", node.name, shown(arguments));
  Type probe{TypeKind::Struct};
  StructInfo info{.name = name, .fields = {}, .arguments = arguments};
  probe.structure = &info;
  bool endless = endless_generics_.count(&node) && declaring_;
  if (!endless && (nesting(&probe) > kMostNested || name.size() > kLongestName)) {
    diag.report(Diag::endless_struct, range, node.name, kMostNested, parameterNames(node));
    if (declaring_)
      endless_generics_.insert(&node);
    return types.error;
  }
  if (endless)
    return types.error;
  type = types.makeStruct(arena.copy(name));
  type->structure->generic = &node, type->structure->arguments = arguments;
  if (scopeOf(node.range) == Scope::Program)
    program_structs_.insert(type->structure);
  type->structure->c_name = arena.copy(uniqueNameInC(node, arguments));
  undeclared_generics_[type] = {&node, range};
  waiting_.push_back(type);
  return type;
}

std::string Sema::uniqueNameInC(const ast::Struct& node, const std::vector<TypeArgument>& arguments) {
  std::string name(node.name);
  for (const TypeArgument& argument : arguments)
    name += "_" + (argument.type         ? nameInC(argument.type)
                   : argument.number < 0 ? fmt::format("minus{}", -argument.number)
                                         : std::to_string(argument.number));
  while (!c_names_.insert(name).second)
    name += "_";
  return name;
}

// ---- their fields and functions

// At the declaration, in the order of the text.
void Sema::reachGeneric(const ast::Struct& node) {
  if (generics_[node.name] != &node)
    return diag.report(Diag::type_redefined, node.range, node.name);
  reached_generics_.insert(&node);
  declareWaiting();
}

void Sema::needFields(const Type* type) {
  while (type->isArray())
    type = type->element;
  if (!type->isStruct() || type->structure->complete)
    return;
  if (undeclared_generics_.count(type))
    declareGeneric(type);
  else if (auto plain = undeclared_structs_.find(type->structure->name); plain != undeclared_structs_.end())
    declareStruct(*plain->second);
}

void Sema::declareWaiting() {
  if (declaring_ != 0 || waiting_.empty())
    return;
  std::vector<const Type*> later;
  while (!waiting_.empty()) {
    const Type* type = waiting_.back();
    waiting_.pop_back();
    auto use = undeclared_generics_.find(type);
    if (use == undeclared_generics_.end())
      continue;
    if (reached_generics_.count(use->second.node))
      declareGeneric(type);
    else
      later.push_back(type);
  }
  waiting_ = std::move(later);
}

namespace {

// Reports the first error since the mark at `range`, where the arguments of the library's struct are written.
void sayAt(SourceRange range, Diagnostics& diag, const Diagnostics::Mark& before) {
  std::vector<Diagnostic> said = diag.takeSince(before);
  auto is_error = [](const Diagnostic& message) { return message.severity == Severity::Error; };
  auto first = std::ranges::find_if(said, is_error);
  if (first == said.end()) // behind a hundred errors they are counted alone
    return;
  first->range = range;
  diag.put(std::move(*first));
}

} // namespace

void Sema::declareGeneric(const Type* type) {
  GenericUse use = undeclared_generics_.extract(type).mapped();
  Diagnostics::Mark before = diag.mark();
  bool outer = std::exchange(needs_fields_, true);
  ++declaring_;
  declareParts(type, *use.node);
  bool shown = declaring_ <= kNotesInside && type->structure->name.size() <= kLongestShown;
  bool failed = diag.errors() != before.errors;
  bool of_library = scopeOf(use.node->range) == Scope::Library && scopeOf(use.range) == Scope::Program;
  if (failed && of_library)
    sayAt(use.range, diag, before);
  else if (failed && shown)
    diag.report(Diag::note_with_arguments, use.range, typeName(type));
  --declaring_;
  needs_fields_ = outer;
  if (!failed || !trial_ || declaring_)
    return;
  std::vector<Diagnostic> said = diag.takeSince(before); // once for all: the type is made
  trial_->stay.insert(trial_->stay.end(), said.begin(), said.end());
}

void Sema::declareParts(const Type* type, const ast::Struct& node) {
  ast::TreeCopy::Names names, numbers;
  for (size_t i = 0; i < node.params.size(); ++i) {
    const TypeArgument& argument = type->structure->arguments[i];
    (argument.type ? names : numbers)[node.params[i].name] = nameArgument(argument);
  }
  ast::TreeCopy* copying = nullptr;
  ast::TreeCopy::Lambda lambda = [&](std::string_view name) { return copyLambda(name, type, *copying); };
  ast::TreeCopy copy(arena, names, numbers, lambda);
  copying = &copy;
  std::vector<ast::Declarator> fields(node.fields.begin(), node.fields.end());
  for (ast::Declarator& field : fields)
    field = copy.declarator(field);
  types.finishStruct(type, fieldsOf(type, fields));
  keepFieldValues(type, fields);
  program.structs.push_back(type);
  declareMethods(type, node, copy);
}

std::string_view Sema::nameArgument(const TypeArgument& argument) {
  std::string_view name = arena.copy("(" + shown(argument) + ")");
  if (argument.type) {
    argument_types_[name] = argument.type;
    return name;
  }
  Symbol symbol;
  symbol.kind = Symbol::Number, symbol.number = argument.number, symbol.type = types.i32;
  globals[name] = symbol;
  return name;
}

// Texts are asked for those of the declaration (callees): what is collective, or written, is the same for all
// arguments.
void Sema::declareMethods(const Type* type, const ast::Struct& node, ast::TreeCopy& copy) {
  for (const ast::Function* method : node.methods) {
    ast::Function* made = copy.function(*method);
    made->name = arena.copy(std::string(type->structure->name).append(method->name.substr(node.name.size())));
    made->of_generic = false;
    functions_[made->name].push_back(made);
  }
}

// A lambda of such a function names the same types as it does.
std::string_view Sema::copyLambda(std::string_view lambda, const Type* type, ast::TreeCopy& copy) {
  std::string name = fmt::format("{} of {}", lambda, typeName(type));
  for (const char* clause : {"", ".identity", ".commutative"}) {
    auto node = lambdas_.find(fmt::format("{}{}", lambda, clause));
    if (node == lambdas_.end())
      continue;
    ast::Function* made = copy.function(*node->second);
    made->name = arena.copy(name + clause);
    functions_[made->name].push_back(made);
  }
  return arena.copy(name);
}

} // namespace bsgp::sema

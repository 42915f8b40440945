#include "sema/sema.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/checker.h"
#include "sema/warnings.h"
#include "support/nearest_word.h"

namespace bsgp::sema {

std::unique_ptr<Program> analyze(const ast::Program& tree, const Options& options, Diagnostics& diagnostics) {
  auto program = std::make_unique<Program>();
  Sema sema(*program, diagnostics);
  sema.for_gpu = options.gpu, sema.appends = options.appends;
  sema.fast_math = options.fast_math, sema.tells_undefined = options.tells_undefined;
  sema.include_of = options.include_of;
  sema.run(tree, options);
  return program;
}

namespace {

// At the function that main is likely to be: Main, mian.
void reportNoMain(const Sema& sema, const ast::Program& tree) {
  for (const ast::TopLevel& item : tree.items)
    if (item.kind == ast::TopLevel::Function && sema.scopeOf(item.as<ast::Function>().range) == Scope::Program)
      if (std::string_view name = item.as<ast::Function>().name; !nearestOf(name, {"main"}).empty())
        return sema.diag.report(Diag::no_main, item.as<ast::Function>().range,
                                fmt::format("; did you mean 'main' by '{}'?", name));
  sema.diag.report(Diag::no_main, {}, "");
}

} // namespace

void Sema::run(const ast::Program& tree, const Options& options) {
  declareStructs(tree);
  for (const ast::TopLevel& item : tree.items) {
    switch (item.kind) {
    case ast::TopLevel::Function:
      declareFunction(item.as<ast::Function>());
      break;
    case ast::TopLevel::Struct:
      declareStruct(item.as<ast::Struct>());
      break;
    case ast::TopLevel::Enum:
      declareEnum(item.as<ast::Enum>());
      break;
    case ast::TopLevel::Typedef: {
      auto& node = item.as<ast::Typedef>();
      nameType(node.name, resolve(node.type, nullptr), node.range);
      if (isConst(node.type))
        const_names_.insert(node.name);
      break;
    }
    case ast::TopLevel::Global:
      declareGlobal(item.as<ast::Global>());
      break;
    case ast::TopLevel::StaticAssert: {
      Function scope;
      scope.range = item.as<ast::Expr>().range;
      Body outside(*this, scope, nullptr);
      outside.expr(&item.as<ast::Expr>());
      break;
    }
    case ast::TopLevel::Library:
      declareLibrary(item.as<ast::Expr>());
      break;
    }
  }
  for (const ast::TopLevel& item : tree.items)
    if (item.kind == ast::TopLevel::Function && !item.as<ast::Function>().of_generic) {
      checkDefaults(item.as<ast::Function>());
      checkOperands(item.as<ast::Function>());
      checkExtern(item.as<ast::Function>());
      if (const auto& function = item.as<ast::Function>(); function.watch != Watch::Usual)
        program.watched.push_back({function.watched, function.watch});
    }
  checkFieldValues();
  bool rooted = checkRoots(tree);
  size_t compiled = program.functions.size();
  checkUncalled(tree);
  if (rooted) // the others are compiled only in a file without roots, to look at what becomes of them
    program.functions.resize(compiled);
  decideOpenCalls();
  checkOpenAddresses();
  warnOfOpenPointers();
  if (!diag.hasErrors())
    reportWarnings(tree);
  if (options.need_main && !program.main && !diag.hasErrors())
    reportNoMain(*this, tree);
}

void Sema::reportWarnings(const ast::Program& tree) {
  for (const ast::TopLevel& item : tree.items)
    if (item.kind == ast::TopLevel::Function && isOfProgram(item.as<ast::Function>()))
      warnOfText(item.as<ast::Function>(), implicit_locals, warnings);
  for (const Diagnostic& warning : warnings.all())
    diag.put(warning);
}

// By name: a struct may be used above its definition.
void Sema::declareStructs(const ast::Program& tree) {
  for (const ast::TopLevel& item : tree.items) {
    if (item.kind == ast::TopLevel::Function && item.as<ast::Function>().family == ast::Family::Lambda)
      lambdas_[std::string(item.as<ast::Function>().name)] = &item.as<ast::Function>();
    if (item.kind != ast::TopLevel::Struct)
      continue;
    auto& node = item.as<ast::Struct>();
    if (type_names.count(node.name) || generics_.count(node.name))
      continue;
    if (!node.params.empty()) {
      generics_[node.name] = &node;
      continue;
    }
    nameType(node.name, types.makeStruct(node.name), node.range);
    if (scopeOf(node.range) == Scope::Program)
      program_structs_.insert(type_names[node.name]->structure);
    undeclared_structs_[node.name] = &node;
    c_names_.insert(std::string(node.name));
  }
}

// Its name becomes a part of a linker's options and of a file's name.
void Sema::declareLibrary(const ast::Expr& name) {
  auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '+' || c == '.'; };
  bool good = !name.name.empty() && name.name[0] != '-' && std::all_of(name.name.begin(), name.name.end(), fits);
  if (!good)
    diag.report(Diag::library_name, name.range);
  else if (std::find(program.libraries.begin(), program.libraries.end(), name.name) == program.libraries.end())
    program.libraries.emplace_back(name.name);
}

bool Sema::isMainResult(const Type* type) const {
  return type->isError() || type->isVoid() || sameType(type, types.i32);
}

// What a program can start with. Of anything else that is named main it says so, once.
bool Sema::checkMain(const ast::Function& node) {
  const auto& all = functions_.at(node.name);
  if (all.front() != &node) {
    if (std::count(all.begin(), all.end(), &node)) { // else it is known to be defined twice, or a declaration
      diag.report(Diag::main_twice, node.range);
      diag.report(Diag::note_previous, all.front()->range);
    }
    return false;
  }
  for (auto [is_said, word] : {std::pair(node.is_extern, "extern"),
                               {node.is_export, "exported"},
                               {node.is_static, "static"},
                               {node.is_inline, "inline"}})
    if (is_said) {
      diag.report(Diag::main_specifier, node.range, word);
      return false;
    }
  unsigned before = diag.errors();
  bool fits = node.params.empty() || (node.params.size() == 2 && !node.is_variadic);
  for (size_t i = 0; fits && i < node.params.size(); ++i)
    fits = isMainParameter(node.params[i], i);
  if (fits && node.result && node.result->kind != ast::TypeExpr::Auto)
    fits = isMainResult(resolve(node.result, nullptr));
  if (!fits && diag.errors() == before)
    diag.report(Diag::bad_main, node.range);
  return fits && diag.errors() == before;
}

bool Sema::isMainParameter(const ast::Param& param, size_t at) {
  if (isOpen(param) || param.by_reference)
    return false;
  const Type* type = parameterType(param, types.cell(Space::Host));
  for (int stars = 0; at == 1 && stars < 2; ++stars) {
    if (!type->isPointer() || spaceOf(type) != Space::Host)
      return false;
    type = type->element;
  }
  return sameType(type, at == 0 ? types.i32 : types.i8);
}

// A copy may be const without the caller's knowing; a reference to const is another thing than a reference.
bool Sema::sameParameter(const ast::Param& a, const ast::Param& b) {
  if (a.by_reference != b.by_reference || (a.by_reference && isConst(a.type) != isConst(b.type)))
    return false;
  bool open = isOpen(a) || isOpen(b);
  return open ? sameOpenType(a.type, b.type) : sameType(parameterType(a), parameterType(b));
}

void Sema::declareFunction(const ast::Function& node) {
  if (node.is_method)
    addOverload(methods_, node.name.substr(node.name.find('.') + 1), node);
  if (node.of_generic)
    return;
  auto& set = functions_[node.name];
  for (const ast::Function*& other : set) {
    bool both = other->body && node.body;
    if (other->is_extern && node.is_extern)
      return;
    if (other->params.size() != node.params.size())
      continue;
    bool same = true;
    for (size_t i = 0; i < node.params.size() && same; ++i)
      same = sameParameter(other->params[i], node.params[i]);
    if (!same)
      continue;
    if (both && isOfProgram(*other) != isOfProgram(node))
      continue;
    if (both &&
        !(diag.sources().begin(other->range.begin) != diag.sources().begin(node.range.begin) && other->is_inline)) {
      diag.report(Diag::function_redefined, node.range, node.name);
      diag.report(Diag::note_previous, other->range);
      return;
    }
    if (node.body) // a definition takes the declaration's place
      other = &node;
    return;
  }
  addOverload(functions_, node.name, node);
}

void Sema::declareEnum(const ast::Enum& node) {
  const Type* type = node.name.empty() ? types.i32 : types.makeEnum(node.name);
  if (!node.name.empty())
    nameType(node.name, type, node.range);
  Function scope;
  scope.range = node.range;
  Body body(*this, scope, nullptr);
  int64_t next = 0;
  for (const ast::Enumerator& item : node.items) {
    if (item.value) {
      ConstValue value;
      Expr* e = body.rvalue(item.value);
      if (!e->type->isError() && (!constantValue(e, value) || !(e->type->isInt() || e->type->isBool())))
        diag.report(Diag::not_constant, item.value->range, "the value of an enumerator");
      next = value.integer;
    }
    if (next != static_cast<int32_t>(next)) {
      diag.report(Diag::cannot_convert, item.range, "the value of an enumerator", "long", "int", "");
      next = 0;
    }
    Symbol symbol;
    symbol.kind = Symbol::Number, symbol.number = next++, symbol.type = type;
    globalsOf(node.range)[item.name] = symbol;
  }
}

void Sema::declareStruct(const ast::Struct& node) {
  if (!node.params.empty())
    return reachGeneric(node);
  auto undeclared = undeclared_structs_.find(node.name);
  if (undeclared == undeclared_structs_.end() || undeclared->second != &node) {
    if (!declared_structs_.count(&node)) // else it was needed, and declared, further up
      diag.report(Diag::type_redefined, node.range, node.name);
    return;
  }
  const Type* type = type_names[node.name];
  undeclared_structs_.erase(undeclared);
  declared_structs_.insert(&node);
  ++declaring_;
  types.finishStruct(type, fieldsOf(type, node.fields));
  keepFieldValues(type, node.fields);
  --declaring_;
  program.structs.push_back(type);
  declareWaiting();
}

namespace {

constexpr uint64_t kMostMembers = 1024;     // of a struct, an array counted as one: each is a value for the compiler
constexpr uint64_t kMostBytes = 1ull << 30; // as of an array

// 0 where a member is wrong, which a message has reported: what holds it is not judged.
uint64_t membersOf(const Type* type) {
  while (type->isArray())
    type = type->element;
  if (!type->isStruct() || type->isView())
    return type->isError() ? 0 : type->isVector() ? type->count : 1;
  uint64_t members = 0;
  for (const StructField& field : type->structure->fields) {
    uint64_t more = membersOf(field.type);
    if (more == 0)
      return 0;
    members += more;
  }
  return std::max<uint64_t>(members, 1);
}

} // namespace

std::vector<StructField> Sema::fieldsOf(const Type* type, std::span<const ast::Declarator> list) {
  std::vector<StructField> fields;
  uint64_t members = 0, bytes = 0;
  for (const ast::Declarator& d : list) {
    const Type* field = resolve(d.type, nullptr, types.cell(Space::Device)); // an open pointer field is device
    const Type* whole = field;
    while (whole->isArray())
      whole = whole->element;
    if (whole == type) {
      diag.report(Diag::struct_in_itself, d.range, d.name, typeName(type));
      field = types.error;
    } else if (field->isVoid() || (whole->isStruct() && !whole->structure->complete)) {
      diag.report(Diag::bad_field_type, d.range, d.name, typeName(field));
      field = types.error;
    } else if ((members += membersOf(field)) > kMostMembers || (bytes += field->size) > kMostBytes) {
      diag.report(Diag::struct_too_large, d.range, d.name, typeName(type), kMostMembers);
      field = types.error;
      members = bytes = 0;
    }
    for (const StructField& other : fields)
      if (other.name == d.name)
        diag.report(Diag::field_redefined, d.range, d.name);
    fields.push_back({d.name, field, 0, isConst(d.type)});
  }
  return fields;
}

// The type may come from the initializer: `const int t[] = {1, 2};`
Expr* Sema::globalInitializer(const ast::Expr* init, const Type*& type) {
  Function scope;
  scope.range = init->range;
  Body body(*this, scope, nullptr);
  if (!type)
    return type = body.rvalue(init)->type, body.rvalue(init);
  return body.initializer(init, type);
}

void Sema::declareGlobal(const ast::Global& node) {
  const ast::Declarator& d = node.decl;
  const Type* type = nullptr;
  if (d.type->kind == ast::TypeExpr::Array && !d.type->count && d.init) {
    uint64_t count = d.init->kind == ast::Expr::StringLit ? d.init->name.size() + 1 : d.init->args.size();
    type = types.array(resolve(d.type->inner, nullptr), count);
  } else if (d.type->kind != ast::TypeExpr::Auto) {
    type = resolve(d.type, nullptr);
  }
  auto* variable = arena.make<Variable>(d.name, type, d.range);
  variable->is_const = isConst(d.type);
  variable->kind = variable->is_const && !node.is_extern ? Variable::Constant : Variable::Global;
  variable->is_extern = node.is_extern;
  if (d.init) {
    Expr* init = globalInitializer(d.init, type);
    if (!init->type->isError() && (type->holds_lists || !constantLeaves(init, type, variable->constants, true)))
      diag.report(Diag::not_constant, d.init->range, "the initializer of a file-scope variable");
  } else if (variable->kind == Variable::Constant) {
    diag.report(Diag::const_without_value, d.range, d.name);
  } else if (type && !node.is_extern && !type->holds_lists && givesValues(type)) {
    Function scope;
    Body outside(*this, scope, nullptr);
    constantLeaves(outside.zero(type, d.range), type, variable->constants);
  }
  if (!type || type->isVoid()) {
    diag.report(Diag::bad_variable_type, d.range, d.name, type ? typeName(type) : "auto");
    type = types.error;
  }
  bool has_texts = std::any_of(variable->constants.begin(), variable->constants.end(),
                               [](const ConstValue& value) { return value.text; });
  if (variable->kind == Variable::Constant && (type->isPointer() || type->holds_lists || has_texts))
    variable->kind = Variable::Global;
  if (node.is_extern && type->holds_lists)
    diag.report(Diag::lists_inside, d.range, "a variable of another program", typeName(type));
  variable->type = type;
  const char* prefix = node.is_extern ? "" : scopeOf(d.range) == Scope::Library ? "lib." : "var.";
  variable->symbol = prefix + std::string(d.name);
  auto& scope = globalsOf(d.range);
  if (auto it = scope.find(d.name); it != scope.end() && !(it->second.variable && it->second.variable->is_extern)) {
    diag.report(Diag::variable_redefined, d.range, d.name);
    if (it->second.variable)
      diag.report(Diag::note_previous, it->second.variable->range);
    return;
  }
  Symbol symbol;
  symbol.kind = Symbol::Variable, symbol.variable = variable, symbol.type = type;
  scope[d.name] = symbol;
  program.globals.push_back(variable);
}

} // namespace bsgp::sema

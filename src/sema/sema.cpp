#include "sema/sema.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "sema/addresses.h"
#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/declare.h"
#include "sema/expr_construct.h"
#include "sema/expressions.h"
#include "sema/field_values.h"
#include "sema/generic_structs.h"
#include "sema/instantiate.h"
#include "sema/name_scopes.h"
#include "sema/open_calls.h"
#include "sema/resolve_type.h"
#include "sema/select.h"
#include "sema/sides.h"
#include "sema/warnings.h"
#include "support/nearest_word.h"

namespace bsgp::sema {

namespace {

// Reports it at the function that main is likely to be: Main, mian.
void reportNoMain(const Sema& sema, const ast::Program& tree) {
  for (const ast::TopLevel& item : tree.items)
    if (item.kind == ast::TopLevel::Function && scopeOf(sema, item.as<ast::Function>().range) == Scope::Program)
      if (std::string_view name = item.as<ast::Function>().name; !nearestOf(name, {"main"}).empty())
        return sema.diag.report(Diag::no_main, item.as<ast::Function>().range,
                                fmt::format("; did you mean 'main' by '{}'?", name));
  sema.diag.report(Diag::no_main, {}, "");
}

} // namespace

static void reportWarnings(Sema& sema, const ast::Program& tree);
static void declareStructs(Sema& sema, const ast::Program& tree);
static void declareLibrary(Sema& sema, const ast::Expr& name);
static bool isMainParameter(Sema& sema, const ast::Param& param, size_t at);
static void declareFunction(Sema& sema, const ast::Function& node);
static void declareEnum(Sema& sema, const ast::Enum& node);
static void declareGlobal(Sema& sema, const ast::Global& node);

void checkProgram(Sema& sema, const ast::Program& tree) {
  declareStructs(sema, tree);
  for (const ast::TopLevel& item : tree.items) {
    switch (item.kind) {
    case ast::TopLevel::Function:
      declareFunction(sema, item.as<ast::Function>());
      break;
    case ast::TopLevel::Struct:
      declareStruct(sema, item.as<ast::Struct>());
      break;
    case ast::TopLevel::Enum:
      declareEnum(sema, item.as<ast::Enum>());
      break;
    case ast::TopLevel::Typedef: {
      auto& node = item.as<ast::Typedef>();
      nameType(sema, node.name, resolve(sema, node.type, nullptr), node.range);
      if (isConst(sema, node.type))
        sema.names.const_types.insert(node.name);
      break;
    }
    case ast::TopLevel::Global:
      declareGlobal(sema, item.as<ast::Global>());
      break;
    case ast::TopLevel::StaticAssert: {
      Function scope;
      scope.range = item.as<ast::Expr>().range;
      Body outside(sema, scope, nullptr);
      expr(outside, &item.as<ast::Expr>());
      break;
    }
    case ast::TopLevel::Library:
      declareLibrary(sema, item.as<ast::Expr>());
      break;
    }
  }
  for (const ast::TopLevel& item : tree.items)
    if (item.kind == ast::TopLevel::Function && !item.as<ast::Function>().of_generic) {
      checkDefaults(sema, item.as<ast::Function>());
      checkOperands(sema, item.as<ast::Function>());
      checkExtern(sema, item.as<ast::Function>());
      if (const auto& function = item.as<ast::Function>(); function.watch != Watch::Usual)
        sema.program.watched.push_back({function.watched, function.watch});
    }
  checkFieldValues(sema);
  bool rooted = checkRoots(sema, tree);
  size_t compiled = sema.program.functions.size();
  checkUncalled(sema, tree);
  if (rooted) // functions that are never used are compiled only in a file without roots, to find their errors
    sema.program.functions.resize(compiled);
  decideOpenCalls(sema);
  checkOpenAddresses(sema);
  warnOfOpenPointers(sema);
  if (!sema.diag.hasErrors())
    reportWarnings(sema, tree);
  if (sema.options.need_main && !sema.program.main && !sema.diag.hasErrors())
    reportNoMain(sema, tree);
}

static void reportWarnings(Sema& sema, const ast::Program& tree) {
  for (const ast::TopLevel& item : tree.items)
    if (item.kind == ast::TopLevel::Function && isOfProgram(sema, item.as<ast::Function>()))
      warnOfText(item.as<ast::Function>(), sema.names.implicit_locals, sema);
  for (const Diagnostic& warning : sema.warnings.all())
    sema.diag.put(warning);
}

// By name: a struct may be used above its definition.
static void declareStructs(Sema& sema, const ast::Program& tree) {
  for (const ast::TopLevel& item : tree.items) {
    if (item.kind == ast::TopLevel::Function && item.as<ast::Function>().family == ast::Family::Lambda)
      sema.functions.lambdas[std::string(item.as<ast::Function>().name)] = &item.as<ast::Function>();
    if (item.kind != ast::TopLevel::Struct)
      continue;
    auto& node = item.as<ast::Struct>();
    if (sema.names.types.count(node.name) || sema.generics.declared.count(node.name))
      continue;
    if (!node.params.empty()) {
      sema.generics.declared[node.name] = &node;
      continue;
    }
    nameType(sema, node.name, sema.types.makeStruct(node.name), node.range);
    if (scopeOf(sema, node.range) == Scope::Program)
      sema.structs.of_program.insert(sema.names.types[node.name]->structure);
    sema.structs.undeclared[node.name] = &node;
    sema.structs.c_names.insert(std::string(node.name));
  }
}

// The name becomes a part of a linker's options and of a file's name.
static void declareLibrary(Sema& sema, const ast::Expr& name) {
  auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '+' || c == '.'; };
  bool good = !name.name.empty() && name.name[0] != '-' && std::all_of(name.name.begin(), name.name.end(), fits);
  if (!good)
    sema.diag.report(Diag::library_name, name.range);
  else if (std::find(sema.program.libraries.begin(), sema.program.libraries.end(), name.name) ==
           sema.program.libraries.end())
    sema.program.libraries.emplace_back(name.name);
}

bool isMainResult(const Sema& sema, const Type* type) {
  return type->isError() || type->isVoid() || sameType(type, sema.types.i32);
}

// Reports a main that a program cannot start with. In `struct S { ... } main() { ... }` the ';' of the struct is missing,
// so that the struct is the result of main.
static void reportBadMain(Sema& sema, const ast::Function& node) {
  const SourceManager& sources = sema.diag.sources();
  Diagnostics::Mark before = sema.diag.mark();
  sema.diag.report(Diag::bad_main, node.range);
  std::string_view in_front = sources.text({sources.begin(node.range.begin), node.range.begin});
  size_t last = in_front.find_last_not_of(" \t\r\n");
  for (Diagnostic& message : sema.diag.takeSince(before)) {
    if (last != std::string_view::npos && in_front[last] == '}')
      message.help = "write ';' behind the } above: a struct ends with it, and is taken for the result here";
    sema.diag.put(std::move(message));
  }
}

// True if a program can start with this function; reports any other function named main, once.
bool checkMain(Sema& sema, const ast::Function& node) {
  const auto& all = sema.functions.all.at(node.name);
  if (all.front() != &node) {
    if (std::count(all.begin(), all.end(), &node)) { // else it is known to be defined twice, or a declaration
      sema.diag.report(Diag::main_twice, node.range);
      sema.diag.report(Diag::note_previous, all.front()->range);
    }
    return false;
  }
  for (auto [is_said, word] : {std::pair(node.is_extern, "extern"),
                               {node.is_export, "exported"},
                               {node.is_static, "static"},
                               {node.is_inline, "inline"}})
    if (is_said) {
      sema.diag.report(Diag::main_specifier, node.range, word);
      return false;
    }
  unsigned before = sema.diag.errors();
  bool fits = node.params.empty() || (node.params.size() == 2 && !node.is_variadic);
  for (size_t i = 0; fits && i < node.params.size(); ++i)
    fits = isMainParameter(sema, node.params[i], i);
  if (fits && node.result && node.result->kind != ast::TypeExpr::Auto)
    fits = isMainResult(sema, resolve(sema, node.result, nullptr));
  if (!fits && sema.diag.errors() == before)
    reportBadMain(sema, node);
  return fits && sema.diag.errors() == before;
}

static bool isMainParameter(Sema& sema, const ast::Param& param, size_t at) {
  if (isOpen(param) || param.by_reference)
    return false;
  const Type* type = parameterType(sema, param, sema.types.cell(Space::Host));
  for (int stars = 0; at == 1 && stars < 2; ++stars) {
    if (!type->isPointer() || spaceOf(type) != Space::Host)
      return false;
    type = type->element;
  }
  return sameType(type, at == 0 ? sema.types.i32 : sema.types.i8);
}

// A copy may be const without a difference for the caller; a reference to const is not the same as a reference.
static bool sameParameter(Sema& sema, const ast::Param& a, const ast::Param& b) {
  if (a.by_reference != b.by_reference || (a.by_reference && isConst(sema, a.type) != isConst(sema, b.type)))
    return false;
  bool open = isOpen(a) || isOpen(b);
  return open ? sameOpenType(a.type, b.type) : sameType(parameterType(sema, a), parameterType(sema, b));
}

static void declareFunction(Sema& sema, const ast::Function& node) {
  if (node.is_method)
    addOverload(sema, sema.functions.methods, node.name.substr(node.name.find('.') + 1), node);
  if (node.of_generic)
    return;
  auto& set = sema.functions.all[node.name];
  for (const ast::Function*& other : set) {
    bool both = other->body && node.body;
    if (other->is_extern && node.is_extern)
      return;
    if (other->params.size() != node.params.size())
      continue;
    bool same = true;
    for (size_t i = 0; i < node.params.size() && same; ++i)
      same = sameParameter(sema, other->params[i], node.params[i]);
    if (!same)
      continue;
    if (both && isOfProgram(sema, *other) != isOfProgram(sema, node))
      continue;
    if (both && !(sema.diag.sources().begin(other->range.begin) != sema.diag.sources().begin(node.range.begin) &&
                  other->is_inline)) {
      sema.diag.report(Diag::function_redefined, node.range, node.name);
      sema.diag.report(Diag::note_previous, other->range);
      return;
    }
    if (node.body) // a definition takes the declaration's place
      other = &node;
    return;
  }
  addOverload(sema, sema.functions.all, node.name, node);
}

static void declareEnum(Sema& sema, const ast::Enum& node) {
  const Type* type = node.name.empty() ? sema.types.i32 : sema.types.makeEnum(node.name);
  if (!node.name.empty())
    nameType(sema, node.name, type, node.range);
  Function scope;
  scope.range = node.range;
  Body body(sema, scope, nullptr);
  int64_t next = 0;
  for (const ast::Enumerator& item : node.items) {
    if (item.value) {
      ConstValue value;
      Expr* e = rvalue(body, item.value);
      if (!e->type->isError() && (!constantValue(e, value) || !(e->type->isInt() || e->type->isBool())))
        sema.diag.report(Diag::not_constant, item.value->range, "the value of an enumerator");
      next = value.integer;
    }
    if (next != static_cast<int32_t>(next)) {
      sema.diag.report(Diag::cannot_convert, item.range, "the value of an enumerator", "long", "int", "");
      next = 0;
    }
    Symbol symbol;
    symbol.kind = Symbol::Number, symbol.number = next++, symbol.type = type;
    globalsOf(sema, node.range)[item.name] = symbol;
  }
}

void declareStruct(Sema& sema, const ast::Struct& node) {
  if (!node.params.empty())
    return reachGeneric(sema, node);
  auto undeclared = sema.structs.undeclared.find(node.name);
  if (undeclared == sema.structs.undeclared.end() || undeclared->second != &node) {
    if (!sema.structs.declared.count(&node)) // else it was needed, and declared, further up
      sema.diag.report(Diag::type_redefined, node.range, node.name);
    return;
  }
  const Type* type = sema.names.types[node.name];
  sema.structs.undeclared.erase(undeclared);
  sema.structs.declared.insert(&node);
  ++sema.structs.declaring;
  sema.types.finishStruct(type, fieldsOf(sema, type, node.fields));
  keepFieldValues(sema, type, node.fields);
  --sema.structs.declaring;
  sema.program.structs.push_back(type);
  declareWaiting(sema);
}

namespace {

constexpr uint64_t kMostMembers = 1024;     // of a struct, an array counted as one: each is a value for the compiler
constexpr uint64_t kMostBytes = 1ull << 30; // as of an array

// Returns 0 if a member is wrong, which was reported: then no limit is reported for it.
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

// A field of the struct's own type can only point to one.
static std::string pointerInstead(const Type* own, const ast::Declarator& field) {
  auto* generic = static_cast<const ast::Struct*>(own->structure->generic);
  return fmt::format("write a pointer: {}* {}", generic ? ownName(*generic) : typeName(own), field.name);
}

std::vector<StructField> fieldsOf(Sema& sema, const Type* type, std::span<const ast::Declarator> list) {
  std::vector<StructField> fields;
  uint64_t members = 0, bytes = 0;
  for (const ast::Declarator& d : list) {
    const Type* field =
        resolve(sema, d.type, nullptr, sema.types.cell(Space::Device)); // an open pointer field is device
    const Type* whole = field;
    while (whole->isArray())
      whole = whole->element;
    if (whole == type) {
      sema.diag.report(Diag::struct_in_itself, d.range, d.name, typeName(type), pointerInstead(type, d));
      field = sema.types.error;
    } else if (field->isVoid() || (whole->isStruct() && !whole->structure->complete)) {
      sema.diag.report(Diag::bad_field_type, d.range, d.name, typeName(field));
      field = sema.types.error;
    } else if ((members += membersOf(field)) > kMostMembers || (bytes += field->size) > kMostBytes) {
      sema.diag.report(Diag::struct_too_large, d.range, d.name, typeName(type), kMostMembers);
      field = sema.types.error;
      members = bytes = 0;
    }
    for (const StructField& other : fields)
      if (other.name == d.name)
        sema.diag.report(Diag::field_redefined, d.range, d.name);
    fields.push_back({d.name, field, 0, isConst(sema, d.type)});
  }
  return fields;
}

// The type may come from the initializer: `const int t[] = {1, 2};`
Expr* globalInitializer(Sema& sema, const ast::Expr* init, const Type*& type) {
  Function scope;
  scope.range = init->range;
  Body body(sema, scope, nullptr);
  if (!type)
    return type = rvalue(body, init)->type, rvalue(body, init);
  return initializer(body, init, type);
}

static void declareGlobal(Sema& sema, const ast::Global& node) {
  const ast::Declarator& d = node.decl;
  const Type* type = nullptr;
  if (d.type->kind == ast::TypeExpr::Array && !d.type->count && d.init) {
    uint64_t count = d.init->kind == ast::Expr::StringLit ? d.init->name.size() + 1 : d.init->args.size();
    type = sema.types.array(resolve(sema, d.type->inner, nullptr), count);
  } else if (d.type->kind != ast::TypeExpr::Auto) {
    type = resolve(sema, d.type, nullptr);
  }
  auto* variable = sema.arena.make<Variable>(d.name, type, d.range);
  variable->is_const = isConst(sema, d.type);
  variable->kind = variable->is_const && !node.is_extern ? Variable::Constant : Variable::Global;
  variable->is_extern = node.is_extern;
  if (d.init) {
    Expr* init = globalInitializer(sema, d.init, type);
    if (!init->type->isError() && (type->holds_lists || !constantLeaves(sema, init, type, variable->constants, true)))
      sema.diag.report(Diag::not_constant, d.init->range, "the initializer of a file-scope variable");
  } else if (variable->kind == Variable::Constant) {
    sema.diag.report(Diag::const_without_value, d.range, d.name);
  } else if (type && !node.is_extern && !type->holds_lists && givesValues(sema, type)) {
    Function scope;
    Body outside(sema, scope, nullptr);
    constantLeaves(sema, zero(outside, type, d.range), type, variable->constants);
  }
  if (!type || type->isVoid()) {
    sema.diag.report(Diag::bad_variable_type, d.range, d.name, type ? typeName(type) : "auto");
    type = sema.types.error;
  }
  bool has_texts = std::any_of(variable->constants.begin(), variable->constants.end(),
                               [](const ConstValue& value) { return value.text; });
  if (variable->kind == Variable::Constant && (type->isPointer() || type->holds_lists || has_texts))
    variable->kind = Variable::Global;
  if (node.is_extern && type->holds_lists)
    sema.diag.report(Diag::lists_inside, d.range, "a variable of another program", typeName(type));
  variable->type = type;
  const char* prefix = node.is_extern ? "" : scopeOf(sema, d.range) == Scope::Library ? "lib." : "var.";
  variable->symbol = prefix + std::string(d.name);
  auto& scope = globalsOf(sema, d.range);
  if (auto it = scope.find(d.name); it != scope.end() && !(it->second.variable && it->second.variable->is_extern)) {
    sema.diag.report(Diag::variable_redefined, d.range, d.name);
    if (it->second.variable)
      sema.diag.report(Diag::note_previous, it->second.variable->range);
    return;
  }
  Symbol symbol;
  symbol.kind = Symbol::Variable, symbol.variable = variable, symbol.type = type;
  scope[d.name] = symbol;
  sema.program.globals.push_back(variable);
}

} // namespace bsgp::sema

#include "sema/name_scopes.h"

#include <algorithm>

#include "sema/arguments.h"
#include "sema/services.h"
#include "sema/traits.h"

namespace bsgp::sema {

static bool isOfProgram(const Sema& sema, const Type* type);

// The library's stand first.
void addOverload(Sema& sema, FunctionSets& sets, std::string_view name, const ast::Function& function) {
  auto& set = sets[name];
  auto first_of_program =
      std::find_if(set.begin(), set.end(), [&](const ast::Function* other) { return isOfProgram(sema, *other); });
  set.insert(isOfProgram(sema, function) ? set.end() : first_of_program, &function);
}

// Returns the functions that a text may mean, whatever the arguments are. The library's text means those that it
// declares: a function of the program that it calls for values of the program's structs counts as one of them. A
// function in a struct that has no like in the library can only be the program's.
Overloads overloads(const Sema& sema, const FunctionSets& sets, std::string_view name, Scope scope) {
  auto found = sets.find(name);
  if (found == sets.end())
    return {};
  const auto& set = found->second;
  if (scope == Scope::Program || (&sets == &sema.functions.methods && isOfProgram(sema, *set.front())))
    return set;
  auto end = std::find_if(set.begin(), set.end(), [&](const ast::Function* node) { return isOfProgram(sema, *node); });
  return {set.data(), size_t(end - set.begin())};
}

static bool isOfProgram(const Sema& sema, const Type* type) {
  while (type->element)
    type = type->element;
  if (!type->structure)
    return false;
  const auto& arguments = type->structure->arguments;
  return sema.structs.of_program.count(type->structure) ||
         std::any_of(arguments.begin(), arguments.end(),
                     [&](const TypeArgument& argument) { return argument.type && isOfProgram(sema, argument.type); });
}

Overloads candidates(const Sema& sema, std::string_view name, const std::vector<Argument>& arguments, Scope scope) {
  Overloads all = overloads(sema, name, Scope::Program);
  bool whole = scope == Scope::Program || all.empty() || isOfProgram(sema, *all.front()) ||
               std::any_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
                 return argument.value && isOfProgram(sema, argument.value->type);
               });
  if (whole)
    return all;
  auto end = std::find_if(all.begin(), all.end(), [&](const ast::Function* node) { return isOfProgram(sema, *node); });
  return all.first(size_t(end - all.begin()));
}

// A collective of the program is no candidate in the library's text: it has no place for one.
bool isCandidate(Sema& sema, const ast::Function& node, Scope scope, const Overloads& all) {
  bool added = scope == Scope::Library && isOfProgram(sema, node) && !isOfProgram(sema, *all.front());
  return !added || !node.body || !traits(sema, node).barriers_inside;
}

void nameType(Sema& sema, std::string_view name, const Type* type, SourceRange declaration) {
  if (scopeOf(sema, declaration) == Scope::Program)
    sema.names.program_types.insert(name);
  sema.names.types[name] = type;
}

const Type* typeNamed(const Sema& sema, std::string_view name, Scope scope) {
  auto found = sema.names.types.find(name);
  bool visible =
      found != sema.names.types.end() && (scope == Scope::Program || !sema.names.program_types.contains(name));
  return visible ? found->second : nullptr;
}

// A function that only the program has is not found in the library's scope: its name may be that of a built-in one.
bool hasFunction(const Sema& sema, std::string_view name, Scope scope) {
  auto set = sema.functions.all.find(name);
  return set != sema.functions.all.end() && (scope == Scope::Program || !isOfProgram(sema, *set->second.front()));
}

const Symbol* global(const Sema& sema, std::string_view name, Scope scope) {
  bool of_copy = name.starts_with('('); // a number that a generic struct was given
  if (scope == Scope::Program || of_copy)
    if (auto found = sema.names.globals.find(name); found != sema.names.globals.end())
      return &found->second;
  auto found = sema.names.library_globals.find(name);
  return found == sema.names.library_globals.end() ? nullptr : &found->second;
}

} // namespace bsgp::sema

// What a name stands for where it is written. In a file of the library it is what the library declares: a program may
// have functions and variables of the same names. What a program may add to is the meaning of names and operators for
// values of its own structs: where an argument is one, its functions are candidates there, too.
#include <algorithm>

#include "sema/arguments.h"
#include "sema/checker.h"

namespace bsgp::sema {

namespace {

enum Group { kLibrary, kForItsTypes, kOther };

} // namespace

// May the type, as it is written, be one that the program declares?
bool Sema::namesItsType(const ast::TypeExpr& type) const {
  if (type.inner)
    return namesItsType(*type.inner);
  using Kind = ast::TypeExpr;
  bool is_builtin = type.kind == Kind::Named && builtinType(type.name);
  return !is_builtin && type.kind != Kind::Number;
}

int Sema::groupOf(const ast::Function& function) const {
  if (!isOfProgram(function))
    return kLibrary;
  if (function.is_method)
    return kOther;
  bool some = std::any_of(function.params.begin(), function.params.end(),
                          [&](const ast::Param& param) { return namesItsType(*param.type); });
  return some ? kForItsTypes : kOther;
}

// The library's stand first, then those of the program that the library may come to call.
void Sema::addOverload(FunctionSets& sets, std::string_view name, const ast::Function& function) {
  auto& set = sets[name];
  auto behind = std::upper_bound(set.begin(), set.end(), groupOf(function),
                                 [&](int group, const ast::Function* other) { return group < groupOf(*other); });
  set.insert(behind, &function);
}

// Those that a text may mean, whatever the arguments are.
Sema::Overloads Sema::overloads(const FunctionSets& sets, std::string_view name, Scope scope) const {
  auto found = sets.find(name);
  if (found == sets.end())
    return {};
  const auto& set = found->second;
  if (scope == Scope::Program || isOfProgram(*set.front()))
    return set;
  auto end = std::find_if(set.begin(), set.end(), [&](const ast::Function* node) { return groupOf(*node) == kOther; });
  return {set.data(), size_t(end - set.begin())};
}

bool Sema::isOfProgram(const Type* type) const {
  while (type->element)
    type = type->element;
  if (!type->structure)
    return false;
  const auto& arguments = type->structure->arguments;
  return program_structs_.count(type->structure) ||
         std::any_of(arguments.begin(), arguments.end(),
                     [&](const TypeArgument& argument) { return argument.type && isOfProgram(argument.type); });
}

Sema::Overloads Sema::candidates(std::string_view name, const std::vector<Argument>& arguments, Scope scope) const {
  Overloads all = overloads(name, Scope::Program);
  bool whole = scope == Scope::Program || all.empty() || isOfProgram(*all.front()) ||
               std::any_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
                 return argument.value && isOfProgram(argument.value->type);
               });
  if (whole)
    return all;
  auto end = std::find_if(all.begin(), all.end(), [&](const ast::Function* node) { return isOfProgram(*node); });
  return all.first(size_t(end - all.begin()));
}

// What the program has alone is no function of the library's: its name may be that of a built-in one.
bool Sema::hasFunction(std::string_view name, Scope scope) const {
  auto set = functions_.find(name);
  return set != functions_.end() && (scope == Scope::Program || !isOfProgram(*set->second.front()));
}

const Symbol* Sema::global(std::string_view name, Scope scope) const {
  bool of_copy = name.starts_with('('); // a number that a generic struct was given
  if (scope == Scope::Program || of_copy)
    if (auto found = globals.find(name); found != globals.end())
      return &found->second;
  auto found = library_globals.find(name);
  return found == library_globals.end() ? nullptr : &found->second;
}

} // namespace bsgp::sema

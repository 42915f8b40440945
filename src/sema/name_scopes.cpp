// What a name stands for where it is written. In a file of the library it is what the library declares: a program may
// have functions and variables of the same names. What a program may add to is the meaning of names and operators for
// values of its own structs: where an argument is one, its functions are candidates there, too.
#include <algorithm>

#include "sema/arguments.h"
#include "sema/checker.h"

namespace bsgp::sema {

// The library's stand first.
void Sema::addOverload(FunctionSets& sets, std::string_view name, const ast::Function& function) {
  auto& set = sets[name];
  auto first_of_program =
      std::find_if(set.begin(), set.end(), [&](const ast::Function* other) { return isOfProgram(*other); });
  set.insert(isOfProgram(function) ? set.end() : first_of_program, &function);
}

// Those that a text may mean, whatever the arguments are. For the library that is what it declares: a function of the
// program that it calls for values of the program's structs is as its own are. A function in a struct that the library has
// none like can be the program's alone.
Sema::Overloads Sema::overloads(const FunctionSets& sets, std::string_view name, Scope scope) const {
  auto found = sets.find(name);
  if (found == sets.end())
    return {};
  const auto& set = found->second;
  if (scope == Scope::Program || (&sets == &methods_ && isOfProgram(*set.front())))
    return set;
  auto end = std::find_if(set.begin(), set.end(), [&](const ast::Function* node) { return isOfProgram(*node); });
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

// A collective of the program is none of these: the library's text has no place for one.
bool Sema::isCandidate(const ast::Function& node, Scope scope, const Overloads& all) {
  bool added = scope == Scope::Library && isOfProgram(node) && !isOfProgram(*all.front());
  return !added || !node.body || !traits(node).barriers_inside;
}

void Sema::nameType(std::string_view name, const Type* type, SourceRange declaration) {
  if (scopeOf(declaration) == Scope::Program)
    program_type_names_.insert(name);
  type_names[name] = type;
}

const Type* Sema::typeNamed(std::string_view name, Scope scope) const {
  auto found = type_names.find(name);
  bool visible = found != type_names.end() && (scope == Scope::Program || !program_type_names_.contains(name));
  return visible ? found->second : nullptr;
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

#include "sema/open_calls.h"

#include <algorithm>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/convert.h"
#include "sema/instantiate.h"
#include "sema/traits.h"

namespace bsgp::sema {

bool isOpenPointer(const Argument& argument) {
  const Type* type = argument.value ? argument.value->type : nullptr;
  return type && type->isPointer() && type->space->root()->space == Space::Unknown;
}

const Type* openPointerOf(const std::vector<Argument>& arguments) {
  auto open = std::find_if(arguments.begin(), arguments.end(), isOpenPointer);
  return open == arguments.end() ? nullptr : open->value->type;
}

namespace {

// Is each open pointer given to a parameter of this space?
bool takesAll(const ast::Function& node, const std::vector<Argument>& arguments, ast::Space space) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (isOpenPointer(arguments[i]) && node.params[i].type->space != space)
      return false;
  return true;
}

} // namespace

// Nothing: it is not their spaces that they differ in.
Selected selectBySpace(Sema& sema, const ast::Function& first, const ast::Function& second,
                       std::vector<Argument>& arguments, SourceRange range, Body& caller, bool used) {
  const Type* open = openPointerOf(arguments);
  bool whole = first.params.size() == arguments.size() && second.params.size() == arguments.size();
  if (!open || !whole || caller.mode.side != Side::Host)
    return {};
  bool host_first = takesAll(first, arguments, ast::Space::Host);
  const ast::Function &host = host_first ? first : second, &device = host_first ? second : first;
  if (!takesAll(host, arguments, ast::Space::Host) || !takesAll(device, arguments, ast::Space::Device))
    return {};
  auto instanceFor = [&](const ast::Function& node, Space space) {
    std::vector<Argument> given = arguments;
    for (Argument& argument : given)
      if (isOpenPointer(argument)) {
        argument.value = sema.arena.make<Expr>(*argument.value);
        argument.value->type =
            sema.types.reaching(argument.value->type, argument.value->type->element, sema.types.cell(space));
      }
    return instantiate(sema, node, given, range, sideFor(caller, node), &caller, used || !traits(sema, node).asks_use);
  };
  Selected found{instanceFor(host, Space::Host), instanceFor(device, Space::Device)};
  if (!found.function || !found.on_device_memory || !sameType(found.function->result, found.on_device_memory->result))
    return {};
  for (const Argument& argument : arguments) // all in one memory
    if (isOpenPointer(argument) && argument.value->type->space->root() != open->space->root())
      join(sema, argument.value->type->space->root(), open->space->root());
  return found;
}

// Chooses the overload of each open call. A space that is still open is the host's.
void decideOpenCalls(Sema& sema) {
  for (const OpenCall& open : sema.functions.open_calls)
    if (spaceOf(open.pointer) == Space::Device)
      open.call->function = open.on_device_memory;
}

} // namespace bsgp::sema

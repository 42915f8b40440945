#include "sema/whole_operands.h"

#include <fmt/format.h>

#include "sema/binary_operators.h"
#include "sema/convert.h"
#include "sema/misplaced.h"

namespace bsgp::sema {

namespace {

const Type* elementOf(const Expr& operand) {
  const Type* type = operand.type;
  return type->isView() ? type->structure->fields[kViewData].type->element : type->isDList() ? type->element : type;
}

// The operand as one thread has it: its element of a list, its element of an array.
std::string ofThread(const Body& body, const Expr& operand) {
  std::string text = sourceText(body, operand.range);
  return operand.type->isDList()  ? fmt::format("{}[thread.rank]", text)
         : operand.type->isView() ? fmt::format("{}.data[thread.rank]", text)
                                  : text;
}

std::string helpForNull(const Body& body, ast::BinaryOp op, const Expr& whole) {
  std::string text = sourceText(body, whole.range);
  return whole.type->isDList()
             ? fmt::format("a list is never NULL; of an empty one: {}.n {} 0", text, ast::spelling(op))
             : fmt::format("ask for its pointer: {}.data {} NULL", text, ast::spelling(op));
}

// Two of another length differ, and have no elements beside each other. `other`: the length of the second, if it has one.
std::string helpForComparison(ast::BinaryOp op, const std::string& count, const std::string& other,
                              const std::string& of_thread) {
  bool differ = op == ast::BinaryOp::Ne;
  const char *name = differ ? "differ" : "all_hold", *begin = differ ? "false" : "true";
  std::string threads = other.empty() ? count
                        : differ      ? fmt::format("{} ? 0 : {}", name, count)
                                      : fmt::format("{} ? {} : 0", name, count);
  return fmt::format("compare element by element: bool {0} = {1}; spawn ({2}) {0} {3}= reduce({3}, {4});", name,
                     other.empty() ? begin : fmt::format("{} {} {}", count, differ ? "!=" : "==", other), threads,
                     differ ? "|" : "&", of_thread);
}

} // namespace

std::string helpForWhole(const Body& body, ast::BinaryOp op, const Expr& a, const Expr& b) {
  const Expr &whole = isWhole(a) ? a : b, &other = isWhole(a) ? b : a;
  if (other.type->kind == TypeKind::Null && (op == ast::BinaryOp::Eq || op == ast::BinaryOp::Ne))
    return helpForNull(body, op, whole);
  const Type* made = common(body.sema, elementOf(a), elementOf(b));
  if (!made)
    return "an operator works on one element at a time";
  std::string of_thread = fmt::format("{} {} {}", ofThread(body, a), ast::spelling(op), ofThread(body, b));
  std::string count = sourceText(body, whole.range) + ".n";
  if (isComparison(op))
    return helpForComparison(op, count, isWhole(a) && isWhole(b) ? sourceText(body, b.range) + ".n" : "", of_thread);
  std::string type = typeName(made);
  return fmt::format("compute element by element: {0} spawn ({1}) made[thread.rank] = {2};",
                     whole.type->isDList() ? fmt::format("dlist({}) made; made.resize({});", type, count)
                                           : fmt::format("{0}* made = dnew[{1}]{0};", type, count),
                     count, of_thread);
}

std::string helpForWholeUpdate(const Body& body, const ast::Expr& update, const Expr& target, const Expr& value) {
  return fmt::format("compute element by element: spawn ({}.n) {} {}= {};", sourceText(body, target.range),
                     ofThread(body, target), ast::spelling(update.binary), ofThread(body, value));
}

} // namespace bsgp::sema

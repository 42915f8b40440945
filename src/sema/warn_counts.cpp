// Counts of elements that a call is given: more than an array of a fixed length has, and counts of bytes.
#include "sema/warn_counts.h"

#include <fmt/format.h>

#include "sema/constant.h"
#include "sema/instantiate.h"
#include "sema/warn_constants.h"

namespace bsgp::sema {

namespace {

// The elements from a place on to the end of the outermost array around it.
//   own  how many elements the place itself has
std::optional<int64_t> elementsFrom(const Expr* place, int64_t own) {
  int64_t elements = own;
  bool in_array = place->type->isArray();
  for (int64_t stride = own; place->kind == Expr::Index && place->a->type->isArray(); place = place->a) {
    auto count = int64_t(place->a->type->count);
    ConstValue at;
    if (!constantValue(place->b, at) || at.integer < 0 || at.integer >= count)
      return std::nullopt;
    elements += (count - 1 - at.integer) * stride;
    stride *= count;
    in_array = true;
  }
  return in_array ? std::optional(elements) : std::nullopt;
}

// The elements that a pointer into an array of a fixed length reaches.
std::optional<int64_t> elementsAt(const Expr* pointer) {
  if (pointer->type->isArray())
    return elementsFrom(pointer, int64_t(pointer->type->count));
  if (pointer->kind == Expr::Decay)
    return elementsAt(pointer->a);
  if (pointer->kind == Expr::AddrOf)
    return elementsFrom(pointer->a, 1);
  ConstValue steps;
  if (pointer->kind != Expr::PtrAdd || pointer->op != ast::BinaryOp::Add || !constantValue(pointer->b, steps))
    return std::nullopt;
  std::optional<int64_t> all = elementsAt(pointer->a);
  bool inside = all && steps.integer >= 0 && steps.integer <= *all;
  return inside ? std::optional(*all - steps.integer) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string_view::npos ? "" : text.substr(begin, end + 1 - begin);
}

bool isSize(std::string_view text) {
  return text.starts_with("sizeof") && text.ends_with(')') && text.find(')') == text.size() - 1;
}

// The places of the '*' outside of parentheses; none where other operators stand there too.
std::vector<size_t> productsIn(std::string_view text) {
  std::vector<size_t> places;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (!depth && std::string_view("+-/%<>?&|^,").find(c) != std::string_view::npos)
      return {};
    if (!depth && c == '*')
      places.push_back(i);
  }
  return places;
}

// Gives N of "N * sizeof(x)" and "sizeof(x) * N", and 1 of "sizeof(x)". Empty: it is no count of bytes.
std::string_view countBesideSize(std::string_view text) {
  text = trimmed(text);
  if (isSize(text))
    return "1";
  std::vector<size_t> products = productsIn(text);
  if (products.empty())
    return {};
  if (isSize(trimmed(text.substr(products.back() + 1))))
    return trimmed(text.substr(0, products.back()));
  bool in_front = isSize(trimmed(text.substr(0, products.front())));
  return in_front ? trimmed(text.substr(products.front() + 1)) : std::string_view();
}

bool namesSize(std::string_view text) {
  return text.find("sizeof") != std::string_view::npos;
}

} // namespace

void warnOfBytes(Body& body, const Type& element, SourceRange range) {
  std::string_view written = body.sema.diag.sources().text(range);
  bool of_bytes = element.size > 1 && warns(body) && namesSize(written);
  if (std::string_view meant = of_bytes ? countBesideSize(written) : ""; !meant.empty())
    body.sema.warnings.report(Diag::count_of_bytes, range, written, meant);
}

// Threads for each byte of one value are meant so: spawn (sizeof(x)).
void warnOfThreadsOfBytes(SourceRange range, Diagnostics& warnings) {
  std::string_view written = warnings.sources().text(range);
  std::string_view meant = namesSize(written) ? countBesideSize(written) : "";
  if (!meant.empty() && meant != "1")
    warnings.report(Diag::threads_of_bytes, range, written, meant);
}

bool checkCount(Body& body, const CountedPlace& place, const Expr& count, SourceRange range) {
  const SourceManager& sources = body.sema.diag.sources();
  std::optional<int64_t> elements = elementsAt(place.value);
  ConstValue known;
  std::string_view written = sources.text(range);
  if (elements && count.type->isInt() && constantValue(&count, known) &&
      (known.integer > *elements || known.integer < 0)) {
    std::string help = namesSize(written) ? fmt::format("a count is of elements, not of bytes: write {}", *elements)
                                          : fmt::format("write {}; or give it more elements", *elements);
    body.sema.diag.report(Diag::count_beyond_array, range, known.integer, sources.text(place.range), *elements, help);
    return false;
  }
  if (place.value->type->element)
    warnOfBytes(body, *place.value->type->element, range);
  return true;
}

// fill(a, n, x), hostSort(a, n): functions of the library whose second parameter is a count 'n'.
bool checkCounted(Body& body, const Function& function, std::span<const Argument> arguments) {
  const ast::Function* node = declarationOf(body.sema, function);
  bool counts = node && body.scope == Scope::Program && scopeOf(body.sema, node->range) == Scope::Library &&
                arguments.size() > 1 && arguments[0].value && arguments[1].value && node->params.size() > 1 &&
                node->params[1].name == "n";
  if (counts && !checkCount(body, {arguments[0].value, arguments[0].range}, *arguments[1].value, arguments[1].range))
    return false;
  const Type* element = arguments.empty() || !arguments[0].value ? nullptr : arguments[0].value->type->element;
  if (element && function.name == "fill" && node && scopeOf(body.sema, node->range) == Scope::Library &&
      body.scope == Scope::Program && arguments.back().value)
    warnOfLoss(body, arguments.back().value, element, "this argument");
  return true;
}

} // namespace bsgp::sema

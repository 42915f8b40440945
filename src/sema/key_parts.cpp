#include "sema/key_parts.h"

#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_calls.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/name_scopes.h"
#include "sema/select.h"

namespace bsgp::sema {

namespace {

constexpr size_t kMostParts = 64;
constexpr unsigned kWordBits = 64;

// Appends the types of the numbers in it, in the order of memory; false if there are other parts, or too many.
bool partsOf(const Type* type, std::vector<const Type*>& out) {
  if (type->isScalar()) {
    out.push_back(type);
    return out.size() <= kMostParts;
  }
  if (type->isVector() || type->isArray()) {
    for (uint64_t i = 0; i < type->count; ++i)
      if (!partsOf(type->element, out))
        return false;
    return true;
  }
  if (!type->isStruct())
    return false;
  for (const StructField& field : type->structure->fields)
    if (!partsOf(field.type, out))
      return false;
  return !out.empty();
}

unsigned bitsOf(const Type* part) {
  return unsigned(part->size) * 8;
}

// Returns the part at which each word begins: a word has as many parts as fit.
std::vector<size_t> wordsOf(const std::vector<const Type*>& parts) {
  std::vector<size_t> begins;
  unsigned room = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (bitsOf(parts[i]) > room)
      begins.push_back(i), room = kWordBits;
    room -= bitsOf(parts[i]);
  }
  return begins;
}

} // namespace

// Appends the numbers that `key` is made of, in order.
static void appendParts(Body& body, const Expr* key, std::vector<Expr*>& out) {
  const Type* type = key->type;
  auto inside = [&](Expr::Kind kind, const Type* part) {
    Expr* e = body.sema.nodes.make(kind, part, key->range);
    e->a = body.sema.nodes.copyOf(key);
    return e;
  };
  if (type->isScalar())
    out.push_back(body.sema.nodes.copyOf(key));
  for (uint32_t i = 0; (type->isVector() || type->isArray()) && i < type->count; ++i) {
    Expr* part = inside(type->isVector() ? Expr::Swizzle : Expr::Index, type->element);
    if (type->isVector())
      part->lanes[0] = uint8_t(i), part->lane_count = 1;
    else
      part->b = number(body, i, body.sema.types.i32, key->range);
    appendParts(body, part, out);
  }
  for (uint32_t i = 0; type->isStruct() && i < type->structure->fields.size(); ++i) {
    Expr* part = inside(Expr::Field, type->structure->fields[i].type);
    part->index = i;
    appendParts(body, part, out);
  }
}

// Joins their bits in one word, the first part highest.
static Expr* keyWord(Body& body, std::span<Expr* const> parts, const Type* word) {
  Expr* all = nullptr;
  for (Expr* part : parts) {
    unsigned bits = bitsOf(part->type);
    Argument argument;
    argument.value = part, argument.range = part->range;
    Expr* mine = cast(body, callWith(body, "sort_bits", {argument}, part->range), word);
    if (all)
      mine = binaryOn(
          body, ast::BinaryOp::BitOr,
          binaryOn(body, ast::BinaryOp::Shl, all, number(body, bits, body.sema.types.i32, part->range), part->range),
          mine, part->range);
    all = mine;
  }
  return all;
}

Expr* keyBuiltin(Body& body, std::string_view name, const ast::Expr* e) {
  bool asks = name == "__is_key", counts = name == "__key_words";
  if (!asks && !counts && name != "__key_word")
    return nullptr;
  const Type* type = typeOf(body, e->args[0]);
  if (type->isError())
    return error(body, e->range);
  std::vector<const Type*> parts;
  bool is_key = partsOf(type, parts);
  if (asks) {
    Argument operand;
    operand.value = body.sema.nodes.make(Expr::Null, type, e->range), operand.range = e->range;
    bool ordered = type->isStruct() && hasFunction(body.sema, "operator<") &&
                   takes(body.sema, "operator<", {operand, operand}, body);
    return number(body, is_key && !type->isArray() && !ordered, body.sema.types.bool_, e->range);
  }
  std::vector<size_t> begins = wordsOf(parts);
  if (counts)
    return number(body, int64_t(begins.size()), body.sema.types.i32, e->range);
  std::vector<Expr*> values;
  appendParts(body, expr(body, e->args[0]), values);
  unsigned all = 0;
  for (const Type* part : parts)
    all += bitsOf(part);
  const Type* word = body.sema.types.integer(all <= 32 ? 32 : 64, false);
  Expr *which = rvalue(body, e->args[1]), *chosen = nullptr;
  begins.push_back(values.size());
  for (size_t w = begins.size() - 1; w-- > 0;) {
    Expr* one = keyWord(body, std::span(values).subspan(begins[w], begins[w + 1] - begins[w]), word);
    if (chosen) {
      Expr* r = body.sema.nodes.make(Expr::Conditional, word, e->range);
      r->a = binaryOn(body, ast::BinaryOp::Eq, body.sema.nodes.copyOf(which),
                      number(body, int64_t(w), body.sema.types.i32, e->range), e->range);
      r->b = one, r->c = chosen;
      one = r;
    }
    chosen = one;
  }
  return chosen;
}

} // namespace bsgp::sema

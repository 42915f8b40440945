#include "arrays/linalg/product.h"

#include <algorithm>

#include "arrays/build.h"
#include "arrays/linalg/compose.h"
#include "arrays/linalg/matrices.h"

namespace bsgp::arrays {

namespace {

constexpr double kLeastProducts = 16 * 16 * 16; // of numbers from which on BLAS pays

ProductShape shapeOf(const WholeCall& call) {
  ProductShape shape{leadingOf(call.shape, 2), rowsOf(call.shape),   0,
                     columnsOf(call.shape),    call.numbers[0] != 0, call.numbers[1] != 0};
  const Shape& a = call.operands[0].shape;
  shape.k = shape.trans_a ? rowsOf(a) : columnsOf(a);
  return shape;
}

// ---- by BLAS ----

// A matrix that is stored by rows is its transpose to BLAS, so c' = b' a'.
template <class T> void multiply(const Lapack<T>& blas, const ProductShape& s, const T* a, const T* b, T* c) {
  const T one = 1, zero = 0;
  int m = int(s.m), k = int(s.k), n = int(s.n), step = 1;
  int lda = s.trans_a ? m : k, ldb = s.trans_b ? k : n;
  if (m == 0 || n == 0)
    return;
  if (k == 0 || n == 1 || m == 1)
    std::fill_n(c, s.m * s.n, zero);
  if (k == 0)
    return;
  if (n == 1)
    blas.gemv(s.trans_a ? "N" : "T", &lda, s.trans_a ? &k : &m, &one, a, &lda, b, &step, &zero, c, &step, 1);
  else if (m == 1)
    blas.gemv(s.trans_b ? "T" : "N", &ldb, s.trans_b ? &n : &k, &one, b, &ldb, a, &step, &zero, c, &step, 1);
  else
    blas.gemm(s.trans_b ? "T" : "N", s.trans_a ? "T" : "N", &n, &m, &k, &one, b, &ldb, a, &lda, &zero, c, &n, 1, 1);
}

// If all matrices of a are multiplied by one, they are one matrix with all of their rows.
void joinRows(const WholeCall& call, ProductShape& shape) {
  int64_t count = shape.leading.elements();
  const Shape &a = call.operands[0].shape, &b = call.operands[1].shape;
  if (shape.trans_a || leadingOf(b, 2).elements() != 1 || leadingOf(a, 2).elements() != count ||
      count * shape.m > kMostCount)
    return;
  shape.m *= count;
  shape.leading = {};
}

template <class T> Result<void> runBlas(const WholeCall& call, const Blas& blas, ProductShape shape) {
  joinRows(call, shape);
  const WholeOperand &a = call.operands[0], &b = call.operands[1];
  Shape lead_a = shape.leading.rank ? leadingOf(a.shape, 2) : Shape(),
        lead_b = shape.leading.rank ? leadingOf(b.shape, 2) : Shape();
  auto one = [&](int64_t i) {
    int64_t at_a = broadcastNumber(lead_a, shape.leading, i) * shape.m * shape.k,
            at_b = broadcastNumber(lead_b, shape.leading, i) * shape.k * shape.n;
    multiply(blas.of<T>(), shape, a.as<T>() + at_a, b.as<T>() + at_b, call.result<T>() + i * shape.m * shape.n);
    return Info(0);
  };
  return eachMatrix(call, blas, shape.leading, one, [](const std::string&, Info) { return std::string(); });
}

Result<void> runProduct(const WholeCall& call) {
  ProductShape shape = shapeOf(call);
  bool is_counted = std::max({shape.m, shape.k, shape.n}) <= kMostCount;
  if (call.exact || info(call.type).kind < TypeKind::Float || !is_counted)
    return runOrdered(call, shape);
  auto blas = loadBlas();
  if (!blas)
    return Error{blas.message() + "; the option `exact` computes products without it"};
  return withField(call.type, [&](auto zero) { return runBlas<decltype(zero)>(call, **blas, shape); });
}
constexpr WholeOperation kProduct{"matmul", runProduct, "BLAS", true}, kWholeProduct{"matmul", runProduct};

// ---- the graph ----

// Sums of k products. One for each matrix is better fused.
bool paysByBlas(const Shape& result, int64_t k) {
  return rowsOf(result) * columnsOf(result) > 1 && double(result.elements()) * double(k) >= kLeastProducts;
}

// The operand whose last two axes the node exchanges and nothing else; null: there is none.
const NodeRef* transposedOf(const NodeRef& node) {
  if (node->isComputed() || node->kind != Kind::Transform || std::string_view(node->details->name) != "transpose")
    return nullptr;
  View wanted = identity(node->shape.rank);
  if (node->shape.rank < 2)
    return nullptr;
  std::swap(wanted.maps[size_t(node->shape.rank) - 1], wanted.maps[size_t(node->shape.rank) - 2]);
  return node->details->view == wanted ? &node->operands[0] : nullptr;
}

// Both have two axes at least, and the result's type.
Result<NodeRef> makeByBlas(const NodeRef& a, const NodeRef& b, const Shape& shape) {
  const NodeRef *trans_a = transposedOf(a), *trans_b = transposedOf(b);
  NodeRef operands[] = {trans_a ? *trans_a : a, trans_b ? *trans_b : b};
  bool is_exact = info(a->type).kind < TypeKind::Float;
  return makeWhole(is_exact ? kWholeProduct : kProduct, a->type, shape, operands,
                   {trans_a != nullptr, trans_b != nullptr});
}

// The same as a sum of products, which is fused with what its operands are made of.
Result<NodeRef> makeAsSum(Composer& make, const NodeRef& a, const NodeRef& b) {
  NodeRef left = make.newAxis(a, a->shape.rank), right = make.newAxis(b, b->shape.rank - 2);
  NodeRef sum = make.sum(make(BSGP_OP_MULTIPLY, {left, right}), {-2});
  return make.result(makeCast(sum, a->type));
}

Error wrongShapes(const char* name, const NodeRef& a, const NodeRef& b, const char* help) {
  return Error{
      fmt::format("{}: shapes {} and {} do not go together\n  help: {}", name, text(a->shape), text(b->shape), help)};
}

bsgp_dtype commonOf(const NodeRef& a, const NodeRef& b) {
  return commonType({a->type, a->weak}, {b->type, b->weak}).type;
}

Result<NodeRef> makeOfMatrices(Composer& make, const NodeRef& a, const NodeRef& b) {
  auto leading = broadcastShape("matmul", leadingOf(a->shape, 2), leadingOf(b->shape, 2));
  if (!leading)
    return leading.error();
  Shape shape = *leading;
  shape.insert(shape.rank, rowsOf(a->shape));
  shape.insert(shape.rank, columnsOf(b->shape));
  if (paysByBlas(shape, columnsOf(a->shape)) || shape.rank == BSGP_MOST_AXES)
    return makeByBlas(a, b, shape);
  return makeAsSum(make, a, b);
}

// An axis of one element less. The elements stay where they are.
NodeRef squeezed(Composer& make, const NodeRef& node, int axis) {
  Shape shape = node->shape;
  shape.erase(axis);
  return make.reshape(node, shape);
}

// The axes that are not named, then those named, or the other way round: a matrix.
NodeRef asMatrix(Composer& make, const NodeRef& node, std::span<const int32_t> axes, bool named_last) {
  std::vector<int32_t> order;
  int64_t rows = 1, columns = 1;
  for (int32_t i = 0; i < node->shape.rank; ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end())
      order.push_back(i), rows *= node->shape[i];
  for (int32_t axis : axes)
    columns *= node->shape[axis];
  order.insert(named_last ? order.end() : order.begin(), axes.begin(), axes.end());
  if (!named_last)
    std::swap(rows, columns);
  Shape shape{2, {rows, columns}};
  bool is_identity = std::is_sorted(order.begin(), order.end());
  return make.reshape(is_identity ? node : make.transpose(node, order), shape);
}

Result<std::vector<int32_t>> checkedAxes(const NodeRef& node, std::span<const int32_t> given) {
  std::vector<int32_t> axes;
  for (int32_t one : given) {
    auto axis = checkedAxis("tensordot", one, node->shape);
    if (!axis)
      return axis.error();
    if (std::find(axes.begin(), axes.end(), *axis) != axes.end())
      return Error{fmt::format("tensordot: axis {} is named twice", *axis)};
    axes.push_back(*axis);
  }
  return axes;
}

} // namespace

Result<NodeRef> makeMatmul(const NodeRef& a, const NodeRef& b) {
  if (a->shape.rank == 0 || b->shape.rank == 0)
    return wrongShapes("matmul", a, b, "both have one axis at least; write a * b for a number");
  bool is_row = a->shape.rank == 1, is_column = b->shape.rank == 1;
  if (columnsOf(a->shape) != (is_column ? b->shape[0] : rowsOf(b->shape)))
    return wrongShapes("matmul", a, b,
                       "the last extent of the first is the last but one of the second, or its only one: "
                       "matrix_transpose exchanges two");
  bsgp_dtype type = commonOf(a, b), computed = computedType(type);
  Composer make;
  NodeRef left = makeCast(a, computed), right = makeCast(b, computed);
  if (is_row)
    left = make.reshape(left, {2, {1, a->shape[0]}});
  if (is_column)
    right = make.reshape(right, {2, {b->shape[0], 1}});
  auto product = makeOfMatrices(make, left, right);
  if (!product)
    return product;
  NodeRef result = product.take();
  if (is_column)
    result = squeezed(make, result, result->shape.rank - 1);
  if (is_row)
    result = squeezed(make, result, result->shape.rank - (is_column ? 1 : 2));
  return make.result(makeCast(result, type));
}

Result<NodeRef> makeVecdot(const NodeRef& a, const NodeRef& b, int32_t axis) {
  int32_t least = std::min(a->shape.rank, b->shape.rank);
  if (axis >= 0 || axis < -least)
    return Error{
        fmt::format("vecdot: axis {} of arrays of shapes {} and {}\n  help: it is counted from the last, -1, in both",
                    axis, text(a->shape), text(b->shape))};
  if (a->shape[a->shape.rank + axis] != b->shape[b->shape.rank + axis])
    return wrongShapes("vecdot", a, b, "both have the same extent along the axis");
  bsgp_dtype type = commonOf(a, b), computed = computedType(type);
  Composer make;
  NodeRef left = makeCast(a, computed), right = makeCast(b, computed);
  if (isComplex(computed))
    left = make(BSGP_OP_CONJ, {left});
  return make.result(makeCast(make.sum(make(BSGP_OP_MULTIPLY, {left, right}), {axis}), type));
}

Result<NodeRef> makeTensordot(const NodeRef& a, const NodeRef& b, std::span<const int32_t> given_a,
                              std::span<const int32_t> given_b) {
  auto axes_a = checkedAxes(a, given_a), axes_b = checkedAxes(b, given_b);
  if (!axes_a || !axes_b)
    return axes_a ? axes_b.error() : axes_a.error();
  bool fits = axes_a->size() == axes_b->size();
  for (size_t i = 0; fits && i < axes_a->size(); ++i)
    fits = a->shape[(*axes_a)[i]] == b->shape[(*axes_b)[i]];
  if (!fits)
    return wrongShapes("tensordot", a, b, "axes in pairs have equal extents");
  Shape shape;
  for (int32_t i = 0; i < a->shape.rank; ++i)
    if (std::find(axes_a->begin(), axes_a->end(), i) == axes_a->end())
      shape.insert(shape.rank, a->shape[i]);
  int64_t left = shape.rank, right = b->shape.rank - int64_t(axes_b->size());
  if (left + right > BSGP_MOST_AXES)
    return Error{fmt::format("tensordot: shapes {} and {} make more than {} axes", text(a->shape), text(b->shape),
                             int(BSGP_MOST_AXES))};
  for (int32_t i = 0; i < b->shape.rank; ++i)
    if (std::find(axes_b->begin(), axes_b->end(), i) == axes_b->end())
      shape.insert(shape.rank, b->shape[i]);
  Composer make;
  auto product = makeMatmul(asMatrix(make, a, *axes_a, true), asMatrix(make, b, *axes_b, false));
  return product ? make.result(make.reshape(*product, shape)) : product;
}

Result<NodeRef> makeLargeInnerProduct(const NodeRef& a, const NodeRef& b) {
  bsgp_dtype type = commonOf(a, b);
  int64_t k = b->shape[0], m = k ? a->elements() / k : 0, n = k ? b->elements() / k : 0;
  if (!paysByBlas({2, {m, n}}, k) || info(type).kind < TypeKind::Float || type == BSGP_FLOAT16)
    return NodeRef();
  int32_t last = a->shape.rank - 1, first = 0;
  return makeTensordot(makeCast(a, type), makeCast(b, type), {&last, 1}, {&first, 1});
}

} // namespace bsgp::arrays

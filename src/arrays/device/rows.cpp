#include "arrays/device/rows.h"

#include <fmt/format.h>

#include "arrays/device/code.h"
#include "arrays/device/nodes.h"
#include "arrays/rows.h"

namespace bsgp::arrays {

namespace {

constexpr char kName[] = "rows";
constexpr int64_t kLongOnDevice = 1024; // a row that is better sorted by all threads than by one

using Function = bsgp_status (*)(bsgp_context*, const char* from, char* to, char* room, int64_t n, int64_t count);

// The function of __arrays.bsgp that does it.
struct Way {
  const char* function;
  std::vector<const char*> operators; // arguments in front
  bool has_room;                      // an argument: memory for as many results
  std::vector<bool> flags;            // arguments behind
};

// Each way gives the bits that arrays/rows.cpp gives.
Way wayOf(bsgp_rows rows, int64_t n, int64_t count) {
  bool few = n >= kLongOnDevice && count < kFewRows;
  bool scans_each = n >= kLongRow;
  switch (rows) {
  case BSGP_ROWS_SORT:
    return few ? Way{"__array_sort_each", {}, false, {n >= kLongRow}} : Way{"__array_sort", {}, true, {}};
  case BSGP_ROWS_ARGSORT:
    return few ? Way{"__array_argsort_each", {}, false, {}} : Way{"__array_argsort", {}, true, {}};
  case BSGP_ROWS_CUMULATIVE_SUM:
    return {scans_each ? "__array_scan_each" : "__array_scan", {"rop_add"}, false, {}};
  case BSGP_ROWS_CUMULATIVE_PROD:
    return {scans_each ? "__array_scan_each" : "__array_scan", {"rop_mul"}, false, {}};
  case BSGP_ROWS_CUMULATIVE_MIN:
  case BSGP_ROWS_CUMULATIVE_MAX:
    return {"__array_best_so_far", {}, false, {rows == BSGP_ROWS_CUMULATIVE_MIN}};
  default:
    return {"__array_best", {}, false, {rows == BSGP_ROWS_ARGMIN}};
  }
}

bool isScan(bsgp_rows rows) {
  return rows == BSGP_ROWS_CUMULATIVE_SUM || rows == BSGP_ROWS_CUMULATIVE_PROD;
}

std::string textOf(const Way& way, bsgp_dtype from, bsgp_dtype to) {
  std::string all = fmt::format("{} of {} to {}", way.function, info(from).name, info(to).name);
  for (const char* op : way.operators)
    all += fmt::format(" by {}", op);
  for (bool flag : way.flags)
    all += flag ? " true" : " false";
  return all;
}

// export void rows(device T* from, device R* to, device R* room, long n, long count) { function(…); }
ast::Program* programOf(Nodes& n, const Way& way, bsgp_dtype from, bsgp_dtype to) {
  std::vector<ast::Expr*> arguments;
  for (const char* op : way.operators)
    arguments.push_back(n.name(op));
  arguments.push_back(n.name("from")), arguments.push_back(n.name("to"));
  if (way.has_room)
    arguments.push_back(n.name("room"));
  arguments.push_back(n.name("n")), arguments.push_back(n.name("count"));
  for (bool flag : way.flags)
    arguments.push_back(n.b.boolean(flag, n.at));
  auto pointer = [&](bsgp_dtype type, const char* name) {
    return n.b.parameter(n.b.pointer(n.type(type), n.at, ast::Space::Device), name, n.at);
  };
  std::vector<ast::Param> parameters{pointer(from, "from"), pointer(to, "to"), pointer(to, "room"),
                                     n.b.parameter(n.type(BSGP_INT64), "n", n.at),
                                     n.b.parameter(n.type(BSGP_INT64), "count", n.at)};
  ast::Stmt* body = n.b.block({n.b.expression(n.call(way.function, arguments))}, n.at);
  ast::Function* made = n.b.function(nullptr, kName, parameters, body, n.at);
  made->is_export = true;
  return n.b.program({made});
}

} // namespace

Result<void> runRowsOn(Target target, const Kernel& kernel, const DeviceBuffer& from, const DeviceBuffer& to) {
  const Node& node = *kernel.alone;
  const Shape& shape = kernel.loads[0].shape;
  int64_t n = shape[shape.rank - 1], count = n ? shape.elements() / n : 0;
  if (count == 0)
    return {};
  bsgp_dtype type = isScan(node.rows) ? wrappingType(node.type) : kernel.loads[0].array->type;
  bsgp_dtype made = isScan(node.rows) ? type : node.type;
  Way way = wayOf(node.rows, n, count);
  std::string text = textOf(way, type, made);
  Source source{kName, text, [=](compile::TreeMaker& maker) {
                  Nodes nodes(maker.nodes);
                  nodes.at = {maker.texts[0], maker.texts[0] + SourcePos(text.size())};
                  return programOf(nodes, way, type, made);
                }};
  auto context = contextOf(target);
  if (!context)
    return context.error();
  auto function = functionOf(source, target);
  if (!function)
    return function.error();
  DeviceRef room;
  if (way.has_room) {
    auto memory = allocateOn(*context, node.bytes(), "the rows that are sorted");
    if (!memory)
      return memory.error();
    room = memory.take();
  }
  return asResult(
      reinterpret_cast<Function>(*function)(*context, from.data(), to.data(), room ? room->data() : nullptr, n, count));
}

} // namespace bsgp::arrays

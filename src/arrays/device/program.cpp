#include "arrays/device/program.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "arrays/device/nodes.h"

namespace bsgp::arrays {

using ast::BinaryOp;
using ast::Expr;
using ast::Stmt;

namespace {

using Statements = std::vector<Stmt*>;

std::string fieldName(size_t number) {
  return fmt::format("f{}", number);
}

// a->numbers_int64[3]
Expr* argument(Nodes& n, const Field& field) {
  Expr* member = n.b.member(n.b.name("a", n.at), memberOf(field), n.at);
  member->kind = Expr::Arrow;
  return n.b.index(member, n.number(uint64_t(field.place)), n.at);
}

ast::TypeExpr* typeOf(Nodes& n, Field::Kind kind, bsgp_dtype type) {
  return kind == Field::Pointer ? n.b.pointer(n.type(type), n.at) : n.type(type);
}

ast::Struct* argumentsOf(Nodes& n, const Fields& fields) {
  std::vector<ast::Declarator> made;
  for (const Member& member : membersOf(fields)) {
    Expr* count = n.b.integer(uint64_t(member.count), n.at);
    made.push_back(n.b.field(n.b.array(typeOf(n, member.kind, member.type), count, n.at), member.name(), n.at));
  }
  return n.b.structure("Arguments", made, n.at);
}

// ---- coordinates

// The axes whose coordinates are read.
std::vector<bool> axesRead(const Form& form) {
  std::vector<bool> read(size_t(form.rank()));
  auto add = [&](const std::vector<MapForm>& maps) {
    for (const MapForm& map : maps)
      if (map.axis >= 0)
        read[size_t(map.axis)] = true;
  };
  for (const LoadForm& load : form.loads)
    add(load.parts);
  add(form.maps);
  for (const auto& all : form.insides)
    add(all);
  return read;
}

// Declares the coordinates along `axes` of the variable `place`, which counts the places of these axes in row order.
void declareCoordinates(Nodes& n, const Form& form, const std::vector<int32_t>& axes, const char* place,
                        bsgp_dtype type, Statements& to) {
  std::vector<bool> read = axesRead(form);
  auto isRead = [&](int32_t axis) { return read[size_t(axis)]; };
  auto first = size_t(std::find_if(axes.begin(), axes.end(), isRead) - axes.begin());
  std::string rest = place;
  for (size_t i = axes.size(); i-- > first;) {
    auto extent = [&] { return n.cast(type, n.field(form.extents[size_t(axes[i])])); };
    if (isRead(axes[i])) {
      Expr* at = i == 0 ? n.name(rest) : n.binary(BinaryOp::Rem, n.name(rest), extent());
      to.push_back(n.declare(BSGP_INT64, fmt::format("c{}", axes[i]), n.cast(BSGP_INT64, at)));
    }
    if (i > first) {
      std::string next = fmt::format("{}_{}", place, i);
      to.push_back(n.declare(type, next, n.binary(BinaryOp::Div, n.name(rest), extent())));
      rest = next;
    }
  }
}

std::vector<int32_t> axesBetween(int32_t first, int32_t end) {
  std::vector<int32_t> axes(static_cast<size_t>(end - first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

const char* functionOf(Step::Kind kind) {
  return kind == Step::Clamp ? "__array_clamp" : kind == Step::Wrap ? "__array_wrap" : "__array_part";
}

Expr* coordinate(Nodes& n, const MapForm& map) {
  Expr* at = map.axis < 0 ? n.number(0) : n.axis(map.axis);
  for (const StepForm& step : map.steps)
    at = step.kind == Step::Affine ? n.add(n.multiply(n.field(step.a), at), n.field(step.b))
                                   : n.call(functionOf(step.kind), {at, n.field(step.a)});
  return at;
}

// ---- instructions

Expr* element(Nodes& n, const LoadForm& load, Expr* gathered = nullptr) {
  Expr* at = gathered;
  for (const MapForm& part : load.parts) {
    Expr* term = n.multiply(coordinate(n, part), n.field(part.factor));
    at = at ? n.add(at, term) : term;
  }
  if (load.is_contiguous)
    at = n.name("place");
  return n.b.index(n.field(load.base), at ? at : n.number(0), n.at);
}

Expr* gathered(Nodes& n, const Form& form, int32_t number) {
  const Instruction& made = form.code[size_t(number)];
  const LoadForm& load = form.loads[size_t(made.index)];
  Expr* index = n.call("__array_index", {n.value(made.operands[0]), n.field(load.gathered_extent), n.field(form.wrong),
                                         n.number(uint64_t(number) + 1)});
  return element(n, load, n.multiply(index, n.field(load.gathered_stride)));
}

Expr* inside(Nodes& n, const std::vector<MapForm>& all) {
  Expr* holds = nullptr;
  for (const MapForm& each : all) {
    Expr* here = n.call("__array_is_inside", {coordinate(n, each), n.field(each.factor)});
    holds = holds ? n.binary(BinaryOp::LogicalAnd, holds, here) : here;
  }
  return holds ? holds : n.b.boolean(true, n.at);
}

Expr* valueOf(Nodes& n, const Form& form, int32_t number) {
  const Instruction& made = form.code[size_t(number)];
  switch (made.kind) {
  case Instruction::Load:
    return element(n, form.loads[size_t(made.index)]);
  case Instruction::Constant:
    return n.field(made.index);
  case Instruction::Coordinate:
    return coordinate(n, form.maps[size_t(made.index)]);
  case Instruction::Inside:
    return inside(n, form.insides[size_t(made.index)]);
  case Instruction::Apply:
    return applied(n, made);
  case Instruction::Cast:
    return converted(n, made);
  case Instruction::Gather:
    return gathered(n, form, number);
  }
  return nullptr;
}

// The instructions that `wanted` need, in their order.
std::vector<bool> needed(const Form& form, std::vector<int32_t> wanted) {
  std::vector<bool> all(form.code.size());
  for (int32_t value : wanted)
    all[size_t(value)] = true;
  for (size_t i = all.size(); i-- > 0;)
    for (int32_t operand : form.code[i].operands)
      if (all[i] && operand >= 0)
        all[size_t(operand)] = true;
  return all;
}

class Writer {
public:
  Writer(const Form& form, const Fields& fields, ast::Builder& builder, SourcePos text)
      : form_(form), fields_(fields), n_(builder) {
    std::string all = arrays::text(form);
    for (size_t begin = 0, end; begin < all.size(); begin = end + 1) {
      end = std::min(all.find('\n', begin), all.size());
      lines_.push_back({text + SourcePos(begin), text + SourcePos(end)});
    }
    n_.at = lines_.back();
  }

  ast::Program* program() {
    ast::Struct* arguments = argumentsOf(n_, fields_);
    Statements body, function;
    declareFields(body);
    body.push_back(n_.declare(placeType(), "place", n_.cast(placeType(), n_.b.thread("rank", n_.at))));
    if (form_.hasThreadsForResults())
      foldRows(body);
    else
      overPlaces(body, function);
    function.push_back(n_.b.spawn(n_.cast(placeType(), n_.name("n")), n_.b.block(body, n_.at), n_.at));
    ast::TypeExpr* pointer = n_.b.pointer(n_.b.named("Arguments", n_.at), n_.at, ast::Space::Device);
    std::vector<ast::Param> parameters{n_.b.parameter(pointer, "a", n_.at),
                                       n_.b.parameter(n_.type(BSGP_INT64), "n", n_.at)};
    ast::Function* made = n_.b.function(nullptr, kKernelName, parameters, n_.b.block(function, n_.at), n_.at);
    made->is_export = true;
    return n_.b.program(std::vector<ast::Function*>{made}, {arguments});
  }

private:
  bsgp_dtype placeType() const { return form_.is_wide ? BSGP_INT64 : BSGP_INT32; }

  void declareFields(Statements& to) {
    for (size_t i = 0; i < fields_.size(); ++i)
      to.push_back(
          n_.b.declare(typeOf(n_, fields_[i].kind, fields_[i].type), fieldName(i), argument(n_, fields_[i]), n_.at));
  }

  void compute(const std::vector<int32_t>& wanted, Statements& to) {
    std::vector<bool> all = needed(form_, wanted);
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i]) {
        n_.at = lines_[i];
        to.push_back(n_.declare(form_.code[i].type, fmt::format("v{}", i), valueOf(n_, form_, int32_t(i))));
      }
  }

  SourceRange lineOf(const OutputForm& output) const {
    return lines_[form_.code.size() + size_t(&output - form_.outputs.data())];
  }

  // Sums and products of integers wrap: they are unsigned.
  static bsgp_dtype foldType(const OutputForm& output) {
    bool wraps = output.combines == BSGP_OP_ADD || output.combines == BSGP_OP_MULTIPLY;
    return wraps && output.type != BSGP_BOOL ? wrappingType(output.type) : output.type;
  }
  static const char* operatorOf(const OutputForm& output) {
    bool is_bool = output.type == BSGP_BOOL;
    switch (output.combines) {
    case BSGP_OP_ADD:
      return "__array_sum";
    case BSGP_OP_MULTIPLY:
      return "__array_product";
    case BSGP_OP_MINIMUM:
      return is_bool ? "__array_all" : "__array_minimum";
    case BSGP_OP_MAXIMUM:
      return is_bool ? "__array_any" : "__array_maximum";
    case BSGP_OP_LOGICAL_AND:
      return "__array_all";
    default:
      return "__array_any";
    }
  }

  Stmt* store(Expr* array, Expr* at, bsgp_dtype type, Expr* value) {
    return n_.b.expression(n_.b.assign(n_.b.index(array, at, n_.at), n_.cast(type, value), n_.at));
  }

  void overPlaces(Statements& body, Statements& function) {
    declareCoordinates(n_, form_, axesBetween(0, form_.rank()), "place", placeType(), body);
    std::vector<int32_t> wanted;
    for (const OutputForm& output : form_.outputs)
      wanted.push_back(output.value);
    compute(wanted, body);
    for (const OutputForm& output : form_.outputs)
      if (!output.is_fold) {
        n_.at = lineOf(output);
        body.push_back(store(n_.field(output.to), n_.name("place"), output.type, n_.value(output.value)));
      }
    foldAll(body, function);
  }

  // The results are host variables, which the first thread stores.
  void foldAll(Statements& body, Statements& function) {
    Statements reductions, stores;
    for (const OutputForm& output : form_.outputs) {
      if (!output.is_fold)
        continue;
      n_.at = lineOf(output);
      std::string total = fmt::format("t{}", output.to);
      function.push_back(n_.declare(foldType(output), total, nullptr));
      Expr* reduced =
          n_.call("reduce", {n_.name(operatorOf(output)), n_.cast(foldType(output), n_.value(output.value))});
      reductions.push_back(n_.b.expression(n_.b.assign(n_.name(total), reduced, n_.at)));
      stores.push_back(store(argument(n_, fields_[size_t(output.to)]), n_.number(0), output.type, n_.name(total)));
    }
    n_.at = lines_.back();
    if (reductions.size() > 1)
      body.push_back(n_.b.par(reductions, n_.at));
    else
      body.insert(body.end(), reductions.begin(), reductions.end());
    if (!stores.empty())
      body.push_back(n_.b.branch(n_.binary(BinaryOp::Eq, n_.b.thread("rank", n_.at), n_.number(0)),
                                 n_.b.block(stores, n_.at), nullptr, n_.at));
  }

  void foldRows(Statements& body) {
    std::vector<int32_t> axes = axesBetween(0, form_.outer);
    for (int32_t axis = form_.outer + form_.reduced; axis < form_.rank(); ++axis)
      axes.push_back(axis);
    declareCoordinates(n_, form_, axes, "place", placeType(), body);
    for (const OutputForm& output : form_.outputs) {
      n_.at = lineOf(output);
      Expr* all = n_.call("__array_fold", {n_.name(operatorOf(output)), value(output), n_.field(form_.count)});
      n_.at = lineOf(output);
      body.push_back(store(n_.field(output.to), n_.name("place"), output.type, all));
    }
  }

  // [=](long i) { the instructions at reduced place i }
  Expr* value(const OutputForm& output) {
    n_.used.clear();
    Statements body;
    declareCoordinates(n_, form_, axesBetween(form_.outer, form_.outer + form_.reduced), "i", BSGP_INT64, body);
    compute({output.value}, body);
    n_.at = lineOf(output);
    body.push_back(n_.b.giveBack(n_.cast(foldType(output), n_.value(output.value)), n_.at));
    std::vector<std::string_view> copies;
    std::vector<std::string> own = declared(body);
    for (const std::string& name : n_.used)
      if (name != "i" && std::find(own.begin(), own.end(), name) == own.end())
        copies.push_back(name);
    return n_.b.lambda({n_.b.parameter(n_.type(BSGP_INT64), "i", n_.at)}, n_.b.block(body, n_.at), copies, n_.at);
  }

  static std::vector<std::string> declared(const Statements& body) {
    std::vector<std::string> names;
    for (const Stmt* stmt : body)
      for (const ast::Declarator& each : stmt->decls)
        names.emplace_back(each.name);
    return names;
  }

  const Form& form_;
  const Fields& fields_;
  Nodes n_;
  std::vector<SourceRange> lines_; // of the text
};

} // namespace

ast::Program* programOf(const Form& form, const Fields& fields, ast::Builder& builder, SourcePos text) {
  return Writer(form, fields, builder, text).program();
}

} // namespace bsgp::arrays

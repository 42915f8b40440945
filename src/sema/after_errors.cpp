#include "sema/after_errors.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "diag/diagnostics.h"

namespace bsgp::sema {

namespace {

using Names = std::unordered_set<std::string_view>;

// True for an error in an expression or a type, which no code elsewhere in the function can make right.
bool isOfExpression(Diag kind) {
  switch (kind) {
  case Diag::unknown_name:
  case Diag::unknown_function:
  case Diag::unknown_type:
  case Diag::not_included:
  case Diag::implicit_local_here:
  case Diag::cannot_convert:
  case Diag::null_implicit:
  case Diag::not_a_condition:
  case Diag::vector_condition:
  case Diag::bad_operand:
  case Diag::bad_operands:
  case Diag::void_value:
  case Diag::not_assignable:
  case Diag::not_an_lvalue:
  case Diag::const_written:
  case Diag::const_pointee:
  case Diag::const_dropped:
  case Diag::const_field_assigned:
  case Diag::not_a_pointer:
  case Diag::void_pointer:
  case Diag::arrow_on_value:
  case Diag::dot_on_pointer:
  case Diag::no_member:
  case Diag::no_field:
  case Diag::no_method:
  case Diag::bad_swizzle:
  case Diag::not_indexable:
  case Diag::vector_indices:
  case Diag::bad_index:
  case Diag::index_out_of_range:
  case Diag::init_too_long:
  case Diag::address_as_number:
  case Diag::number_as_address:
  case Diag::not_callable:
  case Diag::argument_count:
  case Diag::made_by_function:
  case Diag::no_overload:
  case Diag::format_not_literal:
  case Diag::bad_print_argument:
  case Diag::bad_format:
  case Diag::format_count:
  case Diag::format_mismatch:
  case Diag::copy_types:
  case Diag::bad_spawn_size:
  case Diag::bad_block_size:
  case Diag::bad_spawn_width:
    return true;
  default:
    return false;
  }
}

// True for an error that a declaration in a missing file may resolve.
bool isOfMissing(Diag kind) {
  switch (kind) {
  case Diag::unknown_name:
  case Diag::unknown_function:
  case Diag::unknown_type:
  case Diag::not_included:
  case Diag::implicit_local_here:
  case Diag::no_overload:
  case Diag::bad_operand:
  case Diag::bad_operands:
  case Diag::argument_count:
  case Diag::made_by_function:
  case Diag::no_method:
  case Diag::not_an_operator:
  case Diag::no_identity:
  case Diag::not_callable:
    return true;
  default:
    return false;
  }
}

// True for an error that a declaration in a statement with a syntax error may resolve.
bool isOfMissingLocal(Diag kind) {
  return kind == Diag::unknown_name || kind == Diag::not_included || kind == Diag::implicit_local_here;
}

bool isWord(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c));
}

bool mentions(std::string_view text, const Names& names) {
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && isWord(text[end]))
      ++end;
    if (end > i && names.count(text.substr(i, end - i)))
      return true;
    i = std::max(end, i + 1);
  }
  return false;
}

// Finds the ranges that hold a place, without comparing it with each of them.
class Ranges {
public:
  explicit Ranges(std::vector<SourceRange> ranges) : ranges_(std::move(ranges)) {
    std::sort(ranges_.begin(), ranges_.end(), [](SourceRange a, SourceRange b) { return a.begin < b.begin; });
    for (SourceRange range : ranges_)
      ends_.push_back(ends_.empty() ? range.end : std::max(ends_.back(), range.end));
  }

  bool anyBeginsBefore(SourcePos pos) const { return !ranges_.empty() && ranges_.front().begin <= pos; }

  bool anyHolds(SourcePos pos) const {
    auto after = std::partition_point(ranges_.begin(), ranges_.end(), [&](SourceRange r) { return r.begin <= pos; });
    return after != ranges_.begin() && ends_[after - ranges_.begin() - 1] > pos;
  }

private:
  std::vector<SourceRange> ranges_; // by their beginning
  std::vector<SourcePos> ends_;     // the last end so far
};

// A broken part of the text, prepared for queries about many messages.
struct Part {
  explicit Part(const ast::Broken& broken)
      : range(broken.range), lost(broken.lost), errors({broken.errors.begin(), broken.errors.end()}),
        in_doubt(broken.in_doubt.begin(), broken.in_doubt.end()) {}

  bool holds(SourcePos pos) const { return range.begin <= pos && pos < range.end; }

  bool isSure(const Diagnostic& message) const {
    SourcePos at = message.range.begin;
    bool missing = isOfMissingLocal(message.kind) && errors.anyBeginsBefore(at);
    return !lost && isOfExpression(message.kind) && !missing && !errors.anyHolds(at);
  }

  SourceRange range;
  bool lost;
  Ranges errors;
  Names in_doubt;
};

class Filter {
public:
  Filter(const ast::Program& tree, const SourceManager& sources)
      : tree_(tree), sources_(sources), parts_(tree.broken.begin(), tree.broken.end()) {
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const Part& a, const Part& b) { return a.range.begin < b.range.begin; });
    in_doubt_.insert(tree.in_doubt.begin(), tree.in_doubt.end());
    for (const ast::TopLevel& item : tree.items)
      if (item.kind == ast::TopLevel::Function)
        doubtDeduced(item.as<ast::Function>());
  }

  bool isSure(const Diagnostic& message) const {
    if (message.severity != Severity::Error || !message.range.valid() || isInDoubt(message, in_doubt_))
      return false;
    if (tree_.incomplete && isOfMissing(message.kind))
      return false;
    return !anyHolding(message.range.begin,
                       [&](const Part& part) { return !part.isSure(message) || isInDoubt(message, part.in_doubt); });
  }

private:
  // Parts that begin later end later, too (several may begin at the same place).
  template <class Test> bool anyHolding(SourcePos pos, Test test) const {
    auto part = std::partition_point(parts_.begin(), parts_.end(), [&](const Part& p) { return p.range.end <= pos; });
    for (; part != parts_.end() && part->holds(pos); ++part)
      if (test(*part))
        return true;
    return false;
  }

  // The result of a function is deduced from its body, unless it is written.
  void doubtDeduced(const ast::Function& f) {
    bool deduced = !f.result || f.result->kind == ast::TypeExpr::Auto;
    if (anyHolding(f.range.begin, [&](const Part& part) { return deduced || part.lost; }))
      in_doubt_.insert(f.name);
  }

  bool isInDoubt(const Diagnostic& message, const Names& names) const {
    if (names.empty())
      return false;
    std::string_view file = sources_.text(message.range.begin);
    SourcePos start = sources_.begin(message.range.begin);
    std::string_view code = file.substr(message.range.begin - start, message.range.end - message.range.begin);
    return mentions(code, names) || mentions(message.message, names);
  }

  const ast::Program& tree_;
  const SourceManager& sources_;
  std::vector<Part> parts_; // in the order of the text
  Names in_doubt_;          // everywhere
};

} // namespace

void analyzeBroken(const ast::Program& tree, const Options& options, Diagnostics& diagnostics) {
  Diagnostics all(diagnostics.sources());
  Options without_main = options;
  without_main.need_main = false;
  analyze(tree, without_main, all);
  Filter filter(tree, diagnostics.sources());
  bool told = false; // the message that the next notes belong to was reported
  for (const Diagnostic& message : all.all()) {
    if (message.severity != Severity::Note)
      told = filter.isSure(message);
    if (told)
      diagnostics.put(message);
  }
}

} // namespace bsgp::sema

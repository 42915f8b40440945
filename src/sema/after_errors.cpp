#include "sema/after_errors.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "diag/diagnostics.h"

namespace bsgp::sema {

namespace {

using Names = std::unordered_set<std::string_view>;

// Of an expression or a type; what stands elsewhere makes no such thing right.
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

// What a file that is missing may declare.
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
  case Diag::no_method:
  case Diag::not_an_operator:
  case Diag::no_identity:
  case Diag::not_callable:
    return true;
  default:
    return false;
  }
}

// What a statement that was not understood may declare.
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

class Filter {
public:
  Filter(const ast::Program& tree, const SourceManager& sources) : tree_(tree), sources_(sources) {
    in_doubt_.insert(tree.in_doubt.begin(), tree.in_doubt.end());
    for (const ast::TopLevel& item : tree.items)
      if (item.kind == ast::TopLevel::Function)
        doubtDeduced(item.as<ast::Function>());
    for (const ast::Broken& broken : tree.broken)
      names_.emplace_back(broken.in_doubt.begin(), broken.in_doubt.end());
  }

  bool isSure(const Diagnostic& message) const {
    if (message.severity != Severity::Error || !message.range.valid() || isInDoubt(message, in_doubt_))
      return false;
    if (tree_.incomplete && isOfMissing(message.kind))
      return false;
    for (size_t i = 0; i < tree_.broken.size(); ++i)
      if (holds(tree_.broken[i], message.range) && (!isSure(message, tree_.broken[i]) || isInDoubt(message, names_[i])))
        return false;
    return true;
  }

private:
  static bool isSure(const Diagnostic& message, const ast::Broken& broken) {
    if (broken.lost || !isOfExpression(message.kind))
      return false;
    return std::none_of(broken.errors.begin(), broken.errors.end(), [&](SourceRange error) {
      bool behind = message.range.begin >= error.begin, within = behind && message.range.begin < error.end;
      return within || (behind && isOfMissingLocal(message.kind));
    });
  }

  static bool holds(const ast::Broken& broken, SourceRange range) {
    return range.begin >= broken.range.begin && range.begin < broken.range.end;
  }

  // The result of a function is found in its body, unless it is written.
  void doubtDeduced(const ast::Function& f) {
    bool deduced = !f.result || f.result->kind == ast::TypeExpr::Auto;
    for (const ast::Broken& broken : tree_.broken)
      if (holds(broken, f.range) && (deduced || broken.lost))
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
  Names in_doubt_;           // everywhere
  std::vector<Names> names_; // of each broken part
};

} // namespace

void analyzeBroken(const ast::Program& tree, const Options& options, Diagnostics& diagnostics) {
  Diagnostics all(diagnostics.sources());
  Options without_main = options;
  without_main.need_main = false;
  analyze(tree, without_main, all);
  Filter filter(tree, diagnostics.sources());
  bool told = false; // the message that the next notes belong to
  for (const Diagnostic& message : all.all()) {
    if (message.severity != Severity::Note)
      told = filter.isSure(message);
    if (told)
      diagnostics.put(message);
  }
}

} // namespace bsgp::sema

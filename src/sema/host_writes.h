// Threads that assign to a host variable want a reduction: one value of all threads. This says which.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sema/constructs.h"
#include "sema/program.h"
#include "support/source.h"

namespace bsgp::sema {

// An assignment (or ++, --) in device code, and the control flow around it in which threads part.
struct HostWrite {
  const ast::Expr* write;
  const ast::Expr* condition = nullptr; // of the one `if` around it that holds there; null: none, or more is around it
  std::optional<Construct> construct{}; // the innermost
  bool in_loop = false;                 // of the spawn
  const char* reduction = nullptr;  // the operator that makes one of the threads' numbers; null: these are no numbers
  const ast::Expr* asked = nullptr; // all(x), any(x) of each thread's truth: its x
  std::string wider{};              // the type of the place, where sums of the values' own type are too narrow for it
};

// The help for a write to `place`, an element of a host array that each thread chooses: keep the array in device memory.
std::string deviceMemoryFor(const HostWrite& write, const Expr& place, const SourceManager& sources);

std::string reductionFor(const HostWrite& write, const SourceManager& sources);

constexpr const char* kOtherPlaces =
    "use a variable of the thread or device memory; a 'require' assigns what the host knows, as peek(p, 0)";
// In an expression: y = total += x; out[count++] = x.
constexpr const char* kSums =
    "one value of all threads is a reduction, in a statement of its own: total += reduce(+, x)";
constexpr const char* kPlacesOfSome =
    "how many threads there are is a reduction, count += reduce(+, x); what some of them "
    "have is gathered by compact(list, x, condition, LIST_APPEND)";

} // namespace bsgp::sema

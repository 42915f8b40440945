#include "runtime/failure.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace bsgp::runtime {

std::string formatted(const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text(length > 0 ? size_t(length) : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

std::string errorAt(const bsgp_site* site) {
  if (!site || !site->file)
    return "error: ";
  if (site->line == 0)
    return formatted("%s: error: ", site->file);
  return formatted("%s:%u:%u: error: ", site->file, site->line, site->column);
}

std::string failureMessage(uint32_t kind, int64_t rank, const bsgp_site* site) {
  std::string text = errorAt(site);
  std::string where = rank >= 0 ? formatted(" at rank %" PRId64, rank) : "";
  switch (kind) {
  case BSGP_FAIL_ASSERT:
    text += "assertion failed" + where;
    return site && site->text ? text + ": " + site->text : text;
  case BSGP_FAIL_DIVIDE:
    return text + "integer division by zero" + where + "\n  help: test the divisor before dividing";
  case BSGP_FAIL_RECURSION:
    return text + "recursion too deep" + where +
           ": the stack is used up\n  help: end the recursion earlier, write it as a loop, or raise the stack limit "
           "(ulimit -s)";
  case BSGP_FAIL_MEMORY:
    return text + formatted("cannot allocate %" PRId64 " bytes for the arrays of the threads that a processor runs at "
                            "the same time\n  help: make their private or shared arrays smaller, or say width(1)",
                            rank);
  }
  return text + formatted("failure %u", kind) + where;
}

} // namespace bsgp::runtime

extern "C" void bsgp_rt_device_fail(const bsgp_launch* launch, uint32_t failure_kind, int64_t rank,
                                    const bsgp_site* site) {
  bsgp_failure* failure = launch->failure;
  uint32_t none = 0;
  if (!failure || failure->state.load(std::memory_order_relaxed) != 0 ||
      !failure->state.compare_exchange_strong(none, 1, std::memory_order_relaxed))
    return;
  failure->kind = failure_kind;
  failure->rank = rank;
  failure->site = site;
}

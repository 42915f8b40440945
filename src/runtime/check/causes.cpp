#include "runtime/check/causes.h"

#include <cinttypes>

#include "runtime/failure.h"

namespace bsgp::runtime::check {
namespace {

bool isRank(const Finding& finding) {
  return finding.value >= 0 && finding.value < finding.who.threads;
}

// The rank of the thread.get that has brought the value is known: the get is the only cause, or none.
void lookAtRank(std::vector<Cause>& causes, const Finding& finding) {
  if (isRank(finding)) {
    causes.erase(causes.begin());
    return;
  }
  causes.resize(1);
  causes[0].rank = finding.value;
}

std::string ofGet(const Cause& cause, bool is_only) {
  if (cause.rank)
    return formatted("thread.get of no rank (%" PRId64 ") here", *cause.rank);
  return is_only ? "thread.get of no rank here" : "perhaps thread.get of no rank here";
}

} // namespace

std::vector<Cause> causesOf(const Finding& finding) {
  const bsgp_check_site& site = *finding.site;
  std::vector<Cause> causes;
  for (const Place& copy : finding.copied)
    causes.push_back({copy, "", kCauseCopy, finding.copied.size() == 1, {}});
  if (finding.what != What::Value || finding.value_kind != BSGP_VALUE_UNDEFINED || finding.allocation || !site.causes)
    return causes;
  for (const bsgp_check_cause* cause = site.causes; cause->at; ++cause)
    causes.push_back({placeOf(cause->at), cause->name ? cause->name : "", cause->kind, cause->is_sure != 0, {}});
  if (site.flags & BSGP_SITE_ASKED)
    lookAtRank(causes, finding);
  return causes;
}

std::string sentenceOf(const Cause& cause, bool is_only) {
  bool is_it = is_only && cause.is_sure;
  switch (cause.kind) {
  case BSGP_CAUSE_GET:
    return ofGet(cause, is_it);
  case kCauseCopy:
    return is_it ? "the copy was made here" : "perhaps the copy was made here";
  case BSGP_CAUSE_READ:
    return is_it ? "it was read from memory here" : "perhaps it was read from memory here";
  case BSGP_CAUSE_SHUFFLE:
    return std::string(is_it ? "" : "perhaps ") + "the warp has no thread at the place that is asked for here";
  case BSGP_CAUSE_RESULT:
    return (cause.name.empty() ? "a function" : cause.name) + " is declared here, and " +
           (is_it ? "returns nothing on this way" : "does not return something on every way");
  default:
    return cause.name + " is declared here, " + (is_it ? "and nothing sets it on this way" : "without a value");
  }
}

} // namespace bsgp::runtime::check

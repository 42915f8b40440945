#include "sema/host_locals.h"

#include <algorithm>
#include <utility>

#include "sema/host_facts.h"

namespace bsgp::sema {

namespace {

using Local = HostFacts::Local;
using Flow = HostFacts::Flow;
using Jump = HostFacts::Jump;

bool isInHostFlow(const HostFacts& facts, const Local& local) {
  return std::all_of(local.flows.begin(), local.flows.end(), [&](size_t flow) {
    for (; flow && facts.flows[flow].host; flow = facts.flows[flow].around) {
    }
    return !flow;
  });
}

// Gives the host a local that its control flow changes, if no more control flow becomes the host's by that: else
// the local would cross its barriers in a stream.
bool wantWhatGoesRound(HostFacts& facts) {
  std::vector<std::vector<size_t>> users(facts.locals.size());
  std::vector<size_t> others; // locals that are not the host's
  for (size_t i = 0; i < facts.locals.size(); ++i) {
    Local& local = facts.locals[i];
    bool may_be = !local.declaration || (!local.barred && !local.of_thread && isInHostFlow(facts, local));
    local.known = local.number && (local.of_host || local.wanted || (local.known && may_be));
    if (!local.known)
      others.push_back(i);
    for (size_t source : local.sources)
      users[source].push_back(i);
  }
  while (!others.empty()) {
    size_t other = others.back();
    others.pop_back();
    for (size_t user : users[other])
      if (Local& local = facts.locals[user]; !local.of_host && !local.wanted && std::exchange(local.known, false))
        others.push_back(user);
  }
  bool found = false;
  for (Local& local : facts.locals) {
    bool goes_round =
        std::any_of(local.flows.begin(), local.flows.end(), [&](size_t flow) { return flow != local.flows.front(); });
    if (local.declaration && local.known && goes_round)
      found |= !std::exchange(local.wanted, true);
  }
  return found;
}

// If the host needs a local, it needs the sources of its values, and the control flow around its assignments.
void needSources(HostFacts& facts) {
  for (bool more = true; std::exchange(more, false);) {
    auto claim = [&](size_t flow, std::string_view assigned) {
      for (; flow && !facts.flows[flow].host; flow = facts.flows[flow].around) {
        facts.flows[flow].host = more = true;
        facts.flows[flow].assigns = assigned;
      }
    };
    for (const Jump& jump : facts.jumps) {
      bool leaves = facts.flows[jump.to].host;
      for (size_t flow = jump.at; !jump.to && flow; flow = facts.flows[flow].around)
        leaves |= facts.flows[flow].host;
      leaves |= jump.followed && !facts.flows[jump.at].in_thread; // else it would be an error
      if (leaves)
        claim(jump.at, "");
    }
    for (const Flow& flow : facts.flows)
      for (size_t source : flow.sources)
        if (flow.host && !std::exchange(facts.locals[source].wanted, true))
          more = true;
    more |= wantWhatGoesRound(facts);
    for (const Local& local : facts.locals) {
      if (local.of_thread || !(local.wanted || local.isReturned()))
        continue;
      for (size_t flow : local.flows)
        if (local.wanted && local.declaration)
          claim(flow, local.name);
      for (size_t i : local.sources) {
        Local& source = facts.locals[i];
        more |= (local.wanted && !source.wanted) || (local.isReturned() && !source.returned);
        source.wanted |= local.wanted, source.returned |= local.isReturned();
      }
    }
  }
}

// A value made of a thread's own value is a thread's own, and so is a variable assigned at a place that only some
// threads reach.
void spreadThreads(HostFacts& facts) {
  for (bool more = true; std::exchange(more, false);) {
    auto set = [&](bool& flag, bool value) {
      more |= value && !flag;
      flag |= value;
    };
    for (size_t i = 1; i < facts.flows.size(); ++i) {
      for (size_t source : facts.flows[i].sources)
        set(facts.flows[i].of_thread, facts.locals[source].of_thread);
      set(facts.flows[i].in_thread, facts.flows[i].of_thread || facts.flows[facts.flows[i].around].in_thread);
    }
    for (const Jump& jump : facts.jumps) {
      bool alone = false;
      for (size_t flow = jump.at; flow && flow != jump.to; flow = facts.flows[flow].around)
        alone |= facts.flows[flow].of_thread;
      for (size_t flow = jump.to ? jump.to : jump.at; alone && flow; flow = jump.to ? 0 : facts.flows[flow].around) {
        if (jump.to && !facts.flows[flow].of_thread)
          facts.flows[flow].parted_by = jump.stmt;
        set(facts.flows[flow].of_thread, true);
      }
    }
    for (Local& local : facts.locals) {
      if (!local.declaration)
        continue;
      set(local.of_thread, local.barred);
      for (size_t source : local.sources)
        set(local.of_thread, facts.locals[source].of_thread);
      for (size_t flow : local.flows)
        set(local.of_thread, facts.flows[flow].in_thread);
    }
  }
}

void decide(const ast::Function& function, HostFacts& facts, HostLocals& found) {
  spreadThreads(facts);
  needSources(facts);
  found.parameters.resize(function.params.size());
  for (size_t i = 0; i < function.params.size(); ++i)
    found.parameters[i] = facts.locals[i].wanted;
  for (size_t i = 0; i < facts.locals.size(); ++i) {
    const Local& local = facts.locals[i];
    bool needed = local.wanted || (local.isReturned() && i >= function.params.size());
    bool by_threads = local.barred || (local.changed && local.of_thread);
    if (needed && local.declaration && !by_threads && isInHostFlow(facts, local))
      found.declarations.insert(local.declaration);
  }
  for (const Flow& flow : facts.flows) {
    if (flow.host && !flow.in_thread)
      found.flow.emplace(flow.stmt, flow.assigns);
    if (flow.parted_by)
      found.parted.emplace(flow.stmt, flow.parted_by->range);
  }
  found.threads = std::move(facts.barred_at);
  found.gives_threads = facts.gives_threads || std::ranges::any_of(facts.locals, [](const Local& local) {
                          return local.returned && local.of_thread;
                        });
}

} // namespace

const HostLocals& hostLocals(Sema& sema, const ast::Function& function) {
  auto [it, fresh] = sema.texts.host_locals.try_emplace(&function);
  if (fresh) { // recursion ends at the entry
    HostFacts facts = hostFactsOf(sema, function);
    decide(function, facts, it->second);
  }
  return it->second;
}

} // namespace bsgp::sema

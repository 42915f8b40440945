// Small graphs of one form that are evaluated again and again, as by the loop of a program that reads its arrays in each iteration: they are
// scheduled once. A form is all of a graph but the values of its computed arrays.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>

#include "arrays/engine.h"

namespace bsgp::arrays {

class KnownForms {
public:
  // A graph that is one kernel, with new arrays in place of those that it was scheduled with.
  struct Known {
    std::vector<NodeRef> slots, outputs;
    Bound bound;
  };
  struct Found {
    Known* known;
    std::vector<NodeRef> leaves; // for its slots
  };
  // Nothing: the form is new, or it is one that is not kept. What is found lives until the next call. The caller holds the engine's lock.
  std::optional<Found> find(std::span<Node* const> wanted, bool fuse);

private:
  struct Entry {
    std::vector<uint64_t> words;
    bool is_kept = true; // a graph of several kernels is not: others may want what these store
    std::unique_ptr<Known> known;
  };
  std::unordered_map<uint64_t, Entry> entries_;
};

} // namespace bsgp::arrays

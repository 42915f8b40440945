// Streams for the values of a graph of supersteps.
//
// The values are in SSA form: a value begins once, and that comes before all places where it lives. So the graph of who
// lives beside whom is chordal, and giving each value, in the order in which they begin, a stream that none of those has
// that live there needs no more streams than values live at one time [Hack, Grund, Goos 2006: Register allocation for
// programs in SSA form].
#include <algorithm>
#include <set>
#include <tuple>

#include "bsp/stream_sharing.h"

namespace bsgp::bsp {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

class Colouring {
public:
  explicit Colouring(std::span<const Life> values) : values_(values) {
    sharing_.stream.assign(values.size(), kNone);
    for (uint32_t i = 0; i < values.size(); ++i)
      for (Lifetime part : values[i].parts)
        events_.push_back({part.start, part.end, i});
    std::sort(events_.begin(), events_.end(), [&](const Event& a, const Event& b) { return key(a) < key(b); });
  }

  Sharing run() {
    for (const Event& event : events_) {
      release(event.start);
      uint32_t& stream = sharing_.stream[event.value];
      if (stream == kNone)
        stream = choose(values_[event.value]);
      free_.erase(stream);
      living_.insert({event.end, stream});
    }
    return sharing_;
  }

private:
  struct Event {
    uint32_t start, end, value;
  };

  // At one time, what lives on from before comes first: it has its stream.
  std::tuple<uint32_t, bool, uint32_t> key(const Event& event) const {
    bool begins = values_[event.value].parts.front().start == event.start;
    return {event.start, begins, event.value};
  }

  void release(uint32_t now) {
    while (!living_.empty() && living_.begin()->first < now) {
      free_.insert(living_.begin()->second);
      living_.erase(living_.begin());
    }
  }

  uint32_t choose(const Life& value) {
    for (uint32_t other : value.alike)
      if (free_.contains(sharing_.stream[other]))
        return sharing_.stream[other];
    if (!free_.empty())
      return *free_.begin();
    return sharing_.count++;
  }

  std::span<const Life> values_;
  std::vector<Event> events_;
  std::set<uint32_t> free_;
  std::set<std::pair<uint32_t, uint32_t>> living_; // until when, a stream
  Sharing sharing_;
};

} // namespace

Sharing colourStreams(std::span<const Life> values) {
  return Colouring(values).run();
}

} // namespace bsgp::bsp

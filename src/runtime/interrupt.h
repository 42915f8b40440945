// Ends long work early when the program around asks for it: bsgp_set_interrupt. Where nobody has set a function, each of these costs a
// load or a decrement.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "support/result.h"

namespace bsgp::runtime {

class Interrupt;

// The function that was set, and the innermost piece of work of this thread; inline, for a small launch takes some tens of ns.
extern std::atomic<int (*)()> asked_for_end;
extern thread_local constinit Interrupt* innermost_interrupt [[gnu::tls_model("initial-exec")]];

// Work of this thread, from here to its end, that may stay undone: a launch, a kernel of arrays. The threads that help it look at
// isEnded before they take a part; its own thread asks behind each part.
class Interrupt {
public:
  Interrupt() : is_on_(asked_for_end.load(std::memory_order_relaxed) != nullptr) {
    if (is_on_) [[unlikely]]
      outer_ = std::exchange(innermost_interrupt, this);
  }
  ~Interrupt() {
    if (is_on_) [[unlikely]]
      innermost_interrupt = outer_;
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // The innermost of this thread; null: none, or nobody has set a function.
  static Interrupt* current() { return asked_for_end.load(std::memory_order_relaxed) ? innermost_interrupt : nullptr; }
  bool isEnded() const { return is_ended_.load(std::memory_order_relaxed); }
  bool ask(); // on its own thread: whether it is ended

private:
  const bool is_on_;
  std::atomic<bool> is_ended_{false};
  Interrupt* outer_ = nullptr;
};

// Whether what this thread does between such pieces of work has to end. It asks once in 50 ms at most.
bool asksToEnd();

// Covers [0, count) in order by calls of body, each of about 5 ms; false: it was ended.
bool runInSteps(Interrupt& interrupt, int64_t count, void (*body)(const void* context, int64_t first, int64_t end),
                const void* context);

// Counts launches and iterations: short ones are not asked behind each time.
class Looks {
public:
  bool isDue() { return --left_ == 0; }
  bool askToEnd(); // when it is due

private:
  static constexpr uint32_t kFewest = 8, kMost = 64;
  uint32_t left_ = kFewest, every_ = kFewest;
  int64_t at_ = 0;
};

Error interruption();

} // namespace bsgp::runtime

// Threads for the hand-written peers: one for each processor, pinned, spinning a while before they sleep. The caller is
// one of them; the thread pinned to the processor where it runs stays out.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace bench {

class Team {
public:
  Team();
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  unsigned size() const { return size_; }

  // Calls function(member) for the members 0 .. size()-1, all at the same time.
  template <class Function> void run(const Function& function) {
    start([](const void* f, unsigned member) { (*static_cast<const Function*>(f))(member); }, &function);
  }
  // Waits for all members, inside run.
  void sync();

  // function(begin, end) on pieces of [0, n), claimed by whoever is free; alone when there is only one.
  template <class Function> void pieces(size_t n, size_t piece, const Function& function) {
    if (n <= piece)
      return function(size_t(0), n);
    std::atomic<size_t> next{0};
    run([&](unsigned) {
      for (size_t begin; (begin = next.fetch_add(piece, std::memory_order_relaxed)) < n;)
        function(begin, begin + piece < n ? begin + piece : n);
    });
  }

private:
  using Body = void (*)(const void* function, unsigned member);
  struct alignas(64) Worker {
    std::atomic<uint32_t> bell{0};
    unsigned member = 0;
    int cpu = 0;
    std::thread thread;
  };

  void start(Body body, const void* function);
  void serve(Worker& self);

  unsigned size_ = 1;
  std::vector<std::unique_ptr<Worker>> workers_;
  Body body_ = nullptr;
  const void* function_ = nullptr;
  bool stop_ = false;
  alignas(64) std::atomic<unsigned> done_{0};
  alignas(64) std::atomic<unsigned> arrived_{0};
  alignas(64) std::atomic<unsigned> phase_{0};
};

// The part of [0, n) of one of `parts`, its ends at multiples of 16.
struct Part {
  size_t begin, end;
  Part(size_t n, unsigned index, unsigned parts) : begin(bound(n, index, parts)), end(bound(n, index + 1, parts)) {}

private:
  static size_t bound(size_t n, unsigned index, unsigned parts) {
    return index == parts ? n : n * index / parts / 16 * 16;
  }
};

} // namespace bench

// N elements in place, more on the heap: plans and launches are small. They are not initialized.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace bsgp::runtime {

template <class T, size_t N> class Few {
public:
  explicit Few(size_t count) {
    if (count > N)
      heap_ = std::make_unique<T[]>(count);
  }
  T& operator[](size_t i) { return heap_ ? heap_[i] : here_[i]; }
  T* data() { return heap_ ? heap_.get() : here_.data(); }

private:
  std::array<T, N> here_;
  std::unique_ptr<T[]> heap_;
};

} // namespace bsgp::runtime

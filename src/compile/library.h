// The standard library as it stands before every program: built in, parsed once for each kind of target.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "parse/prelude.h"

namespace bsgp::compile {

// From any thread.
class Library {
public:
  Library();

  const Prelude& prelude(bool gpu) const; // parsed when it is first asked for
  const std::vector<LibraryFile>& includes() const { return includes_; }
  // The file that declares a name and is read by #include alone; empty: none does.
  std::string includeOf(std::string_view name) const;
  unsigned preludesParsed() const { return parsed_; }

private:
  // No std::call_once: where memory runs out inside of it, the C library ends the process.
  struct Once {
    std::mutex mutex;
    std::optional<Prelude> prelude;
  };
  std::vector<LibraryFile> includes_;
  std::unordered_map<std::string_view, std::string_view> include_of_;
  mutable std::array<Once, 2> preludes_; // for CPUs, for GPUs
  mutable std::atomic<unsigned> parsed_ = 0;
};

} // namespace bsgp::compile

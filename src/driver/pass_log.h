// --time-passes and --print-after: prints the time of each phase and pass, and the module after it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace llvm {
class Module;
}

namespace bsgp::driver {

class PassLog {
public:
  PassLog(bool times, std::string print_after) : times_(times), print_after_(std::move(print_after)) {}

  bool wanted() const { return times_ || !print_after_.empty(); }
  std::function<void(std::string_view, const llvm::Module*)> hook();
  void passed(std::string_view pass, const llvm::Module* module);
  // The table, longest first, to stderr; also says when --print-after named a pass that never ran.
  void finish() const;

private:
  using Clock = std::chrono::steady_clock;
  bool times_;
  std::string print_after_;
  bool printed_ = false;
  Clock::time_point last_ = Clock::now();
  std::vector<std::pair<std::string, double>> rows_; // milliseconds
};

} // namespace bsgp::driver

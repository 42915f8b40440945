#include "driver/pass_log.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "runtime/output.h"

namespace bsgp::driver {

std::function<void(std::string_view, const llvm::Module*)> PassLog::hook() {
  if (!wanted())
    return {};
  return [this](std::string_view pass, const llvm::Module* module) { passed(pass, module); };
}

void PassLog::passed(std::string_view pass, const llvm::Module* module) {
  double ms = std::chrono::duration<double, std::milli>(Clock::now() - last_).count();
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](auto& r) { return r.first == pass; });
  if (row == rows_.end())
    rows_.emplace_back(pass, ms);
  else
    row->second += ms;
  if (pass == print_after_ && module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, nullptr);
    runtime::print(text);
    printed_ = true;
  }
  last_ = Clock::now();
}

void PassLog::finish() const {
  if (times_) {
    auto rows = rows_;
    double total = 0;
    for (auto& row : rows)
      total += row.second;
    std::stable_sort(rows.begin(), rows.end(), [](auto& a, auto& b) { return a.second > b.second; });
    std::string out = fmt::format("{:>10}  {:>6}  pass\n", "ms", "share");
    for (auto& [name, ms] : rows)
      out += fmt::format("{:>10.2f}  {:>5.1f}%  {}\n", ms, total > 0 ? ms / total * 100 : 0, name);
    out += fmt::format("{:>10.2f}          total\n", total);
    std::fputs(out.c_str(), stderr);
  }
  if (!print_after_.empty() && !printed_) {
    std::string known;
    for (auto& row : rows_)
      known += (known.empty() ? "" : ", ") + row.first;
    std::fprintf(stderr, "bsgpc: warning: no module after a pass named '%s'; the passes were: %s\n",
                 print_after_.c_str(), known.c_str());
  }
}

} // namespace bsgp::driver

// Reads back what `emit plan` prints of programs, for a CPU and for a GPU, and compares. plan_round_trip FILE.bsgp...
#include <cstdio>
#include <string>

#include "compile/on_deep_stack.h"
#include "compile/session.h"
#include "plan/parse.h"

namespace {

using namespace bsgp;

// Empty: the plans come back as they were.
std::string differenceIn(const std::vector<plan::Plan>& plans) {
  std::string text;
  for (const plan::Plan& plan : plans)
    text += plan::text(plan) + "\n";
  Result<std::vector<plan::Plan>> parsed = plan::parse(text);
  if (!parsed)
    return parsed.message() + " of\n" + text;
  if (parsed->size() != plans.size())
    return std::to_string(parsed->size()) + " plans of " + std::to_string(plans.size()) + " come back from\n" + text;
  for (size_t i = 0; i < plans.size(); ++i)
    if ((*parsed)[i] != plans[i])
      return "another plan comes back from\n" + plan::text(plans[i]) + "it is\n" + plan::text((*parsed)[i]);
  return {};
}

class RoundTrip {
public:
  void program(const std::string& path, bool gpu) {
    compile::Options options;
    options.target = gpu ? compile::Target::Gpu : compile::Target::Cpu;
    options.verify = false; // other tests do
    Result<compile::Text> text = compile::readText(path);
    if (!text)
      return fail(path, text.message());
    auto pipeline = compile::Session::ofProcess().begin(text.take(), options);
    if (!pipeline->all())
      return fail(path, pipeline->diagnostics().render());
    const std::vector<plan::Plan>& plans = pipeline->kernels().plans;
    ++programs_, plans_ += plans.size();
    if (std::string difference = differenceIn(plans); !difference.empty())
      fail(path, difference);
  }

  bool finish() const {
    std::printf("%zu plans of %zu programs come back\n", plans_, programs_);
    return programs_ > 0 && !failed_;
  }

private:
  void fail(const std::string& path, const std::string& reason) {
    std::printf("%s: %s\n", path.c_str(), reason.c_str());
    failed_ = true;
  }

  size_t programs_ = 0, plans_ = 0;
  bool failed_ = false;
};

} // namespace

int main(int argc, char** argv) {
  RoundTrip trip;
  bool done = compile::onDeepStack(compile::kUnknownBytes, [&] {
    for (int i = 1; i < argc; ++i)
      for (bool gpu : {false, true})
        trip.program(argv[i], gpu);
  });
  return done && trip.finish() ? 0 : 1;
}

// The text form of Plans, read back, line by line: a spawn, its host frame, supersteps with their steps, labels between
// them. What stands where is as text.cpp writes it; blanks do not matter, but that slots and steps have some in front.
#include "plan/parse.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "plan/words.h"

namespace bsgp::plan {
namespace {

class Parser {
public:
  Result<std::vector<Plan>> run(std::string_view text) {
    for (uint32_t number = 1; !text.empty(); ++number) {
      size_t length = std::min(text.find('\n'), text.size());
      LineReader line(text.substr(0, length));
      text.remove_prefix(std::min(length + 1, text.size()));
      if (!line.atEnd())
        readLine(line);
      line.end();
      if (!line.failure().empty())
        return Error{fmt::format("line {}, column {}: {}", number, line.column(), line.failure())};
      last_line_ = number;
    }
    if (std::string missing = finishPlan(); !missing.empty())
      return Error{fmt::format("line {}, column 1: {}", last_line_, missing)};
    return std::move(plans_);
  }

private:
  enum class Part { None, Frame, Steps };

  // ---- lines

  void readLine(LineReader& line) {
    if (!line.indented() && line.eat("spawn"))
      return beginPlan(line);
    if (plans_.empty())
      return line.fail("a plan begins with 'spawn'");
    if (line.indented())
      return readPart(line);
    if (line.eat("host frame"))
      beginFrame(line);
    else if (line.eat("superstep"))
      readSuperstep(line);
    else if (line.atLabel())
      readLabel(line);
    else
      line.fail("here stands 'spawn', 'host frame', 'superstep', a label, or, behind blanks, a part of one");
  }

  void readPart(LineReader& line) {
    if (part_ == Part::Frame)
      readSlot(line);
    else if (part_ == Part::Steps)
      readStep(line);
    else
      line.fail("neither 'host frame' nor 'superstep' stands before");
  }

  void beginFrame(LineReader& line) {
    if (part_ != Part::None)
      return line.failBefore("the host frame stands once, behind 'spawn'");
    part_ = Part::Frame;
  }

  void beginPlan(LineReader& line) {
    if (std::string missing = finishPlan(); !missing.empty())
      return line.failBefore(missing);
    said_.clear();
    Plan& plan = plans_.emplace_back();
    plan.name = line.word("a name");
    plan.site = readSiteInParentheses(line);
    while (line.eat(","))
      readProperty(line, plan);
  }

  static Site readSiteInParentheses(LineReader& line) {
    if (!line.eat("("))
      return {};
    Site site = line.site();
    line.need(")");
    return site;
  }

  // A property, which a plan or a superstep has once.
  bool eatOnce(LineReader& line, const char* words, const char* property) {
    if (!line.eat(words))
      return false;
    if (!said_.insert(property).second)
      line.failBefore(fmt::format("'{}' stands twice", property));
    return true;
  }

  void readProperty(LineReader& line, Plan& plan) {
    if (eatOnce(line, "rank i32", "rank"))
      plan.rank_bits = 32;
    else if (eatOnce(line, "rank i64", "rank"))
      plan.rank_bits = 64;
    else if (eatOnce(line, "block", "block"))
      plan.block = line.number("a number of threads");
    else if (eatOnce(line, "width", "width"))
      plan.width = line.number("a number of threads");
    else if (eatOnce(line, "thread.size at", "thread.size"))
      plan.size_offset = line.number("an offset");
    else if (eatOnce(line, "decision at", "decision"))
      plan.decision_offset = line.number("an offset");
    else if (eatOnce(line, "symbol", "symbol"))
      plan.symbol = line.word("a name");
    else
      line.fail(
          "here stands 'rank i32', 'rank i64', 'block N', 'width N', 'thread.size at N', 'decision at N' or 'symbol "
          "NAME'");
  }

  void readSlot(LineReader& line) {
    Plan& plan = plans_.back();
    FrameSlot slot{line.word("a name"), 0, 0};
    if (line.eat("#") && line.number("the slot's number") != plan.slots.size())
      line.failBefore(fmt::format("this is slot {}", plan.slots.size()));
    slot.bytes = line.number("a number of bytes");
    line.need("bytes at");
    slot.offset = line.number("an offset");
    slots_[slot.name].push_back(uint32_t(plan.slots.size()));
    plan.slots.push_back(std::move(slot));
  }

  void readSuperstep(LineReader& line) {
    Plan& plan = plans_.back();
    part_ = Part::Steps;
    uint32_t number = line.number("a number");
    if (number != plan.supersteps.size() + 1)
      return line.failBefore(fmt::format("superstep {} is next", plan.supersteps.size() + 1));
    said_.clear();
    plan.steps.push_back({Step::Superstep, number, readSiteInParentheses(line)});
    Superstep& superstep = plan.supersteps.emplace_back();
    while (line.eat(","))
      readProperty(line, superstep);
  }

  void readProperty(LineReader& line, Superstep& superstep) {
    if (eatOnce(line, "ranks reassigned", "ranks reassigned")) {
      superstep.reassigned = true;
      return;
    }
    if (eatOnce(line, "then", "then"))
      return readNext(line, superstep);
    bool several = eatOnce(line, "lines", "line");
    if (!several && !eatOnce(line, "line", "line"))
      return line.fail("here stands 'line N', 'lines N-N', 'ranks reassigned' or 'then N'");
    superstep.first_line = superstep.last_line = line.number("a line");
    if (several) {
      line.need("-");
      superstep.last_line = line.number("a line");
    }
    if (superstep.first_line == 0 || superstep.last_line < superstep.first_line)
      line.failBefore("lines are counted from 1, and the last one is none before the first");
  }

  static void readNext(LineReader& line, Superstep& superstep) {
    do {
      bool ends = line.eat("the end");
      uint32_t number = ends ? 0 : line.number("a superstep's number");
      if (!ends && number == 0)
        line.failBefore("supersteps are counted from 1");
      superstep.next.push_back(number);
    } while (line.eat("or"));
  }

  // ---- labels

  void readLabel(LineReader& line) {
    uint32_t number = line.label();
    if (!labels_.try_emplace(number, uint32_t(plans_.back().steps.size())).second)
      line.failBefore(fmt::format("L{} stands twice", number));
    line.need(":");
  }

  // The label of the step that is read, which may stand behind it: then the step does not know yet.
  void readTarget(LineReader& line) {
    line.need("to");
    targets_.emplace_back(plans_.back().steps.size(), line.label());
  }

  std::string takeLabels(Plan& plan) {
    for (auto [step, label] : targets_) {
      auto found = labels_.find(label);
      if (found == labels_.end())
        return fmt::format("spawn {} has a step to L{}, and no L{}", plan.name, label, label);
      plan.steps[step].other = found->second;
    }
    targets_.clear();
    labels_.clear();
    return {};
  }

  // ---- steps

  void readStep(LineReader& line) {
    Step step{Step::Require, 0, {}};
    if (readPartOfPartition(line))
      return;
    if (line.eat("require"))
      readRequire(line, step);
    else if (line.eat("decide"))
      step.kind = Step::Decide, readRequire(line, step);
    else if (line.eat("branch"))
      step = {Step::Branch, line.number("a way's number"), {}}, readTarget(line);
    else if (line.eat("jump"))
      step = {Step::Jump, 0, {}}, readTarget(line);
    else if (line.eat("move"))
      readMove(line, step);
    else if (line.eat("swap"))
      readSwap(line, step);
    else if (line.eat("allocate"))
      readAllocate(line, step);
    else if (line.eat("clear"))
      step = {Step::Clear, readStream(line), {}};
    else if (line.eat("launch"))
      readLaunch(line, step);
    else if (line.eat("free"))
      readFree(line, step);
    else if (line.eat("blocks"))
      readBlocks(line, step);
    else
      line.fail("here stands 'require', 'allocate', 'clear', 'launch', 'free', 'decide', 'branch', 'jump', 'move', "
                "'swap' or 'blocks'");
    if (!line.atEnd())
      step.site = line.site();
    plans_.back().steps.push_back(std::move(step));
  }

  static uint32_t readStream(LineReader& line) {
    line.need("stream");
    return line.number("a stream's number");
  }

  void readRequire(LineReader& line, Step& step) {
    step.index = line.number("the require's number");
    std::string symbol = line.word("a name");
    auto [known, fresh] = requires_.try_emplace(step.index, symbol);
    if (!fresh && known->second != symbol)
      line.failBefore(fmt::format("require {} is {} above", step.index, known->second));
  }

  void readAllocate(LineReader& line, Step& step) {
    step = {Step::Allocate, readStream(line), {}};
    readBytes(line, step);
  }

  void readMove(LineReader& line, Step& step) {
    uint32_t from = readStream(line);
    line.need("to");
    step = {Step::Move, readStream(line), {}, from};
    readBytes(line, step);
  }

  void readSwap(LineReader& line, Step& step) {
    line.need("streams");
    step = {Step::Swap, line.number("a stream's number"), {}};
    line.need("and");
    step.other = line.number("a stream's number");
    readBytes(line, step);
    streams_.try_emplace(step.other, streams_.at(step.index));
  }

  void readBytes(LineReader& line, const Step& step) {
    Stream stream{line.number("a number of bytes")};
    line.need("bytes/thread");
    auto [known, fresh] = streams_.try_emplace(step.index, stream);
    if (!fresh && known->second != stream)
      line.failBefore(fmt::format("stream {} has {} bytes/thread above", step.index, known->second.bytes));
  }

  void readLaunch(LineReader& line, Step& step) {
    Plan& plan = plans_.back();
    step = {Step::Launch, uint32_t(plan.kernels.size()), {}};
    readKernel(line);
  }

  void readKernel(LineReader& line) {
    Plan& plan = plans_.back();
    Kernel& kernel = plan.kernels.emplace_back();
    kernel.symbol = line.word("a name");
    kernel.superstep = uint32_t(plan.supersteps.size());
    line.need("(");
    if (!line.eat(")")) {
      do
        kernel.params.push_back(readParam(line));
      while (line.eat(","));
      line.need(")");
    }
    if (!line.atNumber())
      return;
    kernel.loaded = line.number("a number of bytes");
    line.need("bytes/thread loaded,");
    kernel.stored = line.number("a number of bytes");
    line.need("stored");
  }

  // ---- partitions

  void readBlocks(LineReader& line, Step& step) {
    Plan& plan = plans_.back();
    step = {Step::Blocks, line.number("the partition's number"), {}};
    if (step.index != plan.partitions.size() || plan.kernels.empty())
      return line.failBefore(fmt::format("partition {} is next, behind a launch", plan.partitions.size()));
    Partition& partition = plan.partitions.emplace_back();
    line.need("of");
    partition.basic_blocks = line.number("a number of blocks");
    line.need("basic blocks, counters in");
    partition.counters = readStream(line);
    line.need(", counts in");
    partition.counts = readStream(line);
    line.need(", ranks in");
    partition.ranks = readStream(line);
    partition.blocks.push_back({uint32_t(plan.kernels.size() - 1), readBehind(line)});
  }

  static std::vector<uint32_t> readBehind(LineReader& line) {
    std::vector<uint32_t> next;
    if (!line.eat(", then block"))
      return next;
    do
      next.push_back(line.number("a block's number"));
    while (line.eat("or"));
    return next;
  }

  // A line below 'blocks'; false: it is another step.
  bool readPartOfPartition(LineReader& line) {
    Plan& plan = plans_.back();
    bool block = line.eat("block"), count = !block && line.eat("count");
    if (!block && !count && !line.eat("list"))
      return false;
    if (plan.partitions.empty()) {
      line.failBefore("no 'blocks' stands before");
      return true;
    }
    Partition& partition = plan.partitions.back();
    uint32_t kernel = uint32_t(plan.kernels.size());
    if (block && line.number("the block's number") != partition.blocks.size())
      line.failBefore(fmt::format("block {} is next", partition.blocks.size()));
    readKernel(line);
    if (block)
      partition.blocks.push_back({kernel, readBehind(line)});
    else
      (count ? partition.count : partition.list) = kernel;
    return true;
  }

  // Behind a parameter: " [r, w*]" (table.cpp).
  static Param withAccess(Param param, LineReader& line) {
    if (!line.eat("["))
      return param;
    for (bool last = false; !last && line.failure().empty();) {
      std::string word = line.word("r or w, or with a '*'");
      last = word.ends_with(']');
      std::string_view access = std::string_view(word).substr(0, word.size() - last);
      Access reached = access.ends_with('*') ? Access::Any : Access::Own;
      access = access.substr(0, access.size() - (reached == Access::Any));
      if (access != "r" && access != "w")
        line.failBefore(fmt::format("'{}' is no access: r or w, or with a '*'", word));
      (access == "r" ? param.reads : param.writes) = reached;
      if (!last)
        line.need(",");
    }
    return param;
  }

  Param readParam(LineReader& line) { return withAccess(readName(line), line); }

  Param readName(LineReader& line) {
    if (line.eat("thread.size"))
      return {Param::Size, 0};
    if (line.eat("partition.block"))
      return {Param::Block, 0};
    if (line.eat("old thread.size"))
      return {Param::OldSize, 0};
    if (line.eat("append to"))
      return {Param::Append, readSlotName(line, line.word("a parameter"))};
    if (!line.eat("stream"))
      return {Param::Frame, readSlotName(line, line.word("a parameter"))};
    if (line.atNumber())
      return {Param::Stream, line.number("a stream's number")};
    return {Param::Frame, readSlotName(line, "stream")};
  }

  // Behind the name; the number of the slot.
  uint32_t readSlotName(LineReader& line, const std::string& name) {
    const std::vector<uint32_t>& numbers = slots_[name];
    std::optional<uint32_t> number;
    if (line.eat("#"))
      number = line.number("the slot's number");
    if (!number && numbers.size() == 1)
      return numbers[0];
    if (number && std::binary_search(numbers.begin(), numbers.end(), *number))
      return *number;
    if (numbers.size() > 1 && !number)
      line.failBefore(
          fmt::format("several slots are called {}: which is meant is said as in {}#{}", name, name, numbers[0]));
    line.failBefore(fmt::format("the host frame has no {}{}", name, number ? fmt::format("#{}", *number) : ""));
    return 0;
  }

  static void readFree(LineReader& line, Step& step) {
    if (line.eat("temporaries of scope"))
      step = {Step::FreeTemps, line.number("a scope's number"), {}};
    else
      step = {Step::Free, readStream(line), {}};
  }

  // ---- rules about the whole plan

  // Returns what its last plan lacks; empty if it is complete.
  std::string finishPlan() {
    part_ = Part::None;
    slots_.clear();
    if (plans_.empty())
      return {};
    Plan& plan = plans_.back();
    std::string missing = takeAll(streams_, plan.streams, "stream");
    if (missing.empty())
      missing = takeAll(requires_, plan.requires_, "require");
    return missing.empty() ? takeLabels(plan) : missing;
  }

  template <class T> std::string takeAll(std::map<uint32_t, T>& from, std::vector<T>& to, const char* what) const {
    for (auto& [number, value] : from) {
      if (number != to.size())
        return fmt::format("spawn {} has a {} {}, and no {} {}", plans_.back().name, what, number, what, to.size());
      to.push_back(std::move(value));
    }
    from.clear();
    return {};
  }

  std::vector<Plan> plans_;
  Part part_ = Part::None;
  std::map<std::string, std::vector<uint32_t>> slots_; // by name
  std::map<uint32_t, Stream> streams_;
  std::map<uint32_t, std::string> requires_;
  std::map<uint32_t, uint32_t> labels_;              // the steps behind them
  std::vector<std::pair<size_t, uint32_t>> targets_; // steps and the labels they lead to
  std::set<std::string_view> said_;                  // properties of the line
  uint32_t last_line_ = 1;
};

} // namespace

Result<std::vector<Plan>> parse(std::string_view text) {
  return Parser().run(text);
}

} // namespace bsgp::plan

// links: bsp ir diag support plan
// Random spawns, worked out thread by thread while they are written down, then compiled and run.
#include <array>

#include "bsp_machine.h"

namespace bsgp::test {
namespace {

constexpr uint32_t kInputs = 32, kMaxThreads = 16, kArray = 8;

using Lanes = std::vector<uint32_t>; // a value in each thread

class Generator {
public:
  explicit Generator(uint32_t seed) : random_(seed) {
    threads_ = start_threads_ = 1 + pick(13);
    for (uint32_t i = 0; i < kInputs; ++i)
      inputs_.push_back(uint32_t(random_()));
    array_.resize(threads_);
    line("%array~ = alloca [8 x i32]");
    line("%e1 = call i32 @bsgp.enter()");
    line("%in = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e1)");
    line("%out = call ptr addrspace(1) @bsgp.param.p1(i32 1, i32 %e1)");
    for (uint32_t i = 0; i < kArray; ++i)
      line(fmt::format("%slot{0} = getelementptr i32, ptr %array~, i32 {0}\nstore i32 0, ptr %slot{0}", i));
    defineRank();
  }

  void generate(uint32_t supersteps) {
    for (uint32_t step = 1; step <= supersteps; ++step) {
      for (uint32_t count = 1 + pick(5); count; --count)
        statement();
      if (step < supersteps)
        barrier();
    }
    output(values_.back());
    line("ret void");
  }

  void check(unsigned level, uint64_t order) {
    auto program = compile(text_, level);
    ASSERT_FALSE(program->kernels.plans.empty()) << text_;
    Machine machine(*program);
    machine.seed = order;
    machine.size = start_threads_;
    for (uint32_t size : sizes_)
      machine.requires_.push_back([size](Machine& m) { m.size = size; });
    std::vector<uint32_t> out(outputs_.size() * kMaxThreads, 0);
    machine.slots = {{0, uint64_t(inputs_.data())}, {1, uint64_t(out.data())}};
    machine.run();
    for (size_t i = 0; i < outputs_.size(); ++i)
      for (size_t rank = 0; rank < outputs_[i].size(); ++rank)
        ASSERT_EQ(out[i * kMaxThreads + rank], outputs_[i][rank]) << "output " << i << " of thread " << rank;
  }

  const std::string& text() const { return text_; }

private:
  struct Variable {
    std::string name;
    Lanes lanes;
  };

  uint32_t pick(uint32_t limit) { return uint32_t(random_() % limit); }
  void line(const std::string& text) { text_ += "  " + text + "\n"; }
  std::string fresh() { return fmt::format("%v{}{}", next_++, pick(2) ? "~" : ""); }
  const Variable anyValue() { return values_[pick(uint32_t(values_.size()))]; }
  template <class Lane> Lanes each(Lane lane) {
    Lanes lanes(threads_);
    for (uint32_t t = 0; t < threads_; ++t)
      lanes[t] = lane(t);
    return lanes;
  }
  void define(const std::string& name, Lanes lanes) { values_.push_back({name, std::move(lanes)}); }

  void defineRank() {
    rank_ = fmt::format("%rank{}", step_);
    line(fmt::format("{} = call i32 @bsgp.rank.i32(i32 %e{})", rank_, step_));
    define(rank_, each([](uint32_t t) { return t; }));
  }

  void statement() {
    switch (pick(11)) {
    case 0:
      return load();
    case 1:
    case 2:
      return arithmetic();
    case 3:
      return branch();
    case 4:
      return loop();
    case 5:
      return writeArray();
    case 6:
      return readArray();
    case 7:
      return output(anyValue());
    case 8:
      return size();
    case 9:
      return makeFlag();
    case 10:
      return useFlag();
    }
  }

  std::string modulo(const std::string& value, uint32_t limit) {
    std::string name = fresh();
    line(fmt::format("{} = urem i32 {}, {}", name, value, limit));
    return name;
  }

  void load() {
    Variable a = anyValue();
    std::string index = modulo(a.name, kInputs), at = fresh(), name = fresh();
    line(fmt::format("{} = getelementptr i32, ptr addrspace(1) %in, i32 {}", at, index));
    line(fmt::format("{} = load i32, ptr addrspace(1) {}", name, at));
    define(name, each([&](uint32_t t) { return inputs_[a.lanes[t] % kInputs]; }));
  }

  void arithmetic() {
    Variable a = anyValue(), b = anyValue();
    std::string name = fresh();
    uint32_t c = 1 + pick(9);
    switch (pick(4)) {
    case 0:
      line(fmt::format("{} = add i32 {}, {}", name, a.name, b.name));
      return define(name, each([&](uint32_t t) { return a.lanes[t] + b.lanes[t]; }));
    case 1:
      line(fmt::format("{} = mul i32 {}, {}", name, a.name, c));
      return define(name, each([&](uint32_t t) { return a.lanes[t] * c; }));
    case 2:
      line(fmt::format("{} = udiv i32 {}, {}", name, a.name, c));
      return define(name, each([&](uint32_t t) { return a.lanes[t] / c; }));
    default: { // through 64 bits
      std::string wide = fresh(), product = fresh(), high = fresh();
      line(fmt::format("{} = zext i32 {} to i64", wide, a.name));
      line(fmt::format("{} = mul i64 {}, 123456789", product, wide));
      line(fmt::format("{} = lshr i64 {}, 16", high, product));
      line(fmt::format("{} = trunc i64 {} to i32", name, high));
      return define(name, each([&](uint32_t t) { return uint32_t((uint64_t(a.lanes[t]) * 123456789) >> 16); }));
    }
    }
  }

  void branch() {
    Variable a = anyValue(), b = anyValue(), c = anyValue();
    uint32_t label = next_++;
    std::string bit = fresh(), sum = fresh(), name = fresh();
    line(fmt::format("br label %before{0}\nbefore{0}:\n{1} = trunc i32 {2} to i1", label, bit, a.name));
    line(fmt::format("br i1 {0}, label %then{1}, label %join{1}\nthen{1}:", bit, label));
    line(fmt::format("{} = add i32 {}, 17", sum, b.name));
    line(fmt::format("br label %join{0}\njoin{0}:", label));
    line(fmt::format("{0} = phi i32 [ {1}, %then{3} ], [ {2}, %before{3} ]", name, sum, c.name, label));
    define(name, each([&](uint32_t t) { return a.lanes[t] & 1 ? b.lanes[t] + 17 : c.lanes[t]; }));
  }

  void loop() {
    Variable a = anyValue(), b = anyValue();
    uint32_t label = next_++;
    std::string limit = fresh(), name = fresh();
    line(fmt::format("{} = and i32 {}, 3", limit, a.name));
    line(fmt::format("br label %before{0}\nbefore{0}:\nbr label %loop{0}\nloop{0}:", label));
    line(fmt::format("%i{0} = phi i32 [ 0, %before{0} ], [ %j{0}, %loop{0} ]", label));
    line(fmt::format("%s{0} = phi i32 [ 1, %before{0} ], [ {1}, %loop{0} ]", label, name));
    line(fmt::format("%m{0} = mul i32 %s{0}, 3\n{1} = add i32 %m{0}, {2}", label, name, b.name));
    line(fmt::format("%j{0} = add i32 %i{0}, 1\n%c{0} = icmp ule i32 %j{0}, {1}", label, limit));
    line(fmt::format("br i1 %c{0}, label %loop{0}, label %after{0}\nafter{0}:", label));
    define(name, each([&](uint32_t t) {
             uint32_t sum = 1;
             for (uint32_t i = 0; i <= (a.lanes[t] & 3); ++i)
               sum = sum * 3 + b.lanes[t];
             return sum;
           }));
  }

  std::string element(const Variable& index) {
    std::string place = modulo(index.name, kArray), at = fresh();
    line(fmt::format("{} = getelementptr i32, ptr %array~, i32 {}", at, place));
    return at;
  }

  void writeArray() {
    Variable index = anyValue(), value = anyValue();
    line(fmt::format("store i32 {}, ptr {}", value.name, element(index)));
    for (uint32_t t = 0; t < threads_; ++t)
      array_[t][index.lanes[t] % kArray] = value.lanes[t];
  }

  void readArray() {
    Variable index = anyValue();
    std::string at = element(index), name = fresh();
    line(fmt::format("{} = load i32, ptr {}", name, at));
    define(name, each([&](uint32_t t) { return array_[t][index.lanes[t] % kArray]; }));
  }

  void output(const Variable& value) {
    std::string place = fresh(), at = fresh();
    line(fmt::format("{} = add i32 {}, {}", place, rank_, outputs_.size() * kMaxThreads));
    line(fmt::format("{} = getelementptr i32, ptr addrspace(1) %out, i32 {}", at, place));
    line(fmt::format("store i32 {}, ptr addrspace(1) {}", value.name, at));
    outputs_.push_back(value.lanes);
  }

  void size() {
    std::string name = fresh();
    line(fmt::format("{} = call i32 @bsgp.size.i32(i32 %e{})", name, step_));
    define(name, each([&](uint32_t) { return threads_; }));
  }

  void makeFlag() {
    Variable a = anyValue(), b = anyValue();
    std::string name = fresh();
    line(fmt::format("{} = icmp ult i32 {}, {}", name, a.name, b.name));
    flags_.push_back({name, each([&](uint32_t t) { return uint32_t(a.lanes[t] < b.lanes[t]); })});
  }

  void useFlag() {
    if (flags_.empty())
      return makeFlag();
    Variable flag = flags_[pick(uint32_t(flags_.size()))], a = anyValue(), b = anyValue();
    std::string name = fresh();
    line(fmt::format("{} = select i1 {}, i32 {}, i32 {}", name, flag.name, a.name, b.name));
    define(name, each([&](uint32_t t) { return flag.lanes[t] ? a.lanes[t] : b.lanes[t]; }));
  }

  struct Put {
    uint32_t id = 0;
    Lanes landed, value;
  };

  // To (rank + c) mod threads, from some of the threads; sometimes past the last.
  Put put() {
    Variable when = anyValue(), value = anyValue();
    Put put{next_++, Lanes(threads_, 0), Lanes(threads_, 0)};
    uint32_t c = pick(threads_), miss = pick(3) == 0 ? threads_ : 0;
    std::string moved = fresh(), to = fresh(), bit = fresh();
    line(fmt::format("{} = add i32 {}, {}\n{} = urem i32 {}, {}", moved, rank_, c, to, moved, threads_ + miss));
    line(fmt::format("{} = trunc i32 {} to i1", bit, when.name));
    line(fmt::format("br i1 {0}, label %put{1}, label %sent{1}\nput{1}:", bit, put.id));
    line(fmt::format("call void @bsgp.put.mark.i32(i32 {}, i32 {})", to, put.id));
    line(fmt::format("call void @bsgp.put.i32(i32 {}, i32 {}, i32 {})", to, put.id, value.name));
    line(fmt::format("br label %sent{0}\nsent{0}:", put.id));
    for (uint32_t t = 0; t < threads_; ++t)
      if (uint32_t target = (t + c) % (threads_ + miss); (when.lanes[t] & 1) && target < threads_) {
        put.landed[target] = 1;
        put.value[target] = value.lanes[t];
      }
    return put;
  }

  void receive(const Put& put) {
    Variable own = anyValue();
    std::string name = fresh();
    line(fmt::format("%landed{0} = call i1 @bsgp.put.landed(i32 %e{1}, i32 {0})", put.id, step_));
    line(fmt::format("%came{0} = call i32 @bsgp.put.value.i32(i32 %e{1}, i32 {0})", put.id, step_));
    line(fmt::format("{0} = select i1 %landed{1}, i32 %came{1}, i32 {2}", name, put.id, own.name));
    define(name, each([&](uint32_t t) { return put.landed[t] ? put.value[t] : own.lanes[t]; }));
  }

  void get(const Variable& snapshot, uint32_t id, uint32_t old_threads) {
    Variable from = anyValue();
    std::string rank = modulo(from.name, old_threads), name = fresh();
    line(fmt::format("{} = call i32 @bsgp.get.i32(i32 {}, i32 %snapshot{})", name, rank, id));
    define(name, each([&](uint32_t t) { return snapshot.lanes[from.lanes[t] % old_threads]; }));
  }

  void barrier() {
    bool puts = pick(3) == 0, gets = pick(3) == 0, reassigned = pick(3) == 0;
    Put sent = puts ? put() : Put{};
    Variable snapshot = anyValue();
    uint32_t id = next_++, old_threads = threads_;
    if (gets)
      line(fmt::format("%snapshot{0} = call i32 @bsgp.snapshot.i32(i32 {1}, i32 {0})", id, snapshot.name));
    line(fmt::format("%e{} = call i32 @bsgp.barrier{}(i32 {})", step_ + 1, reassigned ? ".reassign" : "", step_));
    ++step_;
    if (reassigned)
      reassign(sent);
    else
      defineRank();
    if (gets)
      get(snapshot, id, old_threads);
    if (puts)
      receive(sent);
  }

  // A new thread count; each new thread goes on as some old one.
  void reassign(Put& sent) {
    uint32_t old_threads = threads_, a = 1 + pick(7), c = pick(20);
    if (pick(2)) {
      threads_ = 1 + pick(13);
      line(fmt::format("%require{0} = call i32 @bsgp.require(i32 {0})", sizes_.size()));
      sizes_.push_back(threads_);
    }
    auto move = [&](auto& lanes) {
      auto old = lanes;
      lanes.resize(threads_);
      for (uint32_t t = 0; t < threads_; ++t)
        lanes[t] = old[(t * a + c) % old_threads];
    };
    for (Variable& value : values_)
      move(value.lanes);
    for (Variable& flag : flags_)
      move(flag.lanes);
    move(array_);
    if (!sent.landed.empty()) {
      move(sent.landed);
      move(sent.value);
    }
    rank_ = fmt::format("%rank{}", step_);
    line(fmt::format("{} = call i32 @bsgp.rank.i32(i32 %e{})", rank_, step_));
    std::string product = fresh(), sum = fresh();
    line(fmt::format("{} = mul i32 {}, {}\n{} = add i32 {}, {}", product, rank_, a, sum, product, c));
    std::string old = modulo(sum, old_threads);
    line(fmt::format("call void @bsgp.oldrank.i32(i32 {})", old));
    define(rank_, each([](uint32_t t) { return t; }));
  }

  std::mt19937 random_;
  std::string text_, rank_;
  uint32_t next_ = 0, step_ = 1, threads_ = 0, start_threads_ = 0;
  std::vector<Variable> values_, flags_;
  std::vector<std::array<uint32_t, kArray>> array_;
  std::vector<uint32_t> inputs_, sizes_;
  std::vector<Lanes> outputs_;
};

TEST(RandomSpawns, ComputeWhatTheirThreadsCompute) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    Generator generator(seed);
    generator.generate(2 + seed % 9);
    generator.check(seed % 2 ? 3 : 0, seed);
    if (testing::Test::HasFailure()) {
      FAIL() << "seed " << seed << "\n" << generator.text();
    }
  }
}

} // namespace
} // namespace bsgp::test

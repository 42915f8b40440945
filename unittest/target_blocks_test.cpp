// links: target
// Kernels whose threads work together in blocks: block.sync, shared memory, values that live across a sync.
#include <numeric>

#include "target_kernels.h"

namespace bsgp::target::test {
namespace {

class Blocks : public EveryMode {
protected:
  Compiled compiled(const std::string& body) const;
};
INSTANTIATE_TEST_SUITE_P(Levels, Blocks, modes(), nameOf);

using Ints = std::vector<int32_t>;

constexpr int64_t kSizes[] = {0, 1, 7, 63, 64, 65, 128, 1000};

// A kernel of blocks of 64 threads; @s and @t are shared arrays of 64, `body` begins with %r, %b, %id, %px (to
// x[rank]), %po (to out[rank]), %sb (to s[b]), %tb and %v, which is x[rank]. Parameters: x, out, n and thread.size.
OneKernel kernelOf(const std::string& body, uint32_t block = 64) {
  std::string b = std::to_string(block);
  OneKernel kernel = rankKernel("ptr addrspace(1) %x, ptr addrspace(1) %out, i32 %n, i32 %size",
                                "  %b = urem i32 %r, " + b + "\n  %id = udiv i32 %r, " + b + R"(
  %px = getelementptr i32, ptr addrspace(1) %x, i32 %r
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %r
  %sb = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %b
  %tb = getelementptr [64 x i32], ptr addrspace(3) @t, i32 0, i32 %b
  %v = load i32, ptr addrspace(1) %px
)" + body,
                                R"(
@s = internal addrspace(3) global [64 x i32] undef, align 64
@t = internal addrspace(3) global [64 x i32] undef, align 64
@site = private constant { ptr, i32, i32, ptr } { ptr null, i32 4, i32 1, ptr null }
declare void @bsgp.block.sync()
declare void @bsgp.assert(i1, ptr)
declare i32 @llvm.umin.i32(i32, i32)
)",
                                block);
  kernel.kinds = {plan::Param::Frame, plan::Param::Frame, plan::Param::Frame, plan::Param::Size};
  return kernel;
}

Compiled Blocks::compiled(const std::string& body) const {
  return Compiled(kernelOf(body), options());
}

// Others may read %v in @s.
const std::string kShare = R"(
  store i32 %v, ptr addrspace(3) %sb
  call void @bsgp.block.sync()
)";
// %so is the place in @s of the thread beside this one, of the other parity.
const std::string kBeside = R"(
  %o = xor i32 %b, 1
  %so = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %o
)";
// %first ... %bs: the threads of this block.
const std::string kThreads = R"(
  %first = mul i32 %id, 64
  %left = sub i32 %size, %first
  %bs = call i32 @llvm.umin.i32(i32 %left, i32 64)
)";
const std::string kStoreY = R"(
  store i32 %y, ptr addrspace(1) %po
  ret void
)";

// What comes of x = 0, 1, 2, ...
Ints outputs(const Compiled& kernel, int64_t size, int32_t n = 0, uint64_t shuffle = 99) {
  Ints x(size), out(size, -1);
  std::iota(x.begin(), x.end(), 0);
  EXPECT_TRUE(kernel.run(size, {slot(x.data()), slot(out.data()), slot(n), slot(size)}, shuffle).all.empty());
  return out;
}

int64_t threadsOf(int64_t block, int64_t size) {
  return std::min<int64_t>(64, size - block * 64);
}

// out[r] = x of the block's opposite thread
const std::string kReverse = kShare + kThreads + R"(
  %last = sub i32 %bs, 1
  %o = sub i32 %last, %b
  %so = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %o
  %y = load i32, ptr addrspace(3) %so
)" + kStoreY;

TEST_P(Blocks, SeeWhatOthersWroteBeforeASync) {
  Compiled kernel = compiled(kReverse);
  for (int64_t size : kSizes) {
    Ints out = outputs(kernel, size);
    for (int64_t i = 0; i < size; ++i)
      ASSERT_EQ(out[i], i / 64 * 64 + threadsOf(i / 64, size) - 1 - i % 64) << size;
  }
}

TEST_P(Blocks, KeepValuesAcrossASync) {
  Compiled kernel = compiled(R"(
  %odd = trunc i32 %v to i1
  store i32 0, ptr addrspace(1) %px
)" + kShare + R"(
  %n1 = xor i32 %b, 1
  %sn = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %n1
  %there = icmp ult i32 %n1, 64
  call void @bsgp.block.sync()
  %w = mul i32 %v, 10
  %k = select i1 %odd, i32 1, i32 2
  %y = add i32 %w, %k
)" + kStoreY);
  for (int64_t size : kSizes) {
    Ints out = outputs(kernel, size);
    for (int64_t i = 0; i < size; ++i)
      ASSERT_EQ(out[i], i * 10 + (i % 2 ? 1 : 2)) << size;
  }
}

// A sum by halves of a block's x, in a loop around a sync; missing threads count as 0.
const std::string kReduce = R"(
  store i32 %v, ptr addrspace(3) %sb
)" + kThreads + sumByHalves("i32", "add", R"(
  %low = icmp slt i32 %b, %d
  %there = icmp slt i32 %o, %bs
  %both = and i1 %low, %there
)") + R"(
  %is0 = icmp eq i32 %b, 0
  br i1 %is0, label %write, label %end
write:
  %total = load i32, ptr addrspace(3) @s
  store i32 %total, ptr addrspace(1) %po
  br label %end
end:
  ret void
)";

TEST_P(Blocks, SyncInUniformLoops) {
  Compiled kernel = compiled(kReduce);
  for (int64_t size : kSizes) {
    Ints out = outputs(kernel, size);
    for (int64_t i = 0; i < size; ++i) {
      int64_t threads = threadsOf(i / 64, size);
      ASSERT_EQ(out[i], i % 64 ? -1 : threads * i + threads * (threads - 1) / 2) << size;
    }
  }
}

// Each thread carries a value of its own around a loop with two syncs: it walks n places to the right.
TEST_P(Blocks, CarryValuesAroundLoops) {
  Compiled kernel = compiled(R"(
  br label %head
head:
  %mine = phi i32 [ %v, %entry ], [ %next, %body2 ]
  %old = phi i32 [ -5, %entry ], [ %mine, %body2 ]
  %i = phi i32 [ 0, %entry ], [ %j, %body2 ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  store i32 %mine, ptr addrspace(3) %sb
  call void @bsgp.block.sync()
  %m = add i32 %b, 1
  %w = and i32 %m, 63
  %sw = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %w
  %next = load i32, ptr addrspace(3) %sw
  call void @bsgp.block.sync()
  br label %body2
body2:
  %j = add i32 %i, 1
  br label %head
done:
  %h = mul i32 %old, 1000
  %y = add i32 %mine, %h
)" + kStoreY);
  for (int n : {0, 1, 2, 5}) {
    Ints out = outputs(kernel, 128, n);
    for (int i = 0; i < 128; ++i) {
      auto walked = [&](int steps) { return i / 64 * 64 + (i + steps) % 64; };
      ASSERT_EQ(out[i], walked(n) + 1000 * (n == 0 ? -5 : walked(n - 1))) << n;
    }
  }
}

TEST_P(Blocks, SyncUnderUniformConditions) {
  Compiled kernel = compiled(R"(
  store i32 %v, ptr addrspace(3) %sb
)" + kBeside + R"(
  %positive = icmp sgt i32 %n, 0
  br i1 %positive, label %swap, label %other
swap:
  call void @bsgp.block.sync()
  %u = load i32, ptr addrspace(3) %so
  %big = icmp sgt i32 %n, 5
  br i1 %big, label %twice, label %join
twice:
  call void @bsgp.block.sync()
  store i32 %u, ptr addrspace(3) %sb
  call void @bsgp.block.sync()
  %u2 = load i32, ptr addrspace(3) %so
  %u3 = add i32 %u2, 7
  br label %join
other:
  %z = add i32 %v, 100
  %even = icmp eq i32 %n, 0
  br i1 %even, label %return, label %join
return:
  ret void
join:
  %taken = phi i32 [ %u, %swap ], [ %u3, %twice ], [ %z, %other ]
  %bonus = phi i32 [ 1, %swap ], [ 2, %twice ], [ 3, %other ]
  call void @bsgp.block.sync()
  %f = mul i32 %bonus, 10000
  %y = add i32 %taken, %f
)" + kStoreY);
  for (int n : {-1, 0, 3, 9}) {
    Ints out = outputs(kernel, 128, n);
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(out[i], n == 0 ? -1 : n < 0 ? 30000 + i + 100 : n < 5 ? 10000 + (i ^ 1) : 20000 + i + 7) << n;
  }
}

TEST_P(Blocks, KeepPrivateArraysAcrossASync) {
  Compiled kernel = compiled(R"(
  %a = alloca [3 x i32]
  %local = alloca [2 x i32]
  %k = urem i32 %v, 3
  %ak = getelementptr [3 x i32], ptr %a, i32 0, i32 %k
  store i32 %v, ptr %ak
  %k2 = urem i32 %v, 2
  %lk = getelementptr [2 x i32], ptr %local, i32 0, i32 %k2
  store i32 5, ptr %lk
  %five = load i32, ptr %lk
  call void @bsgp.block.sync()
  %w = load i32, ptr %ak
  %w1 = add i32 %w, %five
  store i32 %w1, ptr %ak
  call void @bsgp.block.sync()
  %y = load i32, ptr %ak
)" + kStoreY);
  Ints out = outputs(kernel, 1000);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(out[i], i + 5);
}

// Conditions on the lane, of all kinds, each as a region of its own.
TEST_P(Blocks, RunTheLanesThatAConditionNames) {
  struct Case {
    const char* condition;
    bool (*holds)(int64_t lane, int64_t rank, int64_t n);
  };
  const Case cases[] = {
      {"icmp ult i32 %b, 20", [](int64_t l, int64_t, int64_t) { return l < 20; }},
      {"icmp slt i32 %b, %n", [](int64_t l, int64_t, int64_t n) { return l < n; }},
      {"icmp sle i32 %b, %n", [](int64_t l, int64_t, int64_t n) { return l <= n; }},
      {"icmp sgt i32 %b, %n", [](int64_t l, int64_t, int64_t n) { return l > n; }},
      {"icmp sge i32 %b, %n", [](int64_t l, int64_t, int64_t n) { return l >= n; }},
      {"icmp ugt i32 %b, %n", [](int64_t l, int64_t, int64_t n) { return uint32_t(l) > uint32_t(n); }},
      {"icmp uge i32 %n, %b", [](int64_t l, int64_t, int64_t n) { return uint32_t(n) >= uint32_t(l); }},
      {"icmp eq i32 %b, %n", [](int64_t l, int64_t, int64_t n) { return l == n; }},
      {"icmp ne i32 %b, %n", [](int64_t l, int64_t, int64_t n) { return l != n; }},
      {"icmp ne i32 %b, 0", [](int64_t l, int64_t, int64_t) { return l != 0; }},
      {"icmp eq i32 %r, %n", [](int64_t, int64_t r, int64_t n) { return r == n; }},
      {"icmp slt i32 %r, %n", [](int64_t, int64_t r, int64_t n) { return r < n; }},
      {"icmp sge i32 %r, %n", [](int64_t, int64_t r, int64_t n) { return r >= n; }},
      {"icmp ult i32 %r, %n", [](int64_t, int64_t r, int64_t n) { return uint32_t(r) < uint32_t(n); }},
  };
  for (const Case& one : cases)
    for (bool inverted : {false, true}) {
      std::string sides = inverted ? "label %after, label %set" : "label %set, label %after";
      Compiled kernel = compiled(R"(
  store i32 3, ptr addrspace(3) %sb
  call void @bsgp.block.sync()
  %c = )" + std::string(one.condition) +
                                 "\n  br i1 %c, " + sides + R"(
set:
  store i32 5, ptr addrspace(3) %sb
  br label %after
after:
  call void @bsgp.block.sync()
  %y = load i32, ptr addrspace(3) %sb
)" + kStoreY);
      for (int n : {-3, 0, 1, 33, 63, 64, 100, 1 << 30, INT32_MAX, INT32_MIN}) {
        Ints out = outputs(kernel, 150, n);
        for (int i = 0; i < 150; ++i)
          ASSERT_EQ(out[i], one.holds(i % 64, i, n) != inverted ? 5 : 3)
              << one.condition << ' ' << inverted << ' ' << n << ' ' << i;
      }
    }
}

// A test that stands alone among other work, and one that is part of a conjunction.
TEST_P(Blocks, LetSomeLanesDoMore) {
  Compiled kernel = compiled(R"(
  %v2 = mul i32 %v, 3
  store i32 %v2, ptr addrspace(3) %sb
  %is0 = icmp eq i32 %b, 0
  br i1 %is0, label %one, label %rest
one:
  store i32 77, ptr addrspace(3) @t
  br label %rest
rest:
  %y = add i32 %v2, 1
  store i32 %y, ptr addrspace(1) %po
  call void @bsgp.block.sync()
  %low = icmp ult i32 %b, 10
  %odd = trunc i32 %v to i1
  %both = select i1 %low, i1 %odd, i1 false
  br i1 %both, label %more, label %end
more:
  %k = load i32, ptr addrspace(3) @t
  store i32 %k, ptr addrspace(1) %po
  br label %end
end:
  ret void
)");
  Ints out = outputs(kernel, 200);
  for (int i = 0; i < 200; ++i)
    ASSERT_EQ(out[i], i % 64 < 10 && i % 2 ? 77 : 3 * i + 1);
}

TEST_P(Blocks, HaveSharedArraysApart) {
  Compiled kernel = compiled(R"(
  store i32 %v, ptr addrspace(3) %sb
  %m = mul i32 %v, -1
  store i32 %m, ptr addrspace(3) %tb
  call void @bsgp.block.sync()
)" + kBeside + R"(
  %to = getelementptr [64 x i32], ptr addrspace(3) @t, i32 0, i32 %o
  %first = load i32, ptr addrspace(3) getelementptr inbounds ([64 x i32], ptr addrspace(3) @t, i64 0, i64 1)
  %n1 = trunc i32 %b to i1
  %p = select i1 %n1, ptr addrspace(3) %so, ptr addrspace(3) %to
  %w = load i32, ptr addrspace(3) %p
  %f = mul i32 %first, 1000
  %y = add i32 %w, %f
)" + kStoreY);
  Ints out = outputs(kernel, 192);
  for (int i = 0; i < 192; ++i)
    ASSERT_EQ(out[i], (i % 2 ? i ^ 1 : -(i ^ 1)) - 1000 * (i / 64 * 64 + 1));
}

TEST_P(Blocks, MayHaveOneThread) {
  OneKernel text = kernelOf(R"(
  store i32 %v, ptr addrspace(3) @s
  call void @bsgp.block.sync()
  %w = load i32, ptr addrspace(3) @s
  call void @bsgp.block.sync()
  %y = add i32 %w, %id
)" + kStoreY,
                            1);
  Ints out = outputs(Compiled(text, options()), 100);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(out[i], 2 * i);
}

TEST_P(Blocks, RunWhereOnlyTheRankInTheBlockIsAskedFor) {
  Compiled kernel = compiled(R"(
  %k = mul i32 %id, 1000
  %y = add i32 %k, %b
)" + kStoreY);
  Ints out = outputs(kernel, 1000);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(out[i], i / 64 * 1000 + i % 64);
}

TEST_P(Blocks, CountWithAtomics) {
  Compiled kernel = compiled(R"(
  %is0 = icmp eq i32 %b, 0
  br i1 %is0, label %clear, label %cleared
clear:
  store i32 0, ptr addrspace(3) @s
  br label %cleared
cleared:
  call void @bsgp.block.sync()
  %old = atomicrmw add ptr addrspace(3) @s, i32 2 monotonic
  call void @bsgp.block.sync()
  %y = load i32, ptr addrspace(3) @s
)" + kStoreY);
  Ints out = outputs(kernel, 100);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(out[i], i < 64 ? 128 : 72);
}

// The block with a failing thread ends at the sync; the others go on.
TEST_P(Blocks, EndAtTheSyncAfterAFailedAssert) {
  Compiled kernel = compiled(R"(
  %ok = icmp ne i32 %v, 70
  call void @bsgp.assert(i1 %ok, ptr @site)
)" + kShare + kBeside + R"(
  %y = load i32, ptr addrspace(3) %so
  %ok2 = icmp ne i32 %y, 131
  call void @bsgp.assert(i1 %ok2, ptr @site)
)" + kStoreY);
  Ints x(256), out(256, -1);
  std::iota(x.begin(), x.end(), 0);
  Failures failures = kernel.run(256, {slot(x.data()), slot(out.data()), slot(0), slot(int64_t(256))});
  ASSERT_EQ(failures.all.size(), 2u);
  EXPECT_EQ(failures.all[0].rank, 70);
  EXPECT_EQ(failures.all[1].rank, 130);
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(out[i], i / 64 == 1 || i == 130 ? -1 : i ^ 1) << i;
}

TEST_P(Blocks, PrintBetweenSyncs) {
  OneKernel text = kernelOf(kShare + R"(
  %is2 = icmp eq i32 %b, 2
  br i1 %is2, label %say, label %end
say:
  %w = load i32, ptr addrspace(3) getelementptr inbounds ([64 x i32], ptr addrspace(3) @s, i64 0, i64 5)
  %w64 = sext i32 %w to i64
  call void (ptr, ...) @bsgp.print(ptr @site, i64 %w64)
  br label %end
end:
  ret void
)");
  text.text += "declare void @bsgp.print(ptr, ...)\n";
  printed().clear();
  outputs(Compiled(text, options()), 128);
  ASSERT_EQ(printed().size(), 2u);
  EXPECT_EQ(printed()[1].arguments[0], 69u);
}

TEST_P(Blocks, TakeRanksOf64Bits) {
  OneKernel kernel{R"(
@s = internal addrspace(3) global [64 x i64] undef, align 64
declare i64 @bsgp.rank.i64(i32)
declare void @bsgp.block.sync()
define void @spawn.0.1(ptr addrspace(1) %out) {
  %r = call i64 @bsgp.rank.i64(i32 0)
  %b64 = urem i64 %r, 64
  %b = trunc i64 %b64 to i32
  %sb = getelementptr [64 x i64], ptr addrspace(3) @s, i32 0, i32 %b
  store i64 %r, ptr addrspace(3) %sb
  call void @bsgp.block.sync()
  %low = icmp slt i32 %b, 32
  br i1 %low, label %write, label %end
write:
  %o = add i32 %b, 32
  %so = getelementptr [64 x i64], ptr addrspace(3) @s, i32 0, i32 %o
  %w = load i64, ptr addrspace(3) %so
  %i = sub i64 %r, 6400000000
  %po = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 %w, ptr addrspace(1) %po
  br label %end
end:
  ret void
}
)",
                   1, 64, 64};
  std::vector<int64_t> out(128);
  Compiled(kernel, options()).runBlocks(6400000000 + 128, 100000000, 100000002, {slot(out.data())}, 7);
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(out[i], i % 64 < 32 ? 6400000000 + i + 32 : 0);
}

// Each thread keeps 64 KiB of its own across a sync: too much for a stack.
const std::string kLargeArrays = R"(
  %a = alloca [16384 x i32]
  %k = mul i32 %b, 250
  %ak = getelementptr [16384 x i32], ptr %a, i32 0, i32 %k
  store i32 %v, ptr %ak
  call void @bsgp.block.sync()
  %y = load i32, ptr %ak
)" + kStoreY;

TEST_P(Blocks, KeepLargeArraysOnTheHeap) {
  Compiled kernel = compiled(kLargeArrays);
  Ints out = outputs(kernel, 200), expected(200);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(out, expected);
}

void* noMemory(size_t, size_t) {
  return nullptr;
}

TEST_P(Blocks, FailWhereThereIsNoMemoryForLargeArrays) {
  CpuOptions options = this->options();
  options.symbols.push_back({"aligned_alloc", reinterpret_cast<void*>(noMemory)});
  Compiled kernel(kernelOf(kLargeArrays), options);
  Ints x(64), out(64, -1);
  Failures failures = kernel.run(64, {slot(x.data()), slot(out.data()), slot(0), slot(64)});
  ASSERT_EQ(failures.all.size(), 1u);
  EXPECT_EQ(failures.all[0].kind, uint32_t(BSGP_FAIL_MEMORY));
  EXPECT_EQ(failures.all[0].rank, 64 * 16384 * 4);
  EXPECT_EQ(out, Ints(64, -1));
}

// Under a branch that answers it, the second half of a division's guard is gone: the least number divided by -1 traps.
TEST_P(Blocks, DivideOnlyWhereTheGuardHolds) {
  Compiled kernel = compiled(kShare + R"(
  %other = icmp ne i32 %n, -1
  br i1 %other, label %divide, label %joined
divide:
  %zero = icmp eq i32 %n, 0
  %by = select i1 %zero, i32 1, i32 %n
  %least = add i32 %size, 2147483584
  %q = sdiv i32 %least, %by
  br label %joined
joined:
  %w = phi i32 [ %v, %entry ], [ %q, %divide ]
  call void @bsgp.block.sync()
  %u = load i32, ptr addrspace(3) %sb
  %y = add i32 %w, %u
)" + kStoreY);
  Ints out = outputs(kernel, 64, -1), expected(64); // of 64 threads, %least is the least number
  for (int i = 0; i < 64; ++i)
    expected[i] = 2 * i;
  EXPECT_EQ(out, expected);
}

// What all threads load from one place is loaded once, before them; but a block of one thread may have written it.
TEST_P(Blocks, LoadWhatAllThreadsShare) {
  Compiled kernel = compiled(R"(
  store i32 %v, ptr addrspace(3) %sb
  %own = load i32, ptr addrspace(3) @s
  call void @bsgp.block.sync()
  %first = load i32, ptr addrspace(3) @s
  %again = mul i32 %first, 10
  call void @bsgp.block.sync()
  store i32 0, ptr addrspace(3) %sb
  %f = load i32, ptr addrspace(3) @s
  call void @bsgp.block.sync()
  %is0 = icmp eq i32 %b, 0
  %o = select i1 %is0, i32 %own, i32 0
  %y = add i32 %again, %o
)" + kStoreY);
  for (int64_t size : {1, 65}) { // the last block has one thread
    Ints out = outputs(kernel, size);
    EXPECT_EQ(out.back(), 11 * (size - 1));
  }
}

// A read of what nobody wrote must not happen to give something of use.
TEST(BlocksOfTheReference, StartWithPoisonedSharedMemory) {
  CpuOptions options = testOptions();
  options.reference = true;
  Compiled kernel(kernelOf(R"(
  %w = load i32, ptr addrspace(3) %sb
  store i32 %w, ptr addrspace(1) %po
  call void @bsgp.block.sync()
  store i32 1, ptr addrspace(3) %sb
  ret void
)"),
                  options);
  EXPECT_EQ(outputs(kernel, 200), Ints(200, int32_t(0xCBCBCBCB)));
}

} // namespace
} // namespace bsgp::target::test

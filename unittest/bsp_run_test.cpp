// links: bsp ir diag support plan
// What the kernels and the plan compute, against the meaning of the program worked out by hand.
#include "bsp_machine.h"

namespace bsgp::test {
namespace {

constexpr unsigned kLevels[] = {0, 3};
constexpr uint64_t kSeeds[] = {0, 1, 2};

template <class T> uint64_t address(std::vector<T>& values) {
  return uint64_t(values.data());
}

// Compiles at both levels, runs in several orders. `body` gets the machine and does the rest.
void forAllRuns(const std::string& text, const std::function<void(Machine&)>& body, unsigned rank_bits = 32,
                const std::string& before = "") {
  for (unsigned level : kLevels) {
    auto program = compile(text, level, rank_bits, before);
    ASSERT_FALSE(program->kernels.plans.empty());
    ASSERT_FALSE(program->diagnostics.hasErrors());
    Machine machine(*program);
    for (uint64_t seed : kSeeds) {
      machine.seed = seed;
      body(machine);
    }
  }
}

std::vector<int32_t> permutation(int32_t count, uint32_t seed) {
  std::vector<int32_t> result(count);
  std::iota(result.begin(), result.end(), 0);
  std::shuffle(result.begin(), result.end(), std::mt19937(seed));
  return result;
}

TEST(Run, LoadedValueCrossesABarrier) {
  forAllRuns(entered({"a"}) + R"(
    %r = call i32 @bsgp.rank.i32(i32 %e1)
    %n = call i32 @bsgp.size.i32(i32 %e1)
    %at = getelementptr i32, ptr addrspace(1) %a, i32 %r
    %x~ = load i32, ptr addrspace(1) %at
    %e2 = call i32 @bsgp.barrier(i32 1)
    %last = sub i32 %n, 1
    %to = sub i32 %last, %r
    %at2 = getelementptr i32, ptr addrspace(1) %a, i32 %to
    store i32 %x~, ptr addrspace(1) %at2
    ret void)",
             [](Machine& machine) {
               std::vector<int32_t> a{1, 2, 3, 4, 5, 6, 7};
               machine.size = 7;
               machine.slots[0] = address(a);
               machine.run();
               EXPECT_EQ(a, (std::vector<int32_t>{7, 6, 5, 4, 3, 2, 1}));
             });
}

TEST(Run, NoThreads) {
  forAllRuns(entered({"a"}) + R"(
    %x~ = load i32, ptr addrspace(1) %a
    %e2 = call i32 @bsgp.barrier(i32 1)
    store i32 %x~, ptr addrspace(1) %a
    ret void)",
             [](Machine& machine) {
               machine.size = 0;
               machine.slots[0] = 0;
               machine.run();
             });
}

// Two reassignments; a value and a rank pass through both.
const std::string kTwoReassignments = entered({"in", "p", "q", "out"}) + R"(
  %r1 = call i32 @bsgp.rank.i32(i32 %e1)
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %r1
  %v~ = load i32, ptr addrspace(1) %at
  %f~ = mul i32 %r1, 7
  %e2 = call i32 @bsgp.barrier.reassign(i32 1)
  %r2 = call i32 @bsgp.rank.i32(i32 %e2)
  %at2 = getelementptr i32, ptr addrspace(1) %p, i32 %r2
  %o2 = load i32, ptr addrspace(1) %at2
  call void @bsgp.oldrank.i32(i32 %o2)
  %e3 = call i32 @bsgp.barrier(i32 2)
  %e4 = call i32 @bsgp.barrier.reassign(i32 3)
  %r4 = call i32 @bsgp.rank.i32(i32 %e4)
  %at4 = getelementptr i32, ptr addrspace(1) %q, i32 %r4
  %o4 = load i32, ptr addrspace(1) %at4
  call void @bsgp.oldrank.i32(i32 %o4)
  %e5 = call i32 @bsgp.barrier(i32 4)
  %r5 = call i32 @bsgp.rank.i32(i32 %e5)
  %s = add i32 %v~, %f~
  %s2 = mul i32 %r2, 1000
  %s3 = add i32 %s, %s2
  %at5 = getelementptr i32, ptr addrspace(1) %out, i32 %r5
  store i32 %s3, ptr addrspace(1) %at5
  ret void)";

TEST(Run, ValuesFollowThreadsThroughReassignments) {
  forAllRuns(kTwoReassignments, [](Machine& machine) {
    constexpr int32_t kThreads = 23;
    std::vector<int32_t> in(kThreads), p = permutation(kThreads, 5), q = permutation(kThreads, 6), out(kThreads), want;
    for (int32_t i = 0; i < kThreads; ++i)
      in[i] = 100000 * i;
    for (int32_t i = 0; i < kThreads; ++i) {
      int32_t second = q[i], first = p[second];
      want.push_back(in[first] + 7 * first + 1000 * second);
    }
    machine.size = kThreads;
    machine.slots = {{0, address(in)}, {1, address(p)}, {2, address(q)}, {3, address(out)}};
    machine.run();
    EXPECT_EQ(out, want);
  });
}

TEST(Run, ThreadCountChangesAtAReassignment) {
  forAllRuns(entered({"in", "p", "out"}) + R"(
    %r1 = call i32 @bsgp.rank.i32(i32 %e1)
    %n1 = call i32 @bsgp.size.i32(i32 %e1)
    %at = getelementptr i32, ptr addrspace(1) %in, i32 %r1
    %v~ = load i32, ptr addrspace(1) %at
    %s1 = call i32 @bsgp.snapshot.i32(i32 %v~, i32 0)
    %e2 = call i32 @bsgp.barrier.reassign(i32 1)
    %q0 = call i32 @bsgp.require(i32 0)
    %r2 = call i32 @bsgp.rank.i32(i32 %e2)
    %n2 = call i32 @bsgp.size.i32(i32 %e2)
    %at2 = getelementptr i32, ptr addrspace(1) %p, i32 %r2
    %o2 = load i32, ptr addrspace(1) %at2
    call void @bsgp.oldrank.i32(i32 %o2)
    %g = call i32 @bsgp.get.i32(i32 %r2, i32 %s1)
    %e3 = call i32 @bsgp.barrier(i32 2)
    %a = mul i32 %n1, 100
    %b = add i32 %a, %n2
    %c = mul i32 %b, 1000
    %d = add i32 %c, %v~
    %f = mul i32 %g, 16777216
    %h = add i32 %d, %f
    %at3 = getelementptr i32, ptr addrspace(1) %out, i32 %r2
    store i32 %h, ptr addrspace(1) %at3
    ret void)",
             [](Machine& machine) {
               std::vector<int32_t> in{5, 6, 7}, p{2, 2, 0, 1, 1}, out(5);
               machine.size = 3;
               machine.requires_ = {[](Machine& m) { m.size = 5; }};
               machine.slots = {{0, address(in)}, {1, address(p)}, {2, address(out)}};
               machine.run();
               for (int i = 0; i < 5; ++i) // a get of a rank that was not there before reads nothing
                 EXPECT_EQ(out[i], 305000 + in[p[i]] + (i < 3 ? in[i] << 24 : 0)) << i;
             });
}

const std::string kGetAndPut = entered({"in", "p", "out"}) + R"(
  %r1 = call i32 @bsgp.rank.i32(i32 %e1)
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %r1
  %v~ = load i32, ptr addrspace(1) %at
  %atp = getelementptr i32, ptr addrspace(1) %p, i32 %r1
  %to = load i32, ptr addrspace(1) %atp
  %odd = trunc i32 %r1 to i1
  br i1 %odd, label %sends, label %on
sends:
  %sent = mul i32 %v~, 3
  call void @bsgp.put.mark.i32(i32 %to, i32 0)
  call void @bsgp.put.i32(i32 %to, i32 0, i32 %sent)
  br label %on
on:
  %f~ = mul i32 %r1, 5
  %s = call i32 @bsgp.snapshot.i32(i32 %v~, i32 0)
  %t = call i32 @bsgp.snapshot.i32(i32 %f~, i32 1)
  %e2 = call i32 @bsgp.barrier(i32 1)
  %landed = call i1 @bsgp.put.landed(i32 %e2, i32 0)
  %came = call i32 @bsgp.put.value.i32(i32 %e2, i32 0)
  %v2~ = select i1 %landed, i32 %came, i32 %v~
  %next = add i32 %r1, 1
  %g = call i32 @bsgp.get.i32(i32 %next, i32 %s)
  %h = call i32 @bsgp.get.i32(i32 %to, i32 %t)
  %e3 = call i32 @bsgp.barrier(i32 2)
  %at2 = getelementptr [3 x i32], ptr addrspace(1) %out, i32 %r1, i32 0
  store i32 %v2~, ptr addrspace(1) %at2
  %at3 = getelementptr [3 x i32], ptr addrspace(1) %out, i32 %r1, i32 1
  store i32 %g, ptr addrspace(1) %at3
  %at4 = getelementptr [3 x i32], ptr addrspace(1) %out, i32 %r1, i32 2
  store i32 %h, ptr addrspace(1) %at4
  ret void)";

TEST(Run, GetAndPutReachOtherThreads) {
  forAllRuns(kGetAndPut, [](Machine& machine) {
    constexpr int32_t kThreads = 17;
    std::vector<int32_t> in(kThreads), p = permutation(kThreads, 8), out(3 * kThreads, -1);
    for (int32_t i = 0; i < kThreads; ++i)
      in[i] = 11 * i + 1;
    std::swap(p[3], p[5]);
    p[7] += 1000; // nobody there
    p[9] = -1;
    machine.size = kThreads;
    machine.slots = {{0, address(in)}, {1, address(p)}, {2, address(out)}};
    machine.run();
    std::vector<int32_t> received = in;
    for (int32_t i = 1; i < kThreads; i += 2)
      if (p[i] >= 0 && p[i] < kThreads)
        received[p[i]] = 3 * in[i];
    for (int32_t i = 0; i < kThreads; ++i) {
      EXPECT_EQ(out[3 * i], received[i]) << i;
      if (i + 1 < kThreads) {
        EXPECT_EQ(out[3 * i + 1], in[i + 1]) << i;
      }
      if (p[i] >= 0 && p[i] < kThreads) {
        EXPECT_EQ(out[3 * i + 2], 5 * p[i]) << i;
      }
    }
  });
}

TEST(Run, RanksOf64BitsGetAndPut) {
  forAllRuns(
      entered({"out"}) + R"(
    %r1 = call i64 @bsgp.rank.i64(i32 %e1)
    %n = call i64 @bsgp.size.i64(i32 %e1)
    %f = mul i64 %r1, 10
    %next = add i64 %r1, 1
    call void @bsgp.put.mark.i64(i64 %next, i32 0)
    call void @bsgp.put.i64.r64(i64 %next, i32 0, i64 %f)
    %s = call i32 @bsgp.snapshot.i64(i64 %f, i32 0)
    %e2 = call i32 @bsgp.barrier(i32 1)
    %l = call i1 @bsgp.put.landed(i32 %e2, i32 0)
    %x = call i64 @bsgp.put.value.i64(i32 %e2, i32 0)
    %y = select i1 %l, i64 %x, i64 7
    %last = sub i64 %n, 1
    %to = sub i64 %last, %r1
    %g = call i64 @bsgp.get.i64.r64(i64 %to, i32 %s)
    %z = mul i64 %g, 1000
    %sum = add i64 %y, %z
    %at = getelementptr i64, ptr addrspace(1) %out, i64 %r1
    store i64 %sum, ptr addrspace(1) %at
    ret void)",
      [](Machine& machine) {
        std::vector<int64_t> out(4);
        machine.size = 4;
        machine.slots[0] = address(out);
        machine.run();
        EXPECT_EQ(out, (std::vector<int64_t>{30007, 20000, 10010, 20}));
      },
      64);
}

TEST(Run, PutIsReceivedThroughAReassignment) {
  forAllRuns(entered({"p", "out"}) + R"(
    %r1 = call i32 @bsgp.rank.i32(i32 %e1)
    %to = sdiv i32 %r1, 2
    %odd = trunc i32 %r1 to i1
    br i1 %odd, label %on, label %sends
sends:
    call void @bsgp.put.mark.i32(i32 %to, i32 0)
    %x = sitofp i32 %r1 to double
    call void @bsgp.put.f64(i32 %to, i32 0, double %x)
    br label %on
on:
    %e2 = call i32 @bsgp.barrier.reassign(i32 1)
    %r2 = call i32 @bsgp.rank.i32(i32 %e2)
    %atp = getelementptr i32, ptr addrspace(1) %p, i32 %r2
    %o = load i32, ptr addrspace(1) %atp
    call void @bsgp.oldrank.i32(i32 %o)
    %landed = call i1 @bsgp.put.landed(i32 %e2, i32 0)
    %came = call double @bsgp.put.value.f64(i32 %e2, i32 0)
    %v = select i1 %landed, double %came, double -1.0
    %at = getelementptr double, ptr addrspace(1) %out, i32 %r2
    store double %v, ptr addrspace(1) %at
    ret void)",
             [](Machine& machine) {
               std::vector<int32_t> p = permutation(9, 3);
               std::vector<double> out(9);
               machine.size = 9;
               machine.slots = {{0, address(p)}, {1, address(out)}};
               machine.run();
               for (int i = 0; i < 9; ++i)
                 EXPECT_EQ(out[i], p[i] < 5 ? 2.0 * p[i] : -1.0) << i;
             });
}

// An array written at a computed place, in three supersteps, with a reassignment; too long to be unrolled.
std::string arrayProgram(unsigned elements, bool reassign) {
  return fmt::format(R"(
    %array~ = alloca [{0} x i32], align 16
    %e1 = call i32 @bsgp.enter()
    call void @llvm.lifetime.start.p0(i64 {1}, ptr %array~)
    %in = call ptr addrspace(1) @bsgp.param.p1(i32 0, i32 %e1)
    %p = call ptr addrspace(1) @bsgp.param.p1(i32 1, i32 %e1)
    %out = call ptr addrspace(1) @bsgp.param.p1(i32 2, i32 %e1)
    %r1 = call i32 @bsgp.rank.i32(i32 %e1)
    br label %fill
fill:
    %i = phi i32 [ 0, %0 ], [ %i2, %fill ]
    %at = getelementptr i32, ptr %array~, i32 %i
    %x = mul i32 %i, 3
    %y = add i32 %x, %r1
    store i32 %y, ptr %at
    %i2 = add i32 %i, 1
    %more = icmp ult i32 %i2, {0}
    br i1 %more, label %fill, label %filled
filled:
    %e2 = call i32 @bsgp.barrier(i32 1)
    %e3 = call i32 @bsgp.barrier{2}(i32 2)
    %r3 = call i32 @bsgp.rank.i32(i32 %e3)
    %atp = getelementptr i32, ptr addrspace(1) %p, i32 %r3
    %o = load i32, ptr addrspace(1) %atp
    {3}
    %atin = getelementptr i32, ptr addrspace(1) %in, i32 %r3
    %k~ = load i32, ptr addrspace(1) %atin
    %place = getelementptr i32, ptr %array~, i32 %k~
    store i32 -5, ptr %place
    %e4 = call i32 @bsgp.barrier(i32 3)
    br label %sum
sum:
    %j = phi i32 [ 0, %filled ], [ %j2, %sum ]
    %total = phi i32 [ 0, %filled ], [ %total2, %sum ]
    %at2 = getelementptr i32, ptr %array~, i32 %j
    %v = load i32, ptr %at2
    %total2 = add i32 %total, %v
    %j2 = add i32 %j, 1
    %more2 = icmp ult i32 %j2, {0}
    br i1 %more2, label %sum, label %done
done:
    %w = load i32, ptr %place
    %t3 = sub i32 %total2, %w
    %r4 = call i32 @bsgp.rank.i32(i32 %e4)
    %at4 = getelementptr i32, ptr addrspace(1) %out, i32 %r4
    store i32 %t3, ptr addrspace(1) %at4
    call void @llvm.lifetime.end.p0(i64 {1}, ptr %array~)
    ret void)",
                     elements, 4 * elements, reassign ? ".reassign" : "",
                     reassign ? "call void @bsgp.oldrank.i32(i32 %o)" : "");
}

const char* kLifetimes = "declare void @llvm.lifetime.start.p0(i64, ptr)\ndeclare void @llvm.lifetime.end.p0(i64, ptr)";

TEST(Run, ArrayLivesAcrossBarriers) {
  for (int32_t elements : {6, 40})
    for (bool reassign : {false, true})
      forAllRuns(
          arrayProgram(elements, reassign),
          [&](Machine& machine) {
            constexpr int32_t kThreads = 11;
            std::vector<int32_t> in(kThreads), p = permutation(kThreads, 2), out(kThreads);
            for (int32_t i = 0; i < kThreads; ++i)
              in[i] = (i * 5) % elements;
            machine.size = kThreads;
            machine.slots = {{0, address(in)}, {1, address(p)}, {2, address(out)}};
            machine.run();
            for (int32_t i = 0; i < kThreads; ++i) {
              int32_t rank = reassign ? p[i] : i, want = 0;
              for (int32_t j = 0; j < elements; ++j)
                want += j == in[i] ? 0 : 3 * j + rank;
              EXPECT_EQ(out[i], want) << i;
            }
          },
          32, kLifetimes);
}

TEST(Run, BoolAndPhiCross) {
  forAllRuns(
      entered({"in", "out"}) + R"(
    %r1 = call i64 @bsgp.rank.i64(i32 %e1)
    %at = getelementptr i32, ptr addrspace(1) %in, i64 %r1
    %v~ = load i32, ptr addrspace(1) %at
    %c~ = icmp sgt i32 %v~, 10
    br i1 %c~, label %loop, label %join
loop:
    %i = phi i32 [ %v~, %0 ], [ %i2, %loop ]
    %i2 = sub i32 %i, 10
    %more = icmp sgt i32 %i2, 10
    br i1 %more, label %loop, label %join
join:
    %x~ = phi i32 [ 7, %0 ], [ %i2, %loop ]
    %e2 = call i32 @bsgp.barrier(i32 1)
    %y = select i1 %c~, i32 %x~, i32 -1
    %at2 = getelementptr i32, ptr addrspace(1) %out, i64 %r1
    store i32 %y, ptr addrspace(1) %at2
    ret void)",
      [](Machine& machine) {
        std::vector<int32_t> in{5, 11, 27, 10, 40}, out(5);
        machine.size = 5;
        machine.slots = {{0, address(in)}, {1, address(out)}};
        machine.run();
        EXPECT_EQ(out, (std::vector<int32_t>{-1, 1, 7, -1, 10}));
      },
      64);
}

} // namespace
} // namespace bsgp::test

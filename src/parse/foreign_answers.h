// Help texts for words of other languages that more than one table gives, and the look-up in these tables.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace bsgp {

struct ForeignName {
  std::string_view name;
  const char* help;
};

// Returns the entry of that name; null if there is none.
template <class Entry, size_t Size> const Entry* findForeign(const Entry (&table)[Size], std::string_view name) {
  auto found = std::find_if(std::begin(table), std::end(table), [&](const Entry& entry) { return entry.name == name; });
  return found == std::end(table) ? nullptr : found;
}

namespace answers {

constexpr const char* kPrint = "write printf(\"%d\\n\", x);";
constexpr const char* kRandom = "write #include <random.bsgp>, Random r = random(seed, thread.rank); (in host code "
                                "random(seed)) and r.uniform(), or "
                                "r.below(n) for a number from 0 to n - 1";
constexpr const char* kReduce = "write reduce(+, x), reduce(min, x), reduce(max, x): a value for all threads";
constexpr const char* kReduceArray = "write reduce(+, p, n)";
constexpr const char* kSort = "write sort(p, n), for device memory: docs/primitives.md";
constexpr const char* kCopy = "write copy(to, from, count): a count of elements, between any two memories";
constexpr const char* kThreads = "write spawn (n) {...}: it runs n threads, and waits for them";
constexpr const char* kEach = "write spawn (n) {...}, or for (i = 0; i < n; i++)";
constexpr const char* kTransform = "write spawn (n) b[thread.rank] = f(a[thread.rank]);";
constexpr const char* kHostMemory = "write p = new[n]T; and delete p;";
constexpr const char* kAtomicPlace = "write T* p = dnew[1]T; and atomic_add(p, x)";
constexpr const char* kNoStreams = "delete it: a spawn waits for its threads";
constexpr const char* kSeconds = "write seconds() of #include <host.bsgp>";
constexpr const char* kBlockSync =
    "write block.sync() for the threads of a block, or 'barrier;' for all threads of the spawn";
constexpr const char* kPrimitives = "write sort, reduce, scan and the others by their names: docs/primitives.md";
constexpr const char* kRank = "write thread.rank, which counts all threads; block.rank counts within a block";
constexpr const char* kBlock = "write block.id, block.limit, block.count";
constexpr const char* kInBlock = "write block.rank, which counts within a block; thread.rank counts all threads";
constexpr const char* kInWarp = "write warp.rank, which counts within a warp; warp.id counts the warps of a block";
constexpr const char* kThreadCount = "write thread.size for all threads of the spawn, block.limit for those of a block";
constexpr const char* kTextType = "write char*, or Text of <text.bsgp>";

} // namespace answers

} // namespace bsgp

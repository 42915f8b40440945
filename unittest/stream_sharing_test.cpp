// links: bsp
#include "bsp/stream_sharing.h"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "bsp/minimum_flow.h"

namespace bsgp::bsp {
namespace {

bool meet(const Lifetime& a, const Lifetime& b) {
  return a.start <= b.end && b.start <= a.end;
}

void expectValid(const std::vector<Lifetime>& values, const Sharing& sharing) {
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_LT(sharing.stream[i], sharing.count);
    for (size_t j = 0; j < i; ++j)
      ASSERT_FALSE(sharing.stream[i] == sharing.stream[j] && meet(values[i], values[j]))
          << "values " << j << " and " << i;
  }
}

// The fewest colors, by trying all assignments.
uint32_t fewestByTrying(const std::vector<Lifetime>& values) {
  uint32_t best = uint32_t(values.size());
  std::vector<uint32_t> color(values.size());
  std::function<void(size_t, uint32_t)> assign = [&](size_t i, uint32_t used) {
    if (used >= best)
      return;
    if (i == values.size()) {
      best = used;
      return;
    }
    for (uint32_t c = 0; c <= used; ++c) {
      bool free = true;
      for (size_t j = 0; j < i && free; ++j)
        free = color[j] != c || !meet(values[i], values[j]);
      if (!free)
        continue;
      color[i] = c;
      assign(i + 1, std::max(used, c + 1));
    }
  };
  assign(0, 0);
  return best;
}

// Values of a random program: written at the end of a superstep or, as a put's target, at its beginning; read directly,
// or through oldrank or get.
std::vector<Lifetime> randomValues(std::mt19937& random, uint32_t supersteps, uint32_t count) {
  std::vector<Lifetime> values;
  auto upTo = [&](uint32_t limit) { return uint32_t(random() % limit); };
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t writer = 1 + upTo(supersteps - 1), reader = writer + 1 + upTo(supersteps - writer);
    values.push_back({2 * writer + (upTo(4) != 0), 2 * reader + (upTo(3) == 0)});
  }
  return values;
}

TEST(StreamSharing, NoValuesNeedNoStreams) {
  EXPECT_EQ(shareStreams({}).count, 0u);
}

TEST(StreamSharing, SharesThePapersListing5) {
  std::vector<Lifetime> values{{3, 4}, {3, 8}, {5, 6}, {7, 8}}; // v0 v1 v2 v3
  Sharing sharing = shareStreams(values);
  EXPECT_EQ(sharing.count, 2u);
  EXPECT_EQ(sharing.stream, (std::vector<uint32_t>{0, 1, 0, 0}));
}

TEST(StreamSharing, ValuesThatMeetInOneTimeAreApart) {
  std::vector<Lifetime> values{{3, 5}, {5, 6}};
  EXPECT_EQ(shareStreams(values).count, 2u);
  EXPECT_EQ(shareStreams(std::vector<Lifetime>{{3, 4}, {4, 6}}).count, 2u);
  EXPECT_EQ(shareStreams(std::vector<Lifetime>{{3, 4}, {5, 6}}).count, 1u);
}

TEST(StreamSharing, IsOptimalOnRandomPrograms) {
  std::mt19937 random(20080801);
  for (int round = 0; round < 4000; ++round) {
    std::vector<Lifetime> values = randomValues(random, 2 + random() % 7, 1 + random() % 8);
    Sharing sharing = shareStreams(values);
    expectValid(values, sharing);
    ASSERT_EQ(sharing.count, fewestByTrying(values)) << "round " << round;
  }
}

TEST(StreamSharing, NeedsNoMoreThanLiveTogetherInLargePrograms) {
  std::mt19937 random(4);
  std::vector<Lifetime> values = randomValues(random, 400, 5000);
  Sharing sharing = shareStreams(values);
  expectValid(values, sharing);
  std::vector<int> live(2 * 400 + 3, 0);
  for (const Lifetime& value : values)
    for (uint32_t time = value.start; time <= value.end; ++time)
      ++live[time];
  EXPECT_EQ(int(sharing.count), *std::max_element(live.begin(), live.end()));
}

// Values of a random graph of supersteps: chains of them in a tree of who comes before whom on every way. A value begins
// somewhere and lives down the tree, for a while in each chain.
std::vector<Life> randomLives(std::mt19937& random, uint32_t chains, uint32_t count) {
  constexpr uint32_t kLength = 6; // times of a chain
  auto upTo = [&](uint32_t limit) { return uint32_t(random() % limit); };
  std::vector<uint32_t> before(chains);
  for (uint32_t i = 1; i < chains; ++i)
    before[i] = upTo(i);
  std::vector<Life> lives(count);
  for (Life& life : lives) {
    uint32_t home = upTo(chains), start = home * kLength + upTo(kLength), last = (home + 1) * kLength - 1;
    std::vector<bool> through(chains);
    through[home] = upTo(2) == 0;
    life.parts.push_back({start, through[home] ? last : start + upTo(last - start + 1)});
    for (uint32_t i = home + 1; i < chains; ++i) {
      if (!through[before[i]] || upTo(3) == 0)
        continue;
      through[i] = upTo(2) == 0;
      life.parts.push_back({i * kLength, i * kLength + (through[i] ? kLength - 1 : upTo(kLength))});
    }
  }
  return lives;
}

TEST(StreamColouring, NeedsNoMoreThanLiveTogether) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<Life> lives = randomLives(random, 1 + random() % 9, 1 + random() % 30);
    for (uint32_t i = 0; i < lives.size(); ++i) // what is wished for must not matter
      lives[i].alike = {uint32_t(random() % lives.size())};
    Sharing sharing = colourStreams(lives);
    std::map<uint32_t, std::set<uint32_t>> streams; // by time
    size_t most = 0;
    for (uint32_t i = 0; i < lives.size(); ++i)
      for (Lifetime part : lives[i].parts)
        for (uint32_t time = part.start; time <= part.end; ++time) {
          ASSERT_TRUE(streams[time].insert(sharing.stream[i]).second) << "round " << round << ", value " << i;
          most = std::max(most, streams[time].size());
        }
    ASSERT_EQ(sharing.count, most) << "round " << round;
  }
}

TEST(StreamColouring, GivesValuesThatMeetOneStreamWhereItIsFree) {
  std::vector<Life> lives{{{{3, 9}}, {}}, {{{5, 9}}, {}}, {{{10, 12}}, {1}}};
  EXPECT_EQ(colourStreams(lives).stream, (std::vector<uint32_t>{0, 1, 1}));
}

TEST(MinimumFlow, TakesAwayWhatNoRequirementNeeds) {
  // source 0 -> 1 -> 2 -> sink 3; two parallel edges 1 -> 2, one of them required.
  MinimumFlow graph(4);
  uint32_t out = graph.addEdge(0, 1, 0, MinimumFlow::kUnlimited, 5);
  uint32_t value = graph.addEdge(1, 2, 1, 1, 1);
  uint32_t beside = graph.addEdge(1, 2, 0, MinimumFlow::kUnlimited, 4);
  graph.addEdge(2, 3, 0, MinimumFlow::kUnlimited, 5);
  graph.reduce(0, 3);
  EXPECT_EQ(graph.flow(out), 1u);
  EXPECT_EQ(graph.flow(value), 1u);
  EXPECT_EQ(graph.flow(beside), 0u);
}

TEST(MinimumFlow, LeadsOnePathThroughTwoRequirements) {
  // 0 -> 1 => 2 -> 3 => 4 -> 5 with ways around both: begun with a path for each, one is enough.
  MinimumFlow graph(6);
  uint32_t out = graph.addEdge(0, 1, 0, MinimumFlow::kUnlimited, 2);
  graph.addEdge(1, 2, 1, 1, 1);
  graph.addEdge(1, 3, 0, MinimumFlow::kUnlimited, 1); // around the first
  graph.addEdge(2, 3, 0, MinimumFlow::kUnlimited, 0);
  graph.addEdge(2, 5, 0, MinimumFlow::kUnlimited, 1); // from the first straight to the sink
  graph.addEdge(3, 4, 1, 1, 1);
  graph.addEdge(4, 5, 0, MinimumFlow::kUnlimited, 1);
  graph.reduce(0, 5);
  EXPECT_EQ(graph.flow(out), 1u);
}

} // namespace
} // namespace bsgp::bsp

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>

#include "problem.h"

namespace bench {
namespace {

template <class T> std::shared_ptr<Array<T>> arrayOf(bsgp_context* context, size_t n) {
  return std::make_shared<Array<T>>(context, n);
}

// ---- what occurs twice

void insertKeys(Team& team, const int* keys, int n, int* table, int bits) {
  std::memset(table, -1, sizeof(int) << bits);
  team.pieces(n, kPiece, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      for (int key = keys[i], place = int(mixed(uint32_t(key)) >> (32 - bits));;
           place = (place + 1) & ((1 << bits) - 1)) {
        std::atomic_ref<int> there(table[place]);
        int found = there.load(std::memory_order_relaxed);
        if (found == key || (found == -1 && there.compare_exchange_strong(found, key, std::memory_order_relaxed)))
          break;
        if (found == key) // somebody was faster
          break;
      }
  });
}

Problem distinctProblem(bsgp_context* context, Team& team, Size size) {
  int n = size(8000000, 1000000), bits = size(24, 21);
  auto keys = arrayOf<int>(context, n), table = arrayOf<int>(context, size_t(1) << bits);
  Random random(3);
  for (int i = 0; i < n; ++i)
    keys->data()[i] = int(random.below(n / 2));
  return {"duplicates by hashing, " + std::to_string(n) + " keys, each twice",
          [] {},
          [=] { bsgp::check(distinct(context, keys->data(), n, table->data(), bits)); },
          [=] { bsgp::check(distinct_width1(context, keys->data(), n, table->data(), bits)); },
          [=, &team] { insertKeys(team, keys->data(), n, table->data(), bits); },
          [=] {
            uint64_t sum = 0; // where a key stands depends on who came first
            for (size_t i = 0; i < table->size(); ++i)
              sum += table->data()[i] < 0 ? 1 : mixed(uint32_t(table->data()[i]));
            return sum;
          }};
}

// ---- strings

// Each thread sorts a part; parts are merged, two by two.
void sortStrings(Team& team, const uint8_t* text, int* order, int n) {
  auto less = [=](int a, int b) {
    return std::strcmp(reinterpret_cast<const char*>(text + a), reinterpret_cast<const char*>(text + b)) < 0;
  };
  size_t parts = team.size();
  auto begin = [=](size_t part) { return order + std::min(part, parts) * size_t(n) / parts; };
  team.run([=](unsigned member) { std::stable_sort(begin(member), begin(member + 1), less); });
  for (size_t width = 1; width < parts; width *= 2)
    team.run([=](unsigned member) {
      if (member % (2 * width) == 0 && member + width < parts)
        std::inplace_merge(begin(member), begin(member + width), begin(member + 2 * width), less);
    });
}

Problem stringsProblem(bsgp_context* context, Team& team, Size size) {
  int n = size(1000000, 100000);
  Random random(9);
  std::vector<uint8_t> bytes;
  auto start = std::make_shared<std::vector<int>>();
  for (int i = 0; i < n; ++i) {
    start->push_back(int(bytes.size()));
    for (uint32_t length = 4 + random.below(12); length; --length)
      bytes.push_back(uint8_t('a' + random.below(4)));
    bytes.push_back(0);
  }
  auto text = std::make_shared<Array<uint8_t>>(context, std::span<const uint8_t>(bytes));
  auto order = arrayOf<int>(context, n);
  return {"strings sorted by less, " + std::to_string(n) + " of 4 to 15 letters",
          [=] { std::copy(start->begin(), start->end(), order->data()); },
          [=] { bsgp::check(sort_strings(context, text->data(), order->data(), n)); },
          [=] { bsgp::check(sort_strings_width1(context, text->data(), order->data(), n)); },
          [=, &team] { sortStrings(team, text->data(), order->data(), n); },
          [=] { return digestOf(order->data(), n); }};
}

// ---- points

struct Points {
  std::shared_ptr<Array<float>> x, y;
  std::shared_ptr<Array<int>> begins, counts;
  int n, side;
};

Points makePoints(bsgp_context* context, int n, int side) {
  Points points{arrayOf<float>(context, n),
                arrayOf<float>(context, n),
                arrayOf<int>(context, side * side + 1),
                arrayOf<int>(context, n),
                n,
                side};
  Random random(2);
  std::vector<std::pair<float, float>> all(n);
  for (auto& [x, y] : all)
    x = random.unit(), y = random.unit();
  auto cell = [=](const std::pair<float, float>& p) { return int(p.second * side) * side + int(p.first * side); };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return cell(a) < cell(b); });
  int* begins = points.begins->data();
  std::fill_n(begins, side * side + 1, 0);
  for (int i = 0; i < n; ++i) {
    points.x->data()[i] = all[i].first;
    points.y->data()[i] = all[i].second;
    ++begins[cell(all[i]) + 1];
  }
  for (int i = 0; i < side * side; ++i)
    begins[i + 1] += begins[i];
  return points;
}

void countNear(Team& team, const Points& points, float radius) {
  const float *x = points.x->data(), *y = points.y->data();
  int *begins = points.begins->data(), *counts = points.counts->data(), side = points.side;
  team.pieces(points.n, kPiece, [=](size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) {
      int cx = int(x[p] * side), cy = int(y[p] * side), count = 0;
      for (int row = std::max(cy - 1, 0); row <= std::min(cy + 1, side - 1); ++row) {
        int last = begins[row * side + std::min(cx + 1, side - 1) + 1];
        for (int i = begins[row * side + std::max(cx - 1, 0)]; i < last; ++i) {
          float dx = x[i] - x[p], dy = y[i] - y[p];
          count += std::fma(dx, dx, dy * dy) < radius * radius;
        }
      }
      counts[p] = count;
    }
  });
}

Problem pointsProblem(bsgp_context* context, Team& team, Size size) {
  int n = size(1000000, 200000), side = int(std::sqrt(float(n) / 8));
  float radius = 0.9f / float(side);
  Points points = makePoints(context, n, side);
  auto ours = [=](auto* function) {
    bsgp::check(function(context, points.x->data(), points.y->data(), points.begins->data(), points.counts->data(), n,
                         side, radius));
  };
  return {"points within a radius, by a grid, " + std::to_string(n),
          [] {},
          [=] { ours(near); },
          [=] { ours(near_width1); },
          [=, &team] { countNear(team, points, radius); },
          [=] { return digestOf(points.counts->data(), n); }};
}

} // namespace

void addOthers(Problems& to, bsgp_context* context, Team& team, Size size) {
  to.push_back([=, &team] { return distinctProblem(context, team, size); });
  to.push_back([=, &team] { return stringsProblem(context, team, size); });
  to.push_back([=, &team] { return pointsProblem(context, team, size); });
}

} // namespace bench

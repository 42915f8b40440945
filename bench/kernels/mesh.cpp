#include "mesh.h"

#include <algorithm>
#include <array>

namespace bench {
namespace {

using Point = std::array<float, 3>;

struct Box {
  Point low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  void add(const Point& p) {
    for (size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], p[i]);
      high[i] = std::max(high[i], p[i]);
    }
  }
  void add(const Box& box) { // an empty one changes nothing
    add(box.low);
    add(box.high);
  }
  float area() const { // half of it
    float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x < 0 ? 0 : x * y + y * z + z * x;
  }
};

struct Piece {
  std::array<Point, 3> corners;
  Box box;
  Point middle;
};

Point onBall(float u, float v) {
  float a = u * 2 * float(M_PI), b = v * float(M_PI);
  float r = 1 + 0.15f * std::sin(7 * a) * std::sin(5 * b) * std::sin(b) +
            0.05f * std::sin(23 * a) * std::sin(19 * b) * std::sin(b);
  return {r * std::sin(b) * std::cos(a), r * std::cos(b), r * std::sin(b) * std::sin(a)};
}

Piece pieceOf(Point a, Point b, Point c) {
  Piece piece{{a, b, c}, {}, {}};
  for (const Point& corner : piece.corners)
    piece.box.add(corner);
  for (size_t i = 0; i < 3; ++i)
    piece.middle[i] = (piece.box.low[i] + piece.box.high[i]) / 2;
  return piece;
}

std::vector<Piece> piecesOfBall(int cells) {
  std::vector<Piece> pieces;
  float n = float(cells);
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j) {
      float u = float(i), v = float(j);
      Point a = onBall(u / n, v / n), b = onBall((u + 1) / n, v / n), c = onBall(u / n, (v + 1) / n),
            d = onBall((u + 1) / n, (v + 1) / n);
      pieces.push_back(pieceOf(a, b, c));
      pieces.push_back(pieceOf(b, d, c));
    }
  return pieces;
}

// Top down, cut where the surface area heuristic over 16 bins of the longest axis is least (Wald 2007).
class Builder {
public:
  explicit Builder(std::vector<Piece>& pieces) : pieces_(pieces) {
    nodes.emplace_back();
    build(0, 0, pieces.size());
  }
  std::vector<Node> nodes;

private:
  static constexpr size_t kBins = 16, kLeaf = 4;
  struct Bin {
    Box box;
    size_t count = 0;
  };

  void build(size_t at, size_t begin, size_t end) {
    Box box, middles;
    for (size_t i = begin; i < end; ++i) {
      box.add(pieces_[i].box);
      middles.add(pieces_[i].middle);
    }
    nodes[at] = {
        {box.low[0], box.low[1], box.low[2]}, int(begin), {box.high[0], box.high[1], box.high[2]}, int(end - begin)};
    size_t cut = end - begin <= kLeaf ? begin : cutOf(begin, end, middles);
    if (cut == begin || cut == end)
      return;
    size_t left = nodes.size();
    nodes[at].first = int(left);
    nodes[at].count = 0;
    nodes.resize(left + 2);
    build(left, begin, cut);
    build(left + 1, cut, end);
  }

  size_t cutOf(size_t begin, size_t end, const Box& middles) {
    size_t axis = 0;
    for (size_t i = 1; i < 3; ++i)
      if (middles.high[i] - middles.low[i] > middles.high[axis] - middles.low[axis])
        axis = i;
    float low = middles.low[axis], scale = float(kBins) * 0.9999f / (middles.high[axis] - low);
    auto binOf = [=](const Piece& piece) { return size_t((piece.middle[axis] - low) * scale); };
    std::array<Bin, kBins> bins{};
    for (size_t i = begin; i < end; ++i) {
      Bin& bin = bins[binOf(pieces_[i])];
      bin.box.add(pieces_[i].box);
      ++bin.count;
    }
    size_t best = bestCut(bins);
    auto middle = std::partition(pieces_.begin() + long(begin), pieces_.begin() + long(end),
                                 [&](const Piece& piece) { return binOf(piece) < best; });
    return size_t(middle - pieces_.begin());
  }

  static size_t bestCut(const std::array<Bin, kBins>& bins) {
    size_t best = 1;
    float least = INFINITY;
    for (size_t cut = 1; cut < kBins; ++cut) {
      Bin left, right;
      for (size_t i = 0; i < kBins; ++i) {
        Bin& side = i < cut ? left : right;
        side.box.add(bins[i].box);
        side.count += bins[i].count;
      }
      float cost = left.box.area() * float(left.count) + right.box.area() * float(right.count);
      if (left.count && right.count && cost < least) {
        least = cost;
        best = cut;
      }
    }
    return best;
  }

  std::vector<Piece>& pieces_;
};

Triangle triangleOf(const Piece& piece) {
  const auto& [a, b, c] = piece.corners;
  return {{a[0], a[1], a[2]}, {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, {c[0] - a[0], c[1] - a[1], c[2] - a[2]}};
}

} // namespace

Mesh makeMesh(bsgp_context* context, int cells) {
  std::vector<Piece> pieces = piecesOfBall(cells);
  Builder builder(pieces);
  return {arrayOf<Node>(context, builder.nodes.size(), [&](size_t i) { return builder.nodes[i]; }),
          arrayOf<Triangle>(context, pieces.size(), [&](size_t i) { return triangleOf(pieces[i]); })};
}

} // namespace bench

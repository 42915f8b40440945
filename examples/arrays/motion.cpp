// How each block of 16 x 16 pixels has moved from one picture to the next, in quarters of a pixel. The search begins in pictures a quarter
// as large, over 7 x 7 pixels; its result is refined by a pixel around it in pictures of twice the size, up to four times the original.
#include "pictures.h"
#include "program.h"

namespace {

constexpr int64_t kBlock = 16; // pixels

struct Vectors {
  Array y, x;
};

// The sums of 2 x 2 pixels.
Array halved(const Array& p) {
  int64_t height = p.shape()[0] / 2, width = p.shape()[1] / 2;
  auto part = [&](int64_t y, int64_t x) { return section(p, {{y, height, 2}, {x, width, 2}}); };
  return part(0, 0) + part(0, 1) + part(1, 0) + part(1, 1);
}

// Each pixel as scale x scale pixels, between the original ones; with scale * scale as large values, as no fraction is lost. Axes: row,
// row between rows, column between columns, column. The long axis is the last one, which is the fastest.
Array enlarged(const Array& p, int64_t scale) {
  auto pixels = [&](int64_t i, int64_t j) { return add_dimension(add_dimension(shift(p, {-i, -j}, clamp), 1), 1); };
  Array down = astype(index({1, scale, 1, 1}, 1), float32), right = astype(index({1, 1, scale, 1}, 2), float32);
  Array above = pixels(0, 0) * (scale - right) + pixels(0, 1) * right;
  Array below = pixels(1, 0) * (scale - right) + pixels(1, 1) * right;
  return above * (scale - down) + below * down;
}

// The vectors, at most `radius` from `near`, for which blocks of `first` are most alike to `second`, which is enlarged by `scale`.
Vectors search(const Array& first, const Array& second, int64_t scale, int64_t block, const Vectors& near,
               int64_t radius) {
  int64_t rows = first.shape()[0] / block, columns = first.shape()[1] / block, width = second.shape()[3];
  int64_t last_row = second.shape()[0] * scale - 1, last_column = width * scale - 1;
  int log2 = scale / 2; // of 1, 2 or 4
  Array blocks = reshape(first, {rows, block, columns, block}) * float(scale * scale), pixels = reshape(second, {-1});
  Shape places = {rows, block, columns, block};
  auto perBlock = [](const Array& a) { return astype(add_dimension(add_dimension(a, 1), 3), int32); };
  auto start = [&](int axis) { return astype((index(places, axis) * block + index(places, axis + 1)) * scale, int32); };
  Array y = start(0) + perBlock(near.y), x = start(2) + perBlock(near.x), least = 0;
  Vectors best = near;
  for (int64_t dy = -radius; dy <= radius; ++dy)
    for (int64_t dx = -radius; dx <= radius; ++dx) {
      Array row = minimum(maximum(y + dy, 0), last_row), column = minimum(maximum(x + dx, 0), last_column);
      Array cost =
          sum(abs(blocks - gather(pixels, (row * scale + (column & (scale - 1))) * width + (column >> log2))), {1, 3});
      bool is_first = dy == -radius && dx == -radius;
      Array better = is_first ? full(cost.shape(), true, bool_) : cost < least;
      best = {cond(better, near.y + dy, best.y), cond(better, near.x + dx, best.x)};
      least = is_first ? cost : minimum(least, cost);
    }
  return best;
}

Arrays motion(const Array& first, const Array& second) {
  Array half[] = {halved(first), halved(second)}, quarter[] = {halved(half[0]), halved(half[1])};
  Array none = zeros({first.shape()[0] / kBlock, first.shape()[1] / kBlock}, int32);
  Vectors v = search(quarter[0], enlarged(quarter[1], 1), 1, kBlock / 4, {none, none}, 3);
  v = search(half[0], enlarged(half[1], 1), 1, kBlock / 2, {v.y * 2, v.x * 2}, 1);
  for (int64_t scale : {1, 2, 4})
    v = search(first, enlarged(second, scale), scale, kBlock, {v.y * 2, v.x * 2}, 1);
  return {v.y, v.x};
}

} // namespace

int main(int argc, char** argv) {
  return guarded([&] {
    Program program(argc, argv, 512);
    if (program.size % kBlock)
      throw std::runtime_error("motion: the size is a multiple of 16");
    // The middle of the picture has moved by (5, -3) pixels, the rest by (-2, 7).
    int64_t size = program.size;
    Array y = pictures::rows(size), x = pictures::columns(size);
    Array is_middle = y >= size / 4 && y < size * 3 / 4 && x >= size / 4 && x < size * 3 / 4;
    Array first = astype(pictures::scene(y + 64, x + 64), float32);
    Array second = astype(pictures::scene(y + cond(is_middle, 59, 66), x + cond(is_middle, 67, 57)), float32);
    eval({first, second});
    Arrays result = program.run([&] { return motion(first, second); });
    Array outer = result[0] == -8 && result[1] == 28, middle = result[0] == 20 && result[1] == -12;
    std::printf("%lld blocks moved by (-2, 7), %lld by (5, -3), of %lld\n",
                static_cast<long long>(sum(outer).item<int64_t>()), static_cast<long long>(sum(middle).item<int64_t>()),
                static_cast<long long>(result[0].size()));
    program.writeRaw(result);
    auto shade = [](const Array& vector) { // a square for each block
      return add_dimension(add_dimension(0.5f + vector / 64.0f, 2, kBlock), 1, kBlock);
    };
    Array picture = stack({shade(result[0]), shade(zeros(result[0].shape())), shade(result[1])}, 4);
    program.writePicture(reshape(picture, {size, size, 3})); // red: downwards, blue: to the right
  });
}

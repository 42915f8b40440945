// Corners of a picture as Kanade, Lucas and Tomasi find them: where the smaller eigenvalue of the gradients' matrix is large.
#include "filters.h"
#include "pictures.h"
#include "program.h"

namespace {

Array difference(const Array& picture, const std::vector<int64_t>& by) {
  return (shift(picture, {-by[0], -by[1]}, clamp) - shift(picture, by, clamp)) / 2;
}

// How much of a corner each pixel is.
Array cornerness(const Array& picture) {
  Array smooth = blur(picture, 2);
  Array dy = difference(smooth, {1, 0}), dx = difference(smooth, {0, 1});
  Array yy = blur(dy * dy, 4), yx = blur(dy * dx, 4), xx = blur(dx * dx, 4);
  return (yy + xx - sqrt(square(yy - xx) + square(yx) * 4)) / 2;
}

// The largest of all pixels at most so far away.
Array largestNear(const Array& values, int64_t radius) {
  Array largest = values;
  for (int axis = 0; axis < 2; ++axis) {
    Array row = largest;
    for (int64_t i = 1; i <= radius; ++i)
      for (int64_t by : {-i, i})
        largest = maximum(largest, shift(row, axis ? Shape{0, by} : Shape{by, 0}, clamp));
  }
  return largest;
}

} // namespace

int main(int argc, char** argv) {
  return guarded([&] {
    Program program(argc, argv, 1000);
    Array picture = pictures::gray(program.size);
    Arrays result = program.run([&] { return Arrays{cornerness(picture)}; });
    Array values = result[0];
    Array corners = values == largestNear(values, 8) && values > max(values) * 0.2f;
    std::printf("%lld corners\n", static_cast<long long>(sum(corners).item<int64_t>()));
    program.writeRaw(result);
    Array mark = largestNear(astype(corners, float32), 2);
    program.writePicture(stack({maximum(picture, mark), picture * (1 - mark), picture * (1 - mark)}, 2));
  });
}

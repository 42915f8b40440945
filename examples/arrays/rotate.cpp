// A colour picture turned by 10 degrees around its middle. Each pixel is read between four pixels of the original; outside, all is 0.
#include <cmath>

#include "pictures.h"
#include "program.h"

namespace {

// The pixels of `picture`, channels x rows x columns, at whole rows y and columns x; 0 outside.
Array pixels(const Array& picture, const Array& y, const Array& x) {
  int64_t height = picture.shape()[1], width = picture.shape()[2];
  Array inside = y >= 0 && y < height && x >= 0 && x < width;
  Array all = reshape(picture, {picture.shape()[0], height * width});
  return cond(inside, gather(all, cond(inside, y * width + x, 0), 1), 0);
}

Array turned(const Array& picture, double degrees) {
  double angle = degrees * std::acos(-1.0) / 180, cosine = std::cos(angle), sine = std::sin(angle);
  int64_t height = picture.shape()[1], width = picture.shape()[2];
  double middle_y = double(height - 1) / 2, middle_x = double(width - 1) / 2;
  Array v = index({height, 1}, 0) - middle_y, u = index({1, width}, 1) - middle_x;
  Array y = v * cosine - u * sine + middle_y, x = v * sine + u * cosine + middle_x;
  Array row = astype(floor(y), int32), column = astype(floor(x), int32);
  Array down = astype(y - row, float32), right = astype(x - column, float32);
  Array above = pixels(picture, row, column) * (1 - right) + pixels(picture, row, column + 1) * right;
  Array below = pixels(picture, row + 1, column) * (1 - right) + pixels(picture, row + 1, column + 1) * right;
  return above * (1 - down) + below * down;
}

} // namespace

int main(int argc, char** argv) {
  return guarded([&] {
    Program program(argc, argv, 1000);
    Array picture = pictures::colour(program.size);
    Arrays result = program.run([&] { return Arrays{turned(picture, 10)}; });
    std::printf("mean %.6f, before %.6f\n", mean(result[0]).item<float>(), mean(picture).item<float>());
    program.writeRaw(result);
    program.writePicture(transpose(result[0], {1, 2, 0}));
  });
}

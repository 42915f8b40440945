// A colour picture from the pixels of a sensor, each of which sees one colour, by the filters of Malvar, He and Cutler (2004). Rows are
// red, green, red, green … and green, blue, green, blue … Outside, the mosaic is repeated: colours stay in their places.
#include <cmath>

#include "pictures.h"
#include "program.h"

namespace {

Array at(const Array& mosaic, int64_t dy, int64_t dx) {
  return rotate(mosaic, {-dy, -dx});
}

// The four neighbours at a distance, along columns, along rows, and at corners.
struct Neighbours {
  explicit Neighbours(const Array& m)
      : vertical(at(m, -1, 0) + at(m, 1, 0)), horizontal(at(m, 0, -1) + at(m, 0, 1)),
        far_vertical(at(m, -2, 0) + at(m, 2, 0)), far_horizontal(at(m, 0, -2) + at(m, 0, 2)),
        diagonal(at(m, -1, -1) + at(m, -1, 1) + at(m, 1, -1) + at(m, 1, 1)) {}
  Array vertical, horizontal, far_vertical, far_horizontal, diagonal;
};

Arrays demosaic(const Array& mosaic) {
  Neighbours n(mosaic);
  Array y = index({mosaic.shape()[0], 1}, 0) & 1, x = index({1, mosaic.shape()[1]}, 1) & 1;
  Array green = (mosaic * 4 + (n.vertical + n.horizontal) * 2 - n.far_vertical - n.far_horizontal) / 8;
  Array beside = (mosaic * 5 + n.horizontal * 4 - n.diagonal - n.far_horizontal + n.far_vertical * 0.5f) / 8;
  Array above = (mosaic * 5 + n.vertical * 4 - n.diagonal - n.far_vertical + n.far_horizontal * 0.5f) / 8;
  Array across = (mosaic * 6 + n.diagonal * 2 - (n.far_vertical + n.far_horizontal) * 1.5f) / 8;
  Array is_red = (y + x) == 0, is_blue = (y + x) == 2, is_red_row = y == 0;
  return {cond(is_red, mosaic, cond(is_blue, across, cond(is_red_row, beside, above))),
          cond(is_red || is_blue, green, mosaic),
          cond(is_blue, mosaic, cond(is_red, across, cond(is_red_row, above, beside)))};
}

Array channel(const Array& picture, int64_t number) {
  int64_t size = picture.shape()[1];
  return drop_dimension(section(picture, {{number, 1}, {0, size}, {0, size}}), 0);
}

Array mosaicOf(const Array& picture) {
  Array y = index({picture.shape()[1], 1}, 0) & 1, x = index({1, picture.shape()[2]}, 1) & 1, sum = y + x;
  return cond(sum == 0, channel(picture, 0), cond(sum == 2, channel(picture, 2), channel(picture, 1)));
}

} // namespace

int main(int argc, char** argv) {
  return guarded([&] {
    Program program(argc, argv, 1000);
    if (program.size % 2)
      throw std::runtime_error("demosaic: the size is even, as the mosaic is repeated outside");
    Array picture = pictures::colour(program.size), mosaic = mosaicOf(picture);
    eval({mosaic});
    Arrays result = program.run([&] { return demosaic(mosaic); });
    Array made = stack(result, 0);
    float error = mean(square(made - picture)).item<float>();
    std::printf("signal to noise: %.2f dB\n", -10 * std::log10(error));
    program.writeRaw(result);
    program.writePicture(transpose(made, {1, 2, 0}));
  });
}

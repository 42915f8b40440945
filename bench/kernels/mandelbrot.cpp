#include "mandelbrot.h"
#include "kernel.h"
#include "lanes.h"

namespace bench {
namespace {

struct View {
  int width, height;
  float left, top, dx, dy;
  int most;
};

void serial(int* image, const View& v) {
  for (int row = 0; row < v.height; ++row)
    for (int column = 0; column < v.width; ++column) {
      float cx = v.left + float(column) * v.dx, cy = v.top + float(row) * v.dy, x = cx, y = cy;
      int i = 0;
      for (; i < v.most && x * x + y * y <= 4.0f; ++i) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
      }
      image[row * v.width + column] = i;
    }
}

void vectors(int* image, const View& v) {
  for (int row = 0; row < v.height; ++row)
    for (int column = 0; column < v.width; column += kLanes) {
      Floats cx = v.left + lanesFrom(float(column)) * v.dx, cy = v.top + float(row) * v.dy, x = cx, y = cy;
      Floats count = 0.0f;
      for (int i = 0; i < v.most; ++i) {
        auto inside = x * x + y * y <= 4.0f;
        if (none_of(inside))
          break;
        where(inside, count) += 1.0f;
        Floats next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
      }
      stdx::static_simd_cast<Ints>(count).copy_to(image + row * v.width + column, stdx::element_aligned);
    }
}

} // namespace

Kernel mandelbrot(bsgp_context* context, bool quick) {
  View v{768, quick ? 128 : 512, -2, -1, 3.0f / 768, 0, 256};
  v.dy = 2.0f / float(v.height);
  auto image = arrayOf<int>(context, size_t(v.width * v.height));
  Kernel kernel{.size = std::to_string(v.width) + "x" + std::to_string(v.height) + ", 256 steps",
                .tolerance = 0,
                .outliers = 0.005};
  kernel.forms = {
      {Form::Bsgp, "",
       [=](bsgp_context* on) {
         bsgp::check(mandelbrot_image(on, image->data(), v.width, v.height, v.left, v.top, v.dx, v.dy, v.most));
       }},
      {Form::Serial, "", [=](bsgp_context*) { serial(image->data(), v); }},
      {Form::Simd, "vectors", [=](bsgp_context*) { vectors(image->data(), v); }},
  };
  kernel.writes(image);
  return kernel;
}

} // namespace bench

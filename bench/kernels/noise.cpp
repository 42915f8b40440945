#include "noise.h"
#include "kernel.h"

namespace bench {
namespace {

struct View {
  int width, height;
  float low, high, z;
  int octaves;
};

inline float fade(float t) {
  return t * t * t * (t * (t * 6 - 15) + 10);
}

inline float mix(float a, float b, float t) {
  return a + t * (b - a);
}

inline float slope(int hash, float x, float y, float z) {
  int h = hash & 15;
  float u = h < 8 ? x : y;
  float v = h < 4 ? y : h == 12 || h == 14 ? x : z;
  return ((h & 1) ? -u : u) + ((h & 2) ? -v : v);
}

[[gnu::always_inline]] inline float at(const int* table, float x, float y, float z) {
  float wx = std::floor(x), wy = std::floor(y), wz = std::floor(z);
  float fx = x - wx, fy = y - wy, fz = z - wz;
  int ix = int(wx) & 255, iy = int(wy) & 255, iz = int(wz) & 255;
  float u = fade(fx), v = fade(fy), w = fade(fz);
  int a = table[ix] + iy, b = table[ix + 1] + iy;
  int aa = table[a] + iz, ab = table[a + 1] + iz, ba = table[b] + iz, bb = table[b + 1] + iz;
  float x00 = mix(slope(table[aa], fx, fy, fz), slope(table[ba], fx - 1, fy, fz), u);
  float x10 = mix(slope(table[ab], fx, fy - 1, fz), slope(table[bb], fx - 1, fy - 1, fz), u);
  float x01 = mix(slope(table[aa + 1], fx, fy, fz - 1), slope(table[ba + 1], fx - 1, fy, fz - 1), u);
  float x11 = mix(slope(table[ab + 1], fx, fy - 1, fz - 1), slope(table[bb + 1], fx - 1, fy - 1, fz - 1), u);
  return mix(mix(x00, x10, v), mix(x01, x11, v), w);
}

void serial(float* image, const View& view, const int* table) {
  for (int row = 0; row < view.height; ++row)
    for (int column = 0; column < view.width; ++column) {
      float x = view.low + float(column) * (view.high - view.low) / float(view.width);
      float y = view.low + float(row) * (view.high - view.low) / float(view.height);
      float sum = 0, scale = 1, weight = 1;
      for (int i = 0; i < view.octaves; ++i) {
        sum += std::fabs(weight * at(table, x * scale, y * scale, view.z * scale));
        scale *= 1.99f;
        weight *= 0.6f;
      }
      image[row * view.width + column] = sum * 0.5f;
    }
}

// An octave of a row at a time.
void simd(float* image, const View& view, const int* table) {
  for (int row = 0; row < view.height; ++row) {
    float* line = image + row * view.width;
    std::fill_n(line, view.width, 0.0f);
    float y = view.low + float(row) * (view.high - view.low) / float(view.height), scale = 1, weight = 0.5f;
    for (int i = 0; i < view.octaves; ++i) {
#pragma omp simd
      for (int column = 0; column < view.width; ++column) {
        float x = view.low + float(column) * (view.high - view.low) / float(view.width);
        line[column] += std::fabs(weight * at(table, x * scale, y * scale, view.z * scale));
      }
      scale *= 1.99f;
      weight *= 0.6f;
    }
  }
}

} // namespace

Kernel noise(bsgp_context* context, bool quick) {
  View view{768, quick ? 96 : 768, -10, 10, 0.6f, 8};
  auto image = arrayOf<float>(context, size_t(view.width * view.height));
  auto table = arrayOf<int>(context, 512, [](size_t i) { return i & 255; });
  Random random(1);
  for (int i = 255; i > 0; --i)
    std::swap(table->data()[i], table->data()[int(random() * float(i + 1))]);
  std::copy_n(table->data(), 256, table->data() + 256);
  Kernel kernel{.size = std::to_string(view.width) + "x" + std::to_string(view.height) + ", 8 octaves",
                .tolerance = 1e-5};
  kernel.forms = {
      {Form::Bsgp, "",
       [=](bsgp_context* on) {
         bsgp::check(noise_image(on, image->data(), view.width, view.height, view.low, view.high, view.z, view.octaves,
                                 table->data()));
       }},
      {Form::Serial, "", [=](bsgp_context*) { serial(image->data(), view, table->data()); }},
      {Form::Simd, "omp simd", [=](bsgp_context*) { simd(image->data(), view, table->data()); }},
  };
  kernel.writes(image);
  return kernel;
}

} // namespace bench

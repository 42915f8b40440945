// Filters that several programs use.
#pragma once

#include <cmath>

#include "program.h"

// Weights exp(-i * i / (2 * sigma * sigma)) for i in -radius..radius, with sum 1; sigma is half of the radius.
inline std::vector<float> gaussian(int radius) {
  std::vector<double> weights;
  double sum = 0, sigma = radius / 2.0;
  for (int i = -radius; i <= radius; ++i)
    sum += weights.emplace_back(std::exp(-i * i / (2 * sigma * sigma)));
  std::vector<float> normalized;
  for (double weight : weights)
    normalized.push_back(float(weight / sum));
  return normalized;
}

// The weighted sum of a pixel and its neighbours along an axis.
inline Array along(const Array& picture, int axis, const std::vector<float>& weights) {
  Array sum = 0.0f;
  for (size_t i = 0; i < weights.size(); ++i) {
    int64_t by = int64_t(weights.size() / 2) - int64_t(i);
    sum += shift(picture, axis ? Shape{0, by} : Shape{by, 0}, clamp) * weights[i];
  }
  return sum;
}

inline Array blur(const Array& picture, int radius) {
  std::vector<float> weights = gaussian(radius);
  return along(along(picture, 0, weights), 1, weights);
}

#include "by_hand.h"

#include <algorithm>
#include <cmath>
#include <experimental/simd>
#include <omp.h>

namespace bench {

namespace stdx = std::experimental;

namespace {

constexpr float kNorm = 3.34225380f;

template <class T> T weight(T u) {
  return kNorm * ((u * u) * (u * u) * (5 - 4 * u));
}
template <class T> T slope(T u) {
  return 20 * kNorm * u * u * u;
}
float behind(float u) {
  return (u * u) * (u * u) * (u * u) * (3.5f + u * (1.5f * u - 4.5f));
}
float behindSlope(float u) {
  return (u * u) * (u * u) * u * (21 + u * (12 * u - 31.5f));
}
float component(const bsgp_float3& v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

} // namespace

ByHand::ByHand(const Water& water, int particles)
    : water_(water), n_(size_t(particles)), row_(water.cells.x + 2), layer_(row_ * (water.cells.z + 2)),
      pressure_(n_ + 64), volume_(n_ + 64), cell_(n_), begin_(size_t(layer_ * (water.cells.y + 2) + 1)), key_(n_),
      counts_(size_t(omp_get_max_threads()), std::vector<int>(begin_.size())) {
  for (Vectors* vectors : {&at_, &velocity_, &next_at_, &next_velocity_})
    for (Column& column : *vectors)
      column.resize(n_ + 64);
}

void ByHand::put(const float* at, const float* velocity) {
  for (size_t i = 0; i < n_; ++i)
    for (size_t k = 0; k < 3; ++k)
      at_[k][i] = at[3 * i + k], velocity_[k][i] = velocity[3 * i + k];
}

void ByHand::get(float* at, float* velocity) const {
  for (size_t i = 0; i < n_; ++i)
    for (size_t k = 0; k < 3; ++k)
      at[3 * i + k] = at_[k][i], velocity[3 * i + k] = velocity_[k][i];
}

int ByHand::cellOf(size_t i) const {
  return (int(at_[1][i]) + 1) * layer_ + (int(at_[2][i]) + 1) * row_ + int(at_[0][i]) + 1;
}

// A counting sort: each thread counts its part, then puts it where its parts of the cells begin.
void ByHand::sort() {
  int threads = omp_get_max_threads();
  size_t cells = begin_.size() - 1;
#pragma omp parallel num_threads(threads)
  {
    std::vector<int>& counts = counts_[size_t(omp_get_thread_num())];
    std::fill(counts.begin(), counts.end(), 0);
#pragma omp for schedule(static)
    for (size_t i = 0; i < n_; ++i)
      ++counts[size_t(key_[i] = cellOf(i))];
#pragma omp single
    for (int place = 0, c = 0; size_t(c) <= cells; ++c) {
      begin_[size_t(c)] = place;
      for (std::vector<int>& of : counts_) {
        int count = of[size_t(c)];
        of[size_t(c)] = place;
        place += count;
      }
    }
#pragma omp for schedule(static)
    for (size_t i = 0; i < n_; ++i) {
      size_t to = size_t(counts[size_t(key_[i])]++);
      cell_[to] = key_[i];
      for (size_t k = 0; k < 3; ++k)
        next_at_[k][to] = at_[k][i], next_velocity_[k][to] = velocity_[k][i];
    }
  }
  std::swap(at_, next_at_);
  std::swap(velocity_, next_velocity_);
}

ByHand::Run ByHand::runOf(int first, int last, int row, int from) const {
  int shift = (row / 3 - 1) * layer_ + (row % 3 - 1) * row_;
  return {std::max(from, begin_[size_t(first + shift - 1)]), std::max(from, begin_[size_t(last + shift + 2)])};
}

// The density that walls add; and, where it is asked for, their force.
float ByHand::walls(size_t i, float* force, float pressure) const {
  float inside[3], slopes[3];
  for (int k = 0; k < 3; ++k) {
    float at = at_[size_t(k)][i], low = std::max(1 - at, 0.0f),
          high = std::max(1 - (component(water_.box, k) - at), 0.0f);
    inside[k] = 1 - behind(low) - behind(high);
    slopes[k] = behindSlope(low) - behindSlope(high);
  }
  for (int k = 0; force && k < 3; ++k)
    force[k] += 2 * pressure * slopes[k] * inside[(k + 1) % 3] * inside[(k + 2) % 3];
  return 1 - inside[0] * inside[1] * inside[2];
}

void ByHand::store(size_t i, float density) {
  float d2 = density * density, stiffness = water_.sound * water_.sound / 7;
  pressure_[i] = std::max(stiffness * (d2 * d2 * d2 * density - 1), 0.0f) / d2;
  volume_[i] = 1 / density;
}

void ByHand::move(size_t i, const float* sum) {
  float force[3] = {water_.mass * sum[0], water_.mass * sum[1] - 1, water_.mass * sum[2]};
  walls(i, force, pressure_[i]);
  for (size_t k = 0; k < 3; ++k) {
    float v = velocity_[k][i] + water_.step * force[k], to = at_[k][i] + water_.step * v;
    float at = std::clamp(to, 0.0f, component(water_.box, int(k)));
    next_at_[k][i] = at;
    next_velocity_[k][i] = to == at ? v : -0.5f * v;
  }
}

// ---- a particle at a time

void ByHand::densities() {
  const float *xs = at_[0].data(), *ys = at_[1].data(), *zs = at_[2].data();
#pragma omp parallel for schedule(dynamic, 256)
  for (size_t i = 0; i < n_; ++i) {
    float x = xs[i], y = ys[i], z = zs[i], sum = 0;
    for (int row = 0; row < 9; ++row) {
      Run run = runOf(cell_[i], cell_[i], row, 0);
#pragma omp simd reduction(+ : sum)
      for (int j = run.from; j < run.to; ++j) {
        float dx = x - xs[j], dy = y - ys[j], dz = z - zs[j];
        float u = 1 - std::sqrt(dx * dx + dy * dy + dz * dz);
        sum += weight(u > 0 ? u : 0.0f);
      }
    }
    store(i, water_.mass * sum + walls(i, nullptr, 0));
  }
}

void ByHand::forces() {
  const float *xs = at_[0].data(), *ys = at_[1].data(), *zs = at_[2].data(), *ps = pressure_.data(),
              *vs = volume_.data();
  const float *us = velocity_[0].data(), *ws = velocity_[1].data(), *qs = velocity_[2].data();
#pragma omp parallel for schedule(dynamic, 256)
  for (size_t i = 0; i < n_; ++i) {
    float x = xs[i], y = ys[i], z = zs[i], u = us[i], w = ws[i], q = qs[i], p = ps[i];
    float drag = -2 * water_.viscosity * vs[i], fx = 0, fy = 0, fz = 0;
    for (int row = 0; row < 9; ++row) {
      Run run = runOf(cell_[i], cell_[i], row, 0);
#pragma omp simd reduction(+ : fx, fy, fz)
      for (int j = run.from; j < run.to; ++j) {
        float dx = x - xs[j], dy = y - ys[j], dz = z - zs[j];
        float near = 1 - std::sqrt(dx * dx + dy * dy + dz * dz);
        float s = slope(near > 0 ? near : 0.0f), push = s * (p + ps[j]), pull = s * (drag * vs[j]);
        fx += push * dx + pull * (u - us[j]);
        fy += push * dy + pull * (w - ws[j]);
        fz += push * dz + pull * (q - qs[j]);
      }
    }
    float force[3] = {fx, fy, fz};
    move(i, force);
  }
}

// ---- a group at a time

template <class Lanes> void ByHand::densitiesOfGroups() {
  const float *xs = at_[0].data(), *ys = at_[1].data(), *zs = at_[2].data();
  const size_t group = Lanes::size();
#pragma omp parallel for schedule(dynamic, 16)
  for (size_t i = 0; i < n_; i += group) {
    size_t end = std::min(i + group, n_);
    Lanes x(xs + i, stdx::element_aligned), y(ys + i, stdx::element_aligned), z(zs + i, stdx::element_aligned), sum = 0;
    Run run{0, 0};
    for (int row = 0; row < 9; ++row) {
      run = runOf(cell_[i], cell_[end - 1], row, run.to);
      for (int j = run.from; j < run.to; ++j) {
        Lanes dx = x - xs[j], dy = y - ys[j], dz = z - zs[j];
        sum += weight(Lanes(stdx::max(1 - stdx::sqrt(dx * dx + dy * dy + dz * dz), Lanes(0))));
      }
    }
    for (size_t k = i; k < end; ++k)
      store(k, water_.mass * sum[k - i] + walls(k, nullptr, 0));
  }
}

template <class Lanes> void ByHand::forcesOfGroups() {
  const float *xs = at_[0].data(), *ys = at_[1].data(), *zs = at_[2].data(), *ps = pressure_.data(),
              *vs = volume_.data();
  const float *us = velocity_[0].data(), *ws = velocity_[1].data(), *qs = velocity_[2].data();
  const size_t group = Lanes::size();
#pragma omp parallel for schedule(dynamic, 16)
  for (size_t i = 0; i < n_; i += group) {
    size_t end = std::min(i + group, n_);
    auto of = [&](const float* column) { return Lanes(column + i, stdx::element_aligned); };
    Lanes x = of(xs), y = of(ys), z = of(zs), u = of(us), w = of(ws), q = of(qs), p = of(ps), fx = 0, fy = 0, fz = 0;
    Lanes drag = -2 * water_.viscosity * of(vs);
    Run run{0, 0};
    for (int row = 0; row < 9; ++row) {
      run = runOf(cell_[i], cell_[end - 1], row, run.to);
      for (int j = run.from; j < run.to; ++j) {
        Lanes dx = x - xs[j], dy = y - ys[j], dz = z - zs[j];
        Lanes s = slope(Lanes(stdx::max(1 - stdx::sqrt(dx * dx + dy * dy + dz * dz), Lanes(0))));
        Lanes push = s * (p + ps[j]), pull = s * (drag * vs[j]);
        fx += push * dx, fy += push * dy, fz += push * dz;
        fx += pull * (u - us[j]), fy += pull * (w - ws[j]), fz += pull * (q - qs[j]);
      }
    }
    for (size_t k = i; k < end; ++k) {
      float force[3] = {fx[k - i], fy[k - i], fz[k - i]};
      move(k, force);
    }
  }
}

void ByHand::run(Form form, int steps) {
  using Lanes = stdx::native_simd<float>;
  for (int step = 0; step < steps; ++step) {
    sort();
    form == Form::loops ? densities() : densitiesOfGroups<Lanes>();
    form == Form::loops ? forces() : forcesOfGroups<Lanes>();
    std::swap(at_, next_at_);
    std::swap(velocity_, next_velocity_);
  }
}

} // namespace bench

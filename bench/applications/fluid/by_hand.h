// The simulation of examples/fluid in C++ with OpenMP: particles in arrays of floats, in the order of their cells.
#pragma once

#include <array>
#include <vector>

#include "dam.h"

namespace bench {

// `loops`: each particle goes through the runs of its own cells, in loops that are `omp simd`. `groups`: as many particles as
// a vector has lanes go through the runs of all of them, by std::experimental::simd.
enum class Form { loops, groups };

class ByHand {
public:
  explicit ByHand(const Water& water, int particles);

  void put(const float* at, const float* velocity); // x, y, z of each
  void get(float* at, float* velocity) const;
  void run(Form form, int steps);

private:
  using Column = std::vector<float>;
  using Vectors = std::array<Column, 3>;

  struct Run {
    int from, to;
  };

  void sort();
  int cellOf(size_t i) const;
  Run runOf(int first, int last, int row, int from) const;
  float walls(size_t i, float* force, float pressure) const;
  void store(size_t i, float density);
  void move(size_t i, const float* force);

  void densities();
  void forces();
  template <class Lanes> void densitiesOfGroups();
  template <class Lanes> void forcesOfGroups();

  Water water_;
  size_t n_;
  int row_, layer_; // cells
  Vectors at_, velocity_, next_at_, next_velocity_;
  Column pressure_, volume_;
  std::vector<int> cell_, begin_, key_;
  std::vector<std::vector<int>> counts_; // of each thread
};

} // namespace bench

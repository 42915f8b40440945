// Embree on triangles and rays of ours.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include <embree3/rtcore.h>

#include "../../primitives/team.h"
#include "rays.h"

namespace bench {

enum class Form { single, packets };

class Embree {
public:
  Embree(unsigned threads, bool robust);
  ~Embree();
  Embree(const Embree&) = delete;
  Embree& operator=(const Embree&) = delete;

  // Copies them, for build().
  void take(const Triangle* triangles, size_t n);
  void build();
  size_t bytes() const { return bytes_; } // of what is built

  void nearest(Team& team, Form form, bool coherent, const Ray* rays, size_t n, Hit* hits) const;
  // Up to one length of the ray; of hits only whether there is a triangle (0) or none (-1).
  void any(Team& team, Form form, const Ray* rays, size_t n, Hit* hits) const;

private:
  RTCDevice device_;
  RTCScene scene_ = nullptr;
  bool robust_;
  std::vector<bsgp_float3> corners_;
  std::vector<unsigned> numbers_;
  std::atomic<size_t> bytes_{0};
};

} // namespace bench

// The tessellator of examples/tessellation in C++: a thread of the team takes patches as it comes by them, writes each by loops.
#pragma once

#include <vector>

#include "meshes.h"

#include "../../primitives/team.h"

namespace bench {

struct Patch {
  float x, z, side; // the corner with the right angle; b is `side` beside it, c as much above
  int parts[4];     // segments of ab, bc, ca; of each side of the triangle within
  float ends[4];    // the first segment of each; how far the triangle within is from the edges
  int vertices() const { return parts[0] + parts[1] + parts[2] + (parts[3] + 1) * (parts[3] + 2) / 2; }
  int faces() const { return parts[0] + parts[1] + parts[2] + parts[3] * (parts[3] + 3); }
};

class ByHand {
public:
  explicit ByHand(Team& team) : team_(team) {}
  ~ByHand();
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  void tessellate(const Input& ground, const View& view, float density);

  const Vertex* vertices() const { return vertices_; }
  const bsgp_int3* faces() const { return faces_; }
  size_t vertex_count() const { return vertex_count_; }
  size_t face_count() const { return face_count_; }

private:
  void refine(const Input& ground, const View& view, float density, size_t number);
  void makeRoom();

  Team& team_;
  std::vector<Patch> patches_;
  std::vector<size_t> first_vertex_, first_face_; // one more than patches; patches out of sight have none
  Vertex* vertices_ = nullptr;
  bsgp_int3* faces_ = nullptr;
  size_t vertex_count_ = 0, face_count_ = 0, vertex_room_ = 0, face_room_ = 0;
};

} // namespace bench

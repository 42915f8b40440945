// A mesh and its hierarchy of bounding boxes, made on the host, in device memory.
#pragma once

#include "kernel.h"
#include "tracer.h"

namespace bench {

struct Mesh {
  std::shared_ptr<Array<Node>> nodes;         // the root first; children side by side
  std::shared_ptr<Array<Triangle>> triangles; // in the order of the leaves
};

// A ball with hills: 2 * cells * cells triangles.
Mesh makeMesh(bsgp_context* context, int cells);

} // namespace bench

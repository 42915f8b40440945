// Conway's Game of Life on a torus; cells are floats, 0 or 1, as in the paper.
#include "pictures.h"
#include "program.h"

namespace {

Array next(const Array& cells) {
  Array columns = rotate(cells, {-1, 0}) + cells + rotate(cells, {1, 0});
  Array nine = rotate(columns, {0, -1}) + columns + rotate(columns, {0, 1}); // each cell and its neighbours
  return astype(nine == 3 || (nine == 4 && cells == 1), float32);
}

} // namespace

int main(int argc, char** argv) {
  return guarded([&] {
    Program program(argc, argv, 1000);
    Array cells = astype(pictures::matrix(program.size, program.size, 1) > 0.2f, float32);
    eval({cells});
    std::printf("%.0f cells live at first\n", sum(cells).item<float>());
    Arrays result = program.run([&] { return Arrays{next(cells)}; });
    for (int generation = 1; generation < 50; ++generation) {
      result[0] = next(result[0]);
      eval({result[0]});
    }
    std::printf("%.0f cells live after 50 generations\n", sum(result[0]).item<float>());
    program.writeRaw(result);
    program.writePicture(result[0]);
  });
}

// A picture under a Gaussian of 5 x 5 pixels: along columns, then along rows. Pixels outside are the nearest ones.
#include "filters.h"
#include "pictures.h"
#include "program.h"

int main(int argc, char** argv) {
  return guarded([&] {
    Program program(argc, argv, 1000);
    Array picture = pictures::gray(program.size);
    Arrays result = program.run([&] { return Arrays{blur(picture, 2)}; });
    std::printf("mean %.6f, before %.6f\n", mean(result[0]).item<float>(), mean(picture).item<float>());
    program.writeRaw(result);
    program.writePicture(result[0]);
  });
}

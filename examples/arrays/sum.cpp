// The sum of the absolute values of a matrix.
#include "pictures.h"
#include "program.h"

int main(int argc, char** argv) {
  return guarded([&] {
    Program program(argc, argv, 1000, false);
    Array matrix = pictures::matrix(program.size, program.size, 1);
    Arrays result = program.run([&] { return Arrays{sum(abs(matrix))}; });
    std::printf("sum of absolute values: %.4f\n", result[0].item<float>());
    program.writeRaw(result);
  });
}

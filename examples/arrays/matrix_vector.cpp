// A matrix times a vector, by a BLAS.
#include "pictures.h"
#include "program.h"

int main(int argc, char** argv) {
  return guarded([&] {
    Program program(argc, argv, 1000, false);
    Array matrix = pictures::matrix(program.size, program.size, 1);
    Array vector = reshape(pictures::matrix(1, program.size, 2), {-1});
    Arrays result = program.run([&] { return Arrays{matmul(matrix, vector)}; });
    std::printf("largest element of the product: %.6f\n", max(result[0]).item<float>());
    program.writeRaw(result);
  });
}

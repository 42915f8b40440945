// A matrix times a matrix, by a BLAS. inner_product(a, b) is the same in the fixed order of a sum, and slower.
#include "pictures.h"
#include "program.h"

int main(int argc, char** argv) {
  return guarded([&] {
    Program program(argc, argv, 1000, false);
    Array a = pictures::matrix(program.size, program.size, 1), b = pictures::matrix(program.size, program.size, 2);
    Arrays result = program.run([&] { return Arrays{matmul(a, b)}; });
    std::printf("trace of the product: %.4f\n",
                sum(cond(index(a.shape(), 0) == index(a.shape(), 1), result[0], 0)).item<float>());
    program.writeRaw(result);
  });
}

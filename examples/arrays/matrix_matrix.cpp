// A matrix times a matrix: the sum over k of a[i, k] * b[k, j], the inner product. Products are not stored.
#include "pictures.h"
#include "program.h"

int main(int argc, char** argv) {
  return guarded([&] {
    Program program(argc, argv, 1000, false);
    Array a = pictures::matrix(program.size, program.size, 1), b = pictures::matrix(program.size, program.size, 2);
    Arrays result = program.run([&] { return Arrays{inner_product(a, b)}; });
    std::printf("trace of the product: %.4f\n",
                sum(cond(index(a.shape(), 0) == index(a.shape(), 1), result[0], 0)).item<float>());
    program.writeRaw(result);
  });
}

"""A kernel from text doubles a matrix of NumPy, in place."""
import bsgp as bp
import numpy

a = numpy.random.default_rng(0).standard_normal((4, 4)).astype(numpy.float32)
before = a.copy()

mod = bp.compile("""
    export multiply_by_two(float[,] a) {
      spawn (a.height, a.width) {
        a[thread.y, thread.x] *= 2;
      }
    }
    """)

mod.multiply_by_two(a)

print((a == 2 * before).all())

"""Arrays in place of kernels: what is written for NumPy is computed in one pass over memory, on all processors."""
import bsgp as bp
import numpy

a = bp.asarray(numpy.random.default_rng(0).standard_normal((4, 4)).astype(numpy.float32))
a_doubled = numpy.asarray(2 * a)
print((a_doubled == 2 * numpy.asarray(a)).all())

# Several operations, one kernel: nothing is stored in between.
b = bp.sum(bp.sqrt(a * a + 1) - a)
print(bp.explain(b).kernels, numpy.allclose(float(b), (numpy.sqrt(a_doubled**2 / 4 + 1) - a_doubled / 2).sum()))

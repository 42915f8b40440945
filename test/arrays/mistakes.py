"""What is wrong with a call is said where it is made: the operation, the shapes or types, the way out. Nothing else changes."""
import sys

import arrays as A
import numpy as np

x, y = A.from_numpy(np.zeros((3, 4), "f4")), A.from_numpy(np.zeros((5,), "f4"))
flags, none = A.from_numpy(np.zeros(3, bool)), A.from_numpy(np.zeros((0, 3), "i4"))
one, p, q = A.scalar(1, "float32"), A.parameter("float32", [-1, 4]), A.parameter("float32", [-1])
z, unit = A.from_numpy(np.zeros((3, 4), "c8")), A.scalar(1j, "complex128", 1)
NO_ORDER = "numbers of type complex64\n  help: complex numbers have no order: use abs(a) or real(a)"
s, half = A.from_numpy(np.eye(3)), A.longs([0])
bad = np.stack([np.eye(2), np.ones((2, 2)), np.zeros((2, 2)), np.eye(2)]).reshape(2, 2, 2, 2)
NO_FLOATS = "an array of type int32\n  help: it is computed in floating-point numbers: convert by astype, as to float64"
CASES = [
    (lambda: A.apply("add", x, y), "add: shapes (3, 4) and (5,) do not go together"),
    (lambda: A.apply("cond", x, x, x), "cond: an operand of type float32"),
    (lambda: A.apply("subtract", flags, flags), "takes no bools"),
    (lambda: A.apply("bitwise_and", x, x), "takes bools and integers"),
    (lambda: A.apply("logical_and", x, x), "compare first"),
    (lambda: x.fold("sum", [2]), "sum: axis 2 of an array of shape (3, 4)\n  help: its axes are 0 to 1, or -2 to -1"),
    (lambda: x.fold("sum", [0, -2]), "sum: axis 0 is named twice"),
    (lambda: none.fold("max", [0]), "max: axis 0 of an array of shape (0, 3) has no elements"),
    (lambda: none.rows("argmin", 0), "argmin: axis 0 of an array of shape (0, 3) has no elements"),
    (lambda: x.section([0, 0], [3, 5], [1, 1]), "section: {0, 5, 1} (begin, count, stride) of axis 1 reads elements 0 to 4 of 4"),
    (lambda: x.section([0, 3], [3, 2], [1, -4]), "reads elements 3 to -1 of 4"),
    (lambda: x.slice(2, 0, 1, 1), "slice: axis 2 of an array with 2 axes"),
    (lambda: x.slice(0, 0, 1, 0), "slice: the stride is 0"),
    (lambda: x.transpose([0, 0]), "transpose: axis 0 is named twice"),
    (lambda: x.reshape([5, -1]), "reshape: 12 elements of shape (3, 4) do not fill extents whose product is 5"),
    (lambda: x.reshape([-1, -1]), "two extents are -1"),
    (lambda: x.broadcast([4, 4]), "broadcast"),
    (lambda: none.shift([1, 0], "wrap").replicate([2, 3]), "has no elements to repeat"),
    (lambda: x.extend([0, -1], [0, 0], "wrap"), "expand: -1 elements before and 0 after axis 1"),
    (lambda: x.shift([1, 0], "value", x), "the value beyond the border is one number"),
    (lambda: A.from_numpy(np.zeros(3, "i4")).shift([1], "value", one), "help: convert one of them by astype"),
    (lambda: x.gather(y, 0), "gather: indices of type float32\n  help: indices are integers: convert them by astype"),
    (lambda: x.gather(z, 0), "gather: indices of type complex64\n  help: indices are integers: convert real(a) by astype"),
    (lambda: z.cast("float32"), "astype: numbers of type complex64 to float32\n  help: convert real(a), imag(a) or abs(a)"),
    (lambda: z.cast("int8"), "astype: numbers of type complex64 to int8"),
    (lambda: unit.cast("float64"), "astype: numbers of type complex128 to float64"),
    (lambda: A.apply("less", x, z), "less: " + NO_ORDER),
    (lambda: A.apply("greater_equal", x, unit), "greater_equal: " + NO_ORDER),
    (lambda: A.apply("minimum", z, z), "minimum: " + NO_ORDER),
    (lambda: A.apply("floor_divide", z, z), "floor_divide: " + NO_ORDER),
    (lambda: A.apply("remainder", z, one), "remainder: " + NO_ORDER),
    (lambda: A.apply("select", z, x, x), "select: " + NO_ORDER),
    (lambda: z.fold("max"), "max: " + NO_ORDER),
    (lambda: z.rows("sort"), "sort: " + NO_ORDER),
    (lambda: z.rows("argsort", None), "argsort: " + NO_ORDER),
    (lambda: z.rows("argmin"), "argmin: " + NO_ORDER),
    (lambda: z.unique(), "unique: " + NO_ORDER),
    (lambda: A.apply("cond", z, x, x), "cond: an operand of type complex64\n  help: cond asks a bool first: compare, as in not_equal(a, 0)"),
    (lambda: A.apply("logical_not", z), "compare first, as in not_equal(a, 0)"),
    (lambda: A.apply("floor", z), "floor: an operand of type complex64\n  help: floor takes no complex numbers: use real(a), imag(a) or abs(a)"),
    (lambda: A.apply("atan2", z, x), "atan2 takes no complex numbers"),
    (lambda: A.apply("bitwise_and", z, z), "bitwise_and takes no complex numbers"),
    (lambda: A.apply("fma", z, z, z), "help: fma takes no complex numbers: write a * b + c"),
    (lambda: x.shift([1, 0], "value", unit), "shift: a value of type complex128 beyond the border of an array of type float32\n  help: convert the array by astype"),
    (lambda: x.gather(A.index((1,) * 8, 0), 0), "has more than 8 axes"),
    (lambda: x.gather(A.from_numpy(np.array([0, 3])), 0).numpy(), "gather: index 3 in an axis of 3 elements"),
    (lambda: x.gather(A.from_numpy(np.array([0, -4])), 0).numpy(), "gather: index -4 in an axis of 3 elements"),
    (lambda: x.inner(y), "inner_product: shapes (3, 4) and (5,) do not go together"),
    (lambda: x.matmul(y), "matmul: shapes (3, 4) and (5,) do not go together\n  help: the last extent of the first is the last but one of the second"),
    (lambda: x.matmul(one), "matmul: shapes (3, 4) and () do not go together\n  help: both have one axis at least; write a * b for a number"),
    (lambda: A.index((2, 3, 4), 0).matmul(A.index((5, 4, 3), 0)), "matmul: shapes (2,) and (5,) do not go together"),
    (lambda: p.matmul(y), "matmul: shapes (-1, 4) and (5,) do not go together"),
    (lambda: A.make("vecdot", x, x, 0), "vecdot: axis 0 of arrays of shapes (3, 4) and (3, 4)\n  help: it is counted from the last, -1, in both"),
    (lambda: A.make("vecdot", x, y, -1), "vecdot: shapes (3, 4) and (5,) do not go together\n  help: both have the same extent along the axis"),
    (lambda: A.make("tensordot", x, x, 1, A.ints([0]), A.ints([1])), "tensordot: shapes (3, 4) and (3, 4) do not go together\n  help: axes in pairs have equal extents"),
    (lambda: A.make("tensordot", x, x, 2, A.ints([0, -2]), A.ints([0, 1])), "tensordot: axis 0 is named twice"),
    (lambda: A.make("matrix_transpose", y), "matrix_transpose: an array of shape (5,) is no matrix\n  help: a matrix has two axes, a batch of them more"),
    (lambda: A.make("diagonal", y, half[0]), "diagonal: an array of shape (5,) is no matrix"),
    (lambda: A.make("outer", x, y), "outer: shapes (3, 4) and (5,)\n  help: both have one axis; outer_product takes any"),
    (lambda: A.make("cross", x, x, -1), "cross: shapes (3, 4) and (3, 4) along axis -1\n  help: vectors have three elements"),
    (lambda: A.make("cross", x, y, 0), "cross: axis 0 of arrays of shapes (3, 4) and (5,)\n  help: an axis of both"),
    (lambda: A.make("matrix_power", x, A.ctypes.c_int64(2)), "matrix_power: matrices of shape (3, 4)\n  help: the matrix has to be square; pinv, svd and lstsq take any"),
    (lambda: A.make("matrix_power", A.from_numpy(np.eye(2, dtype="i4")), A.ctypes.c_int64(-1)), "inv: " + NO_FLOATS),
    (lambda: A.make("vector_norm", none, -1, None, 0, A.ctypes.c_double(2)), "vector_norm: " + NO_FLOATS),
    (lambda: A.make("matrix_norm", y, 0, 0), "matrix_norm: an array of shape (5,) is no matrix"),
    (lambda: A.make("matrix_norm", x, 0, 99), "matrix_norm: there is no such norm"),
    (lambda: A.make("cholesky", x, 0), "cholesky: matrices of shape (3, 4)\n  help: the matrix has to be square"),
    (lambda: A.make("det", none), "det: " + NO_FLOATS),
    (lambda: A.make_all("svd", 3, none, 0), "svd: " + NO_FLOATS),
    (lambda: A.make_all("qr", 2, y, 0), "qr: an array of shape (5,) is no matrix"),
    (lambda: A.make_all("eigh", 2, p), "eigh: matrices of shape (-1, 4)"),
    (lambda: A.make("pinv", y, None), "pinv: an array of shape (5,) is no matrix"),
    (lambda: A.make("solve", s, x.transpose([1, 0])), "solve: shapes (3, 3) and (4, 3) do not go together\n  help: the right side is a vector, or a matrix with as many rows"),
    (lambda: A.make("lstsq", x, y, None), "lstsq: shapes (3, 4) and (5,) do not go together"),
    (lambda: A.make("inv", A.from_numpy(np.ones((2, 2)))).numpy(), "inv: the matrix is singular\n  help: pinv and lstsq take any matrix"),
    (lambda: A.make("inv", A.from_numpy(bad)).numpy(), "inv: matrix (0, 1) of the batch is singular"),
    (lambda: A.make("solve", A.from_numpy(bad), A.from_numpy(np.ones(2))).numpy(), "solve: matrix (0, 1) of the batch is singular"),
    (lambda: A.make("cholesky", A.from_numpy(bad[1]), 0).numpy(), "cholesky: matrix (0,) of the batch is not positive definite\n  help: all of its eigenvalues have to be above 0"),
    (lambda: A.make("svdvals", A.from_numpy(np.full((2, 3), np.nan))).numpy(), "svdvals: the matrix has a NaN or an infinity\n  help: isfinite finds it"),
    (lambda: A.make("eigvals", A.from_numpy(np.full((5, 2, 2), np.inf))).numpy(), "eigvals: matrix (0,) of the batch has a NaN or an infinity"),
    (lambda: A.make("fft", 2, z, None, -1, 0), "rfft: an array of type complex64\n  help: it takes real numbers: use real(a), or fft"),
    (lambda: A.make("fft", 0, x, half, -1, 0), "fft: 0 points along axis 1 of an array of shape (3, 4)\n  help: there is one at least"),
    (lambda: A.make("fft", 0, none, None, 0, 0), "fft: 0 points along axis 0 of an array of shape (0, 3)"),
    (lambda: A.make("fft", 0, x, None, 2, 0), "fft: axis 2 of an array of shape (3, 4)"),
    (lambda: A.make("fft", 0, one, None, -1, 0), "fft: axis -1 of an array of rank 0, which has no axes"),
    (lambda: A.make("fft", 0, x, None, -1, 9), "fft: there is no such norm"),
    (lambda: A.make("fftn", 0, x, 2, None, A.ints([0, -2]), 0), "fftn: axis 0 is named twice"),
    (lambda: A.make("fftn", 2, one, 0, None, None, 0), "rfftn: an array of shape () along no axes"),
    (lambda: A.make("fftfreq", half[0], A.ctypes.c_double(1), 0, 11), "fftfreq: 0 points at a distance of 1"),
    (lambda: A.make("fftfreq", A.ctypes.c_int64(4), A.ctypes.c_double(1), 1, 3), "rfftfreq: numbers of type int32\n  help: frequencies are of type float32 or float64"),
    (lambda: A.index([2] * 9, 0), "9 axes; an array has 0 to 8"),
    (lambda: A.index([1 << 40, 1 << 40], 0), "more elements than memory can hold"),
    (lambda: A.evaluate(A.index([1 << 46], 0)), "there is no memory for"),
    (lambda: x.drop_dimension(2), "drop_dimension: axis 2"),
    (lambda: x.add_dimension(4), "add_dimension: a new axis 4"),
    (lambda: x.stretch([1, 0]), "stretch: axis 1 of shape (3, 4) 0 times"),
    (lambda: A.concatenate([x, y]), "concatenate: shapes (3, 4) and (5,) along axis 0"),
    (lambda: A.concatenate([]), "concatenate: no arrays"),
    (lambda: x.component(1, 4), "component: index 4 of axis 1, which has 4 elements: the shape is (3, 4)"),
    (lambda: x.scatter(y, one, "add"), "scatter: indices of type float32"),
    (lambda: x.scatter(A.index([2], 0), y, "add"), "scatter: updates: shapes (5,) and (2, 4) do not go together"),
    (lambda: none.scatter(A.index([2], 0), one, "add"), "scatter: updates of type float32 into an array of type int32"),
    (lambda: one.scatter(A.index([2], 0), one, "add"), "scatter: an array of rank 0 has no axis"),
    (lambda: y.scatter(A.index([7], 0), one, "set").numpy(), "in an axis of 5 elements"),
    (lambda: x.cast("complex64").scatter(A.index([2], 0), one, "max"), "complex numbers have no order"),
    (lambda: x.histogram(0, 0, 1), "histogram: 0 bins from 0 to 1"),
    (lambda: x.histogram(4, 1, 1), "help: there is one bin at least, and the second number is greater"),
    (lambda: x.segment_reduce("sum", A.index([2], 0)), "segment_sum: an array of shape (3, 4)"),
    (lambda: y.segment_reduce("sum", y), "segment_sum: indices of type float32"),
    (lambda: y.segment_reduce("max", A.from_numpy(np.array([0, 6]))).numpy(), "segment_max: offset 1 of segment 1 is 6"),
    (lambda: y.segment_reduce("max", A.from_numpy(np.array([3, 2]))).numpy(), "help: offsets do not descend"),
    (lambda: y.segment_reduce("max", A.from_numpy(np.array([0, 2, 2]))).numpy(), "segment_max: segment 1 has no elements"),
    (lambda: x.section([0, 0], [3, 5], [1, 1 << 62]), "section: {0, 5, 4611686018427387904} (begin, count, stride) of axis 1"),
    (lambda: x.extend([0, 2**63 - 1], [0, 2**63 - 1], "wrap"), "are more than memory can hold"),
    (lambda: x.histogram(4, -1.7e308, 1.7e308), "histogram: 4 bins"),
    (lambda: one.fold("sum", [0]), "sum: axis 0 of an array of rank 0, which has no axes"),
    (lambda: x.gather(A.from_numpy(np.array([2**64 - 1], "u8")), 0).numpy(), "in an axis of 3 elements"),
    (lambda: A.apply("add", A.from_numpy(np.zeros(2, "u1")), A.scalar(300, "int64", 1)), "add: the number 300 is none of type uint8"),
    (lambda: A.apply("add", A.from_numpy(np.zeros(2, "u1")), A.scalar(-1, "int64", 1)), "help: convert the array by astype"),
    (lambda: A.from_numpy(np.zeros(2, "i1")).shift([1], "value", A.scalar(128, "int64", 1)), "shift: the number 128 is none of type int8"),
    (lambda: A.make("cast", None, 0), "an array is NULL: the call that should have made it has failed; the last error was: "),
    (lambda: y.segment_scan("argmin", y), "segment_scan: the operation is no scan"),
    (lambda: y.segment_scan("cumulative_sum", flags), "heads of shape (3,) and type bool for an array of shape (5,)"),
    (lambda: A.parameter("float32", [2, -2]), "parameter: extent -2 of axis 1 is negative"),
    (lambda: A.parameter("float32", [-1, 4]).numpy(), "help: a function of the parameter computes it"),
    (lambda: A.apply("add", p, one).unique(), "unique: an array that depends on a parameter has no values"),
    (lambda: A.explain(p), "explain: an array that depends on a parameter has no values"),
    (lambda: A.apply("add", p, y), "add: shapes (-1, 4) and (5,) do not go together"),
    (lambda: p.fold("sum", [2]), "sum: axis 2 of an array of shape (-1, 4)"),
    (lambda: A.parameter("float32", [-1]).reshape([-1, -1]), "reshape: two extents are -1"),
    (lambda: A.Function([q], [q.reshape([2, 784])])(y), "reshape: 5 elements of shape (5,) do not fill shape (2, 784)"),
    (lambda: A.Function([A.parameter("uint8", [])], [])(A.scalar(300, "int64", 1)), "function: the number 300 is none of type uint8"),
    (lambda: A.Function([x], [x]), "function: parameter 0 is an array"),
    (lambda: A.Function([], [p]), "function: an output depends on a parameter of shape (-1, 4) and type float32"),
    (lambda: A.Function([p], [p])(), "function: 0 arguments for 1 parameters"),
    (lambda: A.Function([p], [p])(y), "function: argument 0 has shape (5,), its parameter (-1, 4)"),
    (lambda: A.Function([p], [p])(x.cast("float64")), "function: argument 0 has type float64, its parameter float32"),
    (lambda: A.Function([p], [p.section([4, 0], [2, 4], [1, 1])])(x), "section: {4, 2, 1} (begin, count, stride) of axis 0 reads elements 4 to 5 of 3"),
]


def failures():
    for call, words in CASES:
        try:
            call()
            yield f"no error, in place of: {words}"
        except A.Error as error:
            if words not in str(error):
                yield f"{error}\nin place of: {words}"


found = list(failures())
bad = x.gather(A.from_numpy(np.array([0, 9])), 0)
good = A.apply("add", x, one)
try:
    A.evaluate(good, bad)
    found.append("an index outside is no error")
except A.Error:
    if not (good.numpy() == 1).all():
        found.append("an array beside one that failed")
print("\n".join(found))
sys.exit(bool(found))

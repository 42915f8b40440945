"""How many passes over memory an evaluation takes."""
import arrays as A
import numpy as np


def converted_number():
    """A number that takes the type of the arrays it meets is in the code of the pass, however often it is used."""
    x, ten = A.from_numpy(np.arange(100, dtype="f4")), A.scalar(10, "int64", 1)
    total = x
    for i in range(40):
        total = A.apply("minimum", A.apply("add", total, x), ten)
    return A.explain(total)[0].kernels


def gather_at_places():
    """Indices with two axes are computed where they are used."""
    x = A.from_numpy(np.arange(100, dtype="f4"))
    places = A.apply("add", A.index((10, 9), 0), A.apply("multiply", A.index((10, 9), 1), A.scalar(10, "int64", 1)))
    return A.explain(x.gather(places, 0))[0].kernels


def complex_numbers():
    """They are made, transformed, and summed in one pass."""
    x = A.from_numpy(np.arange(5000, dtype="f4"))
    z = A.apply("exp", A.apply("multiply", x, A.scalar(1j, "complex128", 1)))
    moved = A.apply("conj", A.apply("multiply", x, A.scalar(2j, "complex128", 1)).shift([3], "value", A.scalar(1j, "complex128", 1)))
    return A.explain(A.apply("abs", A.apply("add", z, moved)).fold("sum"))[0].kernels


def grows_as_its_chain():
    """Each value of a chain of reductions is read by all later ones: operations of as many more again."""
    value, counts = A.from_numpy(np.ones((2, 64), "f4")), []
    for _ in range(3):
        for _ in range(20):
            value = A.apply("subtract", value, value.mean())
        counts.append(A.explain(value)[0].operations)
    return counts[2] - counts[1] <= counts[1] - counts[0]


print("passes with a converted number:", converted_number())
print("passes of a gather:", gather_at_places())
print("passes of complex numbers:", complex_numbers())
print("a chain of reductions grows as it does:", grows_as_its_chain())

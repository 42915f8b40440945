"""Hypothesis's strategies for arrays of the standard, which the consortium's tests draw their arguments from."""

import math
import operator

import hypothesis.extra.array_api as array_api
from hypothesis import strategies as st

import bsgp as bp
import checks
from checks import ALL, COMPLEX, FLOATS, INTEGERS, checked

with_namespace = array_api.make_strategies_namespace(bp)


def value_of(array):
    kind = str(array.dtype)
    return bool(array) if kind == "bool" else complex(array) if kind in COMPLEX else float(array) if kind in FLOATS else int(array)


def equal(a, b):
    parts = [(a.real, b.real), (a.imag, b.imag)] if isinstance(a, complex) else [(a, b)]
    return all(one == other or (math.isnan(one) and math.isnan(other)) for one, other in parts)


@checked(100, data=st.data(), shape=with_namespace.array_shapes(min_dims=0, min_side=0, max_side=4))
def check_arrays(data, shape):
    dtype = data.draw(with_namespace.scalar_dtypes())
    x = data.draw(with_namespace.arrays(dtype, shape))
    assert isinstance(x, bp.Array) and x.shape == shape and x.dtype == dtype
    values = [value_of(each) for each in bp.reshape(x, (-1,))]
    again = bp.reshape(bp.asarray(values, dtype=dtype), shape)
    assert all(equal(value_of(a), value_of(b)) for a, b in zip(bp.reshape(again, (-1,)), bp.reshape(x, (-1,))))


@checked(60, data=st.data())
def check_distinct_elements(data):
    dtype = data.draw(with_namespace.numeric_dtypes())
    x = data.draw(with_namespace.arrays(dtype, st.integers(0, 6), unique=True))
    values = [value_of(each) for each in x]
    assert len({each for each in values if each == each}) == sum(each == each for each in values)


@checked(60, data=st.data())
def check_elements_of_a_range(data):
    dtype = data.draw(with_namespace.real_dtypes())
    low, high = (1, 7) if str(dtype) in INTEGERS else (0.5, 2.0)
    x = data.draw(with_namespace.arrays(dtype, (3, 2), elements={"min_value": low, "max_value": high}))
    assert bp.all(x >= low) and bp.all(x <= high)


@checked(100, data=st.data(), shape=with_namespace.array_shapes(min_dims=1, min_side=1, max_side=4))
def check_indices(data, shape):
    """Elements at keys, taken from lists of numbers."""
    x = bp.reshape(bp.arange(math.prod(shape)), shape)
    key = data.draw(with_namespace.indices(shape))
    made = x[key]
    entries = key if isinstance(key, tuple) else (key,)
    if Ellipsis in entries:
        at = entries.index(Ellipsis)
        entries = entries[:at] + (slice(None),) * (len(shape) - len(entries) + 1) + entries[at + 1 :]
    flat, wanted = [0], []
    for extent, entry in zip(shape, entries):
        chosen = [range(extent)[entry]] if isinstance(entry, int) else list(range(extent)[entry])
        flat = [start * extent + place for start in flat for place in chosen]
        wanted += [] if isinstance(entry, int) else [len(chosen)]
    assert made.shape == tuple(wanted) and [int(each) for each in bp.reshape(made, (-1,))] == flat


@checked(60, shapes=with_namespace.mutually_broadcastable_shapes(3), dtype=st.sampled_from(ALL))
def check_broadcastable(shapes, dtype):
    made = [bp.zeros(shape, dtype=dtype) for shape in shapes.input_shapes]
    function = operator.eq
    assert function(function(made[0], made[1]), function(made[2], made[2])).shape == shapes.result_shape == bp.broadcast_shapes(*shapes.input_shapes)


if __name__ == "__main__":
    checks.main(__name__)

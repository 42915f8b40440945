"""bsgp.function, while_loop and cond of functions, against the same programs of NumPy and Python's own loops."""

import collections
import dataclasses
import gc
import os
import random
import signal
import sys
import threading
import weakref

import numpy as np

import bsgp as bp
import checks
from checks import raises, same

SHAPES = [(), (1,), (0,), (7,), (1_000_000,), (3, 5), (1, 4), (0, 3), (2, 3, 4), (3, 1, 2)]


def counted(function, kind=bp.function):
    """The function of a kind, and the list of shapes that it ran for."""
    runs = []

    def inner(*arguments, **keywords):
        runs.append([getattr(each, "shape", None) for each in arguments])
        return function(*arguments, **keywords)

    return kind(inner), runs


def values(shape, dtype="float64", seed=1):
    made = np.random.default_rng(seed).normal(size=shape) * 4
    return np.asarray(made > 0) if dtype == "bool" else np.asarray(np.abs(made) if dtype.startswith("u") else made).astype(dtype)


def loop(condition, body, state):
    """while_loop of NumPy."""
    while condition(*state):
        state = body(*state)
    return state


def choose(condition, yes, no, *operands):
    return (yes if condition else no)(*operands)


# ---- functions ----

SLICES = [slice(*each) for each in [(1, None), (None, -1), (-2, None), (None, None, -1), (None, None, 3), (5, 2), (-1, None, -2), (100, -100, -1), (-100, 100), (2, -2), (0, 3), (2**70, -(2**70), -1)]]

FUNCTIONS = {
    "arithmetic": lambda xp, x: (x * 2 + 1) / 3 - x,
    "total": lambda xp, x: xp.max(x, axis=None) - x if x.ndim else x,
    "root": lambda xp, x: xp.sqrt(abs(x)) + 1,
    "choices": lambda xp, x: xp.where(x > 0, x, -x),
    "structures": lambda xp, x: {"a": (x, [x + 1]), "b": x * x},
    "twice": lambda xp, x: (x, x),
    "loop of Python": lambda xp, x: sum((x * i for i in range(5)), x),
    "new axis": lambda xp, x: x[None] + x,
    "reshape": lambda xp, x: xp.reshape(x, (-1,)),
    "slices": lambda xp, x: [x[each] for each in SLICES] if x.ndim else x,
    "slices of the last axis": lambda xp, x: (x[..., 1:] - x[..., :-1], x[..., ::-2], xp.flip(x)) if x.ndim else x,
    "last elements": lambda xp, x: (x[:, -1], x[:, -1:, None], x[:, 0]) if x.ndim == 2 and x.shape[1] != 0 else x,
    "types": lambda xp, x: (x.astype("float32"), x > 0),
}


def parts(value):
    return [np.asarray(each) for _, each in bp._structures.parts_of(value)]


def parts_of_bsgp(value):
    return [each for _, each in bp._structures.parts_of(value)]


def check_functions_of_all_shapes():
    failures = checks.Failures()

    def run(function):
        made, runs = counted(lambda x: function(bp, x))
        ranks = set()
        for shape in SHAPES:
            if 0 in shape and function is FUNCTIONS["total"]:
                continue
            x = values(shape)
            for _ in range(2):
                same(parts_of_bsgp(made(x)), parts(function(np, x)))
            ranks.add(x.ndim)
            assert len(runs) == len(ranks), (shape, runs)

    for name, function in FUNCTIONS.items():
        failures.run(name, run, function)
    failures.report()


def check_functions_of_all_types():
    made, runs = counted(lambda x: (x + x, x == x))
    for number, dtype in enumerate(checks.ALL):
        for n in (3, 1, 0, 5):
            x = values((n,), dtype) if dtype not in checks.COMPLEX else values((n,)).astype(dtype)
            same(made(x), (x + x, x == x))
        assert len(runs) == number + 1


def check_arguments_of_functions():
    made, runs = counted(lambda x, scale, *, shift=0, mode="plus": (x * scale + shift, mode))
    x = values((4,), "float32")
    for scale in (1.5, 2.5, float("inf")):
        result, mode = made(x, scale, shift=2)
        same(result, (x * np.float32(scale) + 2).astype("float32"))
        assert mode == "plus"
    made(x[:2], 1.5, shift=2)
    assert len(runs) == 1, "floats and shapes are arguments"
    made(x, 1.5, shift=3), made(x, 1.5, shift=2, mode="minus"), made(x[None], 1.5, shift=2), made(x.astype("int8"), 1.5, shift=2), made(x, 2, shift=2)
    assert len(runs) == 6
    raises(TypeError, made, x, {1, 2})
    raises(TypeError, made)


def check_graphs_of_functions_are_bounded():
    made, runs = counted(lambda x, i: x + i)
    for i in range(600):
        same(made(np.ones(i % 7), i), np.ones(i % 7) + i)
    made(np.ones(3), 599), made(np.ones(2), 500)
    assert len(runs) == 600
    made(np.ones(2), 0)
    assert len(runs) == 601


def check_functions_call_functions():
    for outer in (bp.function, bp.jit):
        for inner in (bp.function, bp.jit):
            half, of_half = counted(lambda x: x / 2, inner)
            made, runs = counted(lambda x: half(x) + half(x + 1), outer)
            for n in (3, 4, 5):
                same(made(np.arange(float(n))), np.arange(float(n)) + 0.5)
            assert len(runs) == (1 if outer is bp.function else 3) and len(of_half) == 2 * len(runs)
            same(half(np.ones(2)), np.full(2, 0.5))


def check_methods_and_attributes():
    class Model:
        """Two calls of one method."""

        @bp.function
        def step(self, x):
            """The doc."""
            return x + 1

    first, second = Model(), Model()
    same(first.step(bp.ones(2)), np.full(2, 2.0)), same(second.step(bp.ones(3)), np.full(3, 2.0))
    assert Model.step.__doc__ == "The doc." and Model.step.__wrapped__


def check_functions_explain():
    made, runs = counted(lambda x: bp.sum(bp.sqrt(x) * 2))
    assert "sqrt" in str(made.explain(np.ones(5))) and len(runs) == 1
    assert "sqrt" in str(bp.jit(lambda x: bp.sqrt(x)).explain(np.ones(5)))

    def staged(x):
        y = bp.while_loop(lambda y: bp.sum(y) > 1, lambda y: bp.tan(y), bp.exp(x))
        return bp.cond(bp.sum(y) > 0, lambda: bp.sin(y), lambda: bp.cos(y)) + 1

    text = bp.function(staged).explain(np.ones(7)).text
    places = [text.index(each) for each in ("exp", "while_loop of", "tan", "cond of", "sin", "else:", "cos", "add", "kernels, ")]
    assert places == sorted(places) and text.count("(7,)") > 4 and text.count("operations, ") == 1, text


def check_what_needs_extents():
    """It works, or it is an error with the line and the way out."""
    calls = {
        "range": lambda x: [i for i in range(x.shape[0])],
        "arithmetic": lambda x: bp.sum(x) / x.shape[0],
        "reshape": lambda x: bp.reshape(x, (x.shape[0] // 2, 2)),
        "zeros": lambda x: bp.zeros(x.shape),
        "iteration": lambda x: [row for row in x],
        "unpacking": lambda x: [*x],
        "length": lambda x: len(x),
        "tril": lambda x: bp.tril(bp.outer(x, x)),
        "tile": lambda x: bp.tile(x, (2, 1)),
        "diagonal": lambda x: bp.diag(x),
        "random": lambda x: x + bp.random.normal(x.shape, key=1),
        "broadcast": lambda x: bp.broadcast_to(bp.sum(x), x.shape),
        "assignment": lambda x: x.__setitem__(0, 1.0),
    }
    failures = checks.Failures()

    def refused(call):
        text = raises((TypeError, ValueError), bp.function(call), np.ones(6))
        assert "bsgp.jit" in text and "function.py:" in text, text

    for name, call in calls.items():
        failures.run(name, refused, call)
    failures.report()
    text = raises(ValueError, bp.function(lambda x: bp.ones(3) + bp.ones(4)), np.ones(3))
    assert "bsgp.jit" not in text, text


def check_what_needs_values():
    for kind in (bp.function, bp.jit):
        for call in (lambda x: x[x > 0], lambda x: float(x[0]) * x, lambda x: np.asarray(x), lambda x: bp.unique_values(x), lambda x: x.tolist()):
            text = raises(ValueError, kind(call), np.ones(6))
            assert "outside of functions" in text and "function.py:" in text, text


def check_conditions_of_python():
    """They name the line, and while_loop and cond."""

    def branches(x):
        return x if bp.sum(x) > 0 else -x

    def loops(x):
        while bool(bp.sum(x) > 0):
            x = x - 1
        return x

    for kind in (bp.function, bp.jit):
        for function in (branches, loops):
            text = raises(ValueError, kind(function), np.ones(3))
            assert "while_loop" in text and "bsgp.cond" in text, text
            assert f"function.py:{function.__code__.co_firstlineno + 1}" in text, text


# ---- loops ----


def programs(xp, loop, choose):
    """Programs of an array x and of numbers, by names."""

    def halved(x):
        return loop(lambda x, n: xp.any(abs(x) > 1), lambda x, n: (x / 2, n + 1), (x, 0))

    def captured(x):
        y = xp.sqrt(abs(x)) + 1
        total, n = loop(lambda total, n: n < 5, lambda total, n: (total + y, n + 1), (x, 0))
        return total, y

    def none(x):
        return loop(lambda x: xp.any(x != x), lambda x: (x + 1,), (x * 2,))[0]

    def unread(x):
        loop(lambda x, n: n < 3, lambda x, n: (x * 2, n + 1), (x, 0))
        return x + 1

    def in_turn(x):
        y, n = loop(lambda y, n: n < 3, lambda y, n: (y / 2 + 1, n + 1), (x, 0))
        z, m = loop(lambda z, m: m < n + 2, lambda z, m: (z / 2 + y, m + n), (y + x, 0))
        return x, y, z, n, m

    def nested(x):
        def outer(y, i):
            offset = y * 0.5 + i
            z, j = loop(lambda z, j: j < 4, lambda z, j: (z * 0.5 + offset + x, j + 1), (y, i))
            return z * 0.25 + offset, i + 1

        return loop(lambda y, i: i < 5, outer, (x, 0))

    def in_a_choice(x):
        return choose(
            xp.any(x > 2), lambda x: loop(lambda y, n: n < 4, lambda y, n: (y * 0.5 + x, n + 1), (x, 0)), lambda x: (x - 1, xp.asarray(7)), x
        )

    def with_a_choice(x):
        def body(y, n):
            y = choose(n % 2 == 0, lambda y: y * 0.5, lambda y: y + x, y)
            return y, n + 1

        return loop(lambda y, n: n < 7, body, (x + 1, 0))

    def choices(x):
        small = choose(xp.all(x < 1), lambda: x, lambda: x / 8)
        made = choose(xp.any(small > 0.25), lambda y: {"a": y, "b": (small, small + x)}, lambda y: {"b": (y, small), "a": small - y}, x * 2)
        return made["a"], made["b"]

    def captured_by_the_condition(x):
        limit = xp.asarray(5) + 2
        return loop(lambda y, n: n < limit, lambda y, n: (y / 2, n + limit - 4), (x, 0))

    def unchanged(x):
        return loop(lambda y, z, n: n < 3, lambda y, z, n: (z, y, n + 1), (x, x + 1, 0))

    def structures(x):
        state = loop(lambda s: s["n"] < 4, lambda s: ({"x": [s["x"][0] / 2, s["x"][1] + s["x"][0]], "n": s["n"] + 1},), ({"x": [x, x + 1], "n": 0},))[0]
        return state["x"], state["n"]

    return {name: each for name, each in locals().items() if name not in ("xp", "loop", "choose")}


def by_bsgp(condition, body, state):
    """Also with functions of the whole state."""
    return bp.while_loop(lambda *parts: condition(*parts), lambda *parts: body(*parts), state)


def check_loops_and_choices():
    """Traced for all shapes at once, for one, and at once; also when called again."""
    failures = checks.Failures()
    expected = programs(np, loop, choose)

    def run(name, shape, dtype):
        x = values(shape, dtype)
        want = parts(expected[name](x))
        for kind in (made[name], jitted[name], programs(bp, by_bsgp, bp.cond)[name]):
            got = parts_of_bsgp(kind(bp.asarray(x)))
            assert len(got) == len(want)
            for each, of_numpy in zip(got, want):
                same(each, np.asarray(of_numpy).astype(each.dtype))
                assert each.dtype == of_numpy.dtype, (each.dtype, of_numpy.dtype)

    for target in ("cpu", "reference"):
        with bp.options(target=target):
            made = {name: bp.function(each) for name, each in programs(bp, by_bsgp, bp.cond).items()}
            jitted = {name: bp.jit(each) for name, each in programs(bp, by_bsgp, bp.cond).items()}
            for name in expected:
                for shape in SHAPES if target == "cpu" else [(), (7,), (2, 3)]:
                    for dtype in ("float64", "float32") if shape == (7,) and target == "cpu" else ("float64",):
                        failures.run(f"{target} {name} {shape} {dtype}", run, name, shape, dtype)
    failures.report()


# ---- errors ----


def check_states_that_change():
    x = np.ones(3, np.float32)
    wrong = {
        "type": (lambda y, n: n < 3, lambda y, n: (y.astype("float64"), n + 1), (x, 0), "state[0] is float32, and the body gives float64"),
        "shape": (lambda y, n: n < 3, lambda y, n: (bp.concat((y, y)), n + 1), (x, 0), "state[0] has shape (3,), and the body gives shape (6,)"),
        "rank": (lambda y, n: n < 3, lambda y, n: (y[None], n + 1), (x, 0), "state[0] has shape (3,)"),
        "number": (lambda y, n: n < 3, lambda y, n: (y, n + y), (x, 0), "state[1] has shape (), and the body gives shape (3,)"),
        "structure": (lambda y, n: n < 3, lambda y, n: (y,), (x, 0), "state is a tuple of 2, and the body gives one of 1"),
        "kind": (lambda y, n: n < 3, lambda y, n: [y, n], (x, 0), "state is a tuple of 2, and the body gives a list of 2"),
        "keys": (lambda s: s["a"] < 3, lambda s: {"b": s["a"]}, {"a": 0}, "a dict with keys 'a', and the body gives one with keys 'b'"),
        "condition": (lambda y: y > 0, lambda y: y - 1, x, "the condition gives an array of shape (3,) and type bool"),
        "no bool": (lambda y: bp.sum(y), lambda y: y - 1, x, "the condition gives an array of shape () and type float32"),
        "text": (lambda y, t: True, lambda y, t: (y, t), (x, "a"), "state[1] is of type str"),
        "none": (lambda y: True, lambda y: None, x, "state"),
        "empty": (lambda y: True, lambda y: y, (), "the state has no arrays"),
        "float": (lambda y: y < 3, lambda y: y / 2, bp.asarray(1), "state is int64, and the body gives float64"),
    }
    failures = checks.Failures()

    def refused(condition, body, state, words):
        text = raises((TypeError, ValueError), bp.while_loop, condition, body, state)
        assert words in text and "checks.py:" in text, text

        def traced(x):
            return bp.while_loop(condition, body, bp._structures.mapped(lambda value, _: x if isinstance(value, np.ndarray) else value, state))

        text = raises((TypeError, ValueError), bp.jit(traced), x)
        assert words in text and f"function.py:{traced.__code__.co_firstlineno + 1}" in text, text

    for name, each in wrong.items():
        failures.run(name, refused, *each)
    failures.report()
    text = raises(ValueError, bp.function(lambda x: bp.while_loop(lambda y: bp.sum(y) < 9, lambda y: bp.concat((y, y)), x)), x)
    assert "state has shape (3,), and the body gives shape (6,)" in text and "function.py:" in text, text


def check_arrays_that_are_shorter_than_a_slice():
    """A slice of three elements of an unknown extent has two, if there are no more."""
    first = lambda xp, loop, x: loop(lambda y, n: n < 3, lambda y, n: (y + x[:3], n + 1), (x[:3] * 2, 0))[0]  # noqa: E731
    made = bp.function(lambda x: first(bp, bp.while_loop, x))
    for n in (5, 3, 2, 1, 0):
        same(made(np.ones(n)), first(np, loop, np.ones(n)))


def check_types_of_numbers():
    """They take the type of arrays that they meet, in a loop too; results are arrays."""
    x = np.ones(3, np.float32)
    for loops in (lambda x, t: bp.while_loop(lambda x, t: t < 1.0, lambda x, t: (x * t, t + 0.3), (x, t)), bp.function(lambda x, t: bp.while_loop(lambda x, t: t < 1.0, lambda x, t: (x * t, t + 0.3), (x, t)))):
        for start in (0.5, 2.0):
            made = loops(x, start)
            assert [str(each.dtype) for each in made] == ["float32", "float64"]
    same(bp.while_loop(lambda e: e < 10, lambda e: e * 2 + x[0], 0), np.float32(15))
    same(bp.while_loop(lambda z, n: n < 3, lambda z, n: (z * 2j, n + 1), (1, 0))[0], np.asarray(-8j), zeros=False)
    same(bp.while_loop(lambda go, n: go, lambda go, n: (n < 5, n + 1), (True, 0)), [np.asarray(False), np.asarray(6)])
    assert bp.while_loop(lambda s: s["n"] < 3, lambda s: {"k": None, "n": s["n"] + 1}, {"n": 0, "k": None})["k"] is None


def check_choices_that_differ():
    x = np.ones(3, np.float32)
    wrong = {
        "type": (lambda x: x, lambda x: x.astype("int32"), "the result is float32 of the first function, and int32"),
        "shape": (lambda x: x[0], lambda x: x, "the result has shape () of the first function"),
        "structure": (lambda x: (x, x), lambda x: x, "the result is a tuple of 2"),
        "keys": (lambda x: {"a": x}, lambda x: {"a": x, "b": x}, "a dict with keys"),
        "text": (lambda x: "a", lambda x: x, "the result is of type str"),
    }
    for name, (yes, no, words) in wrong.items():
        text = raises((TypeError, ValueError), bp.function(lambda x: bp.cond(bp.sum(x) > 0, yes, no, x)), x)
        assert words in text and "function.py:" in text and "help" in text or name == "structure", (name, text)
    text = raises(ValueError, bp.function(lambda x: bp.cond(x > 0, lambda: x, lambda: x)), x)
    assert "bsgp.any" in text and "bsgp.where" in text, text
    raises(TypeError, bp.cond, True, lambda: x, x)
    same(bp.cond(bp.asarray([True, False]), 1.0, 2.0), np.asarray([1.0, 2.0]))
    same(bp.cond(np.bool_(True), lambda: bp.ones(2), lambda: 1), np.ones(2))
    same(bp.function(lambda x: bp.cond(bp.sum(x) > 0, lambda: 1, lambda: bp.sum(x)))(x), np.float32(1))


def check_errors_of_bodies():
    """Exceptions of the program pass, functions go on working, and mistakes of values name their line."""

    def fails(y):
        raise KeyError("mine")

    raises(KeyError, bp.while_loop, lambda y: True, fails, 1.0)
    made = bp.function(lambda x, how: bp.while_loop(lambda y: bp.any(y > 0), fails if how else lambda y: y - 1, x))
    raises(KeyError, made, np.ones(2), True)
    same(made(np.ones(2), False), np.zeros(2)), same(bp.jit(lambda x: x + 1)(np.ones(2)), np.full(2, 2.0))
    table = bp.arange(5.0)
    text = raises(IndexError, bp.while_loop, lambda i: i < 10, lambda i: i + bp.astype(bp.take(table, bp.reshape(i, (1,)))[0], "int64"), bp.asarray(3))
    assert "function.py:" in text and "6" in text, text
    x = bp.Parameter((3,))
    assert "bsgp.function" in raises(ValueError, bp.while_loop, lambda y: bp.sum(y) > 0, lambda y: y - 1, x)


def check_assignments_to_elements():
    """A body may assign to its state and to arrays that it makes, and not to those of its surroundings."""
    x = bp.arange(3.0)

    def assigns(y, n):
        z = +x
        z[0] = n
        y[1] = y[1] + 1
        return y + z, n + 1

    want = np.arange(3.0)
    for n in range(4):
        want[1] += 1
        want += [n, 1, 2]
    for got in (bp.while_loop(lambda y, n: n < 4, assigns, (x, 0))[0], bp.jit(lambda y: bp.while_loop(lambda y, n: n < 4, assigns, (y, 0))[0])(x)):
        same(got, want)
    same(x, np.arange(3.0))

    def wrong(y):
        x[0] = 5
        return y + x

    for call in (lambda: bp.while_loop(lambda y: bp.sum(y) < 9, wrong, x), lambda: bp.function(wrong)(x), lambda: bp.jit(wrong)(x)):
        assert "surroundings" in raises(ValueError, call)
    same(x, np.arange(3.0))


def check_integers_without_values_as_indices():
    """x[n] of a counter takes an element, as bp.take does."""
    x = np.arange(24.0).reshape(2, 3, 4)
    keys = {
        "first": lambda x, n: x[n], "last axis": lambda x, n: x[..., n], "slice": lambda x, n: x[n, 1:, ::-1], "twice": lambda x, n: x[n, :, n],
        "integer": lambda x, n: x[n, -1], "new axis": lambda x, n: x[None, n, :, None],
    }  # fmt: skip
    for name, key in keys.items():
        for kind in (bp.function, bp.jit):
            for n in (0, 1, -1, -2):
                same(kind(key)(x, np.int64(n)), key(x, n))
    m = np.asarray([0, 1])
    same(bp.jit(lambda x, n, m: (x[n, m], x[m, :, n]))(x, np.int64(-1), m), (x[-1, m], x[m, :, -1]))
    same(bp.function(lambda x: x[m, ..., 1:])(x), x[m, ..., 1:])
    one = bp.ones(3)
    same(bp.while_loop(lambda s, n: n < 3, lambda s, n: (s + one[n], n + 1), (0.0, 0))[0], np.asarray(3.0))
    same(bp.jit(lambda x: bp.while_loop(lambda x, n: n < 3, lambda x, n: (x.__setitem__(n, 7.0), (x, n + 1))[1], (x, 0)))(bp.zeros(4))[0], np.asarray([7.0, 7, 7, 0]))
    wrong = [
        (lambda x, n: x[n:], "bsgp.take(x, n + bsgp.arange(count)"), (lambda x, n: x[:, m, m], "bsgp.take(x, n, axis=...) for each axis"),
        (lambda x, n: x[n + 5], "index 6 in an axis of 2"),
    ]  # fmt: skip
    assert "bsgp.take(x, n + bsgp.arange(count)" in raises(ValueError, bp.while_loop, lambda s, n: n < 3, lambda s, n: (s + bp.sum(one[n:]), n + 1), (0.0, 0))
    for call, words in wrong:
        text = raises((ValueError, IndexError), bp.function(call), x, np.int64(1))
        assert words in text and "function.py:" in text, text


def check_structures_as_arguments():
    Pair = collections.namedtuple("Pair", "x n")
    x = np.arange(3.0)
    for kind in (bp.function, bp.jit):
        made, runs = counted(lambda s: s[0] * 2 + s[1], kind)
        for value in ((x, x), [x, x], Pair(x, x), (bp.asarray(x), 2.5), (x, 3.5), (x, 2), (x, 3), (x, x)):
            same(made(value), x * 2 + value[1])
        assert len(runs) == 6, runs
        made, runs = counted(lambda s, k: s["a"][0].x + s["b"] + k["c"], kind)
        for n in (1.5, 2.5):
            same(made({"a": [Pair(x, None)], "b": x}, k={"c": n}), x + x + n)
        assert len(runs) == 1
        same(kind(lambda x, shape: bp.reshape(x, shape))(np.ones(6), (2, 3)), np.ones((2, 3)))
        assert "explain" not in str(kind(lambda s: s[0] + s[1]).explain((x, x)))
        for call in (lambda: kind(lambda x, mode: x)(x, {3}), lambda: kind(lambda x, mode: x)(x, mode=[1, {3}])):
            text = raises(TypeError, call)
            assert "the argument 'mode" in text and "function.py:" in text and "frozenset" in text, text
        endless = []
        endless.append(endless)
        raises(RecursionError, kind(lambda s: x), endless)


def check_objects_are_not_kept():
    """The graphs of an object go with it; values that are equal keep theirs."""

    class Model:
        def __init__(self):
            self.w = bp.sqrt(bp.ones(100_000))

        @bp.function
        def step(self, x):
            return x + bp.sum(self.w)

    live, models = bp.statistics().live_bytes, []
    for _ in range(20):
        model = Model()
        same(model.step(np.ones(2)), np.full(2, 100_001.0))
        models.append(weakref.ref(model))
    del model
    gc.collect()
    assert not any(each() for each in models) and bp.statistics().live_bytes - live < 100_000

    @dataclasses.dataclass(frozen=True)
    class Config:
        n: int

    made, runs = counted(lambda x, config: x * config.n)
    for _ in range(3):
        same(made(np.ones(2), Config(3)), np.full(2, 3.0))
    assert len(runs) == 1
    same(made(np.ones(2), Config(4)), np.full(2, 4.0))


def check_choices_of_shapes_that_differ_in_a_call():
    made = bp.function(lambda x: bp.cond(bp.sum(x) > 2, lambda: x, lambda: {"a": bp.concat((x, x))}["a"]))
    for x in (np.ones(3), np.zeros(3)):
        text = raises(ValueError, made, x)
        assert "cond: the result has shape (3,) of the first function, and (6,) of the second" in text and "function.py:" in text, text
    same(made(np.ones(0)), np.ones(0))
    raises(ValueError, made, np.ones(1))
    made = bp.function(lambda x: bp.cond(bp.sum(x) > 2, lambda: x + 1, lambda: x[::-1]))
    for n in (3, 1, 3):
        same(made(np.ones(n)), np.ones(n) + (n > 2))


def check_unknown_extents_are_none_in_messages():
    text = raises(ValueError, bp.function(lambda x: x * np.asarray([1.0, 2.0, 3.0])), np.ones(3))
    assert "shapes (None,) and (3,)" in text and "pass the array as an argument, or use bsgp.jit" in text, text
    assert "(None, 4)" in raises(ValueError, lambda: bp.Parameter((None, 4)) @ bp.ones(5))
    assert bp.Parameter((None, 4)).size is None and bp.Parameter((2, 4)).size == 8


def check_numbers_that_a_type_does_not_have():
    x = np.ones(3, np.uint8)
    calls = [
        lambda: bp.function(lambda x: x + 300)(x), lambda: bp.jit(lambda x: x + 300)(x),
        lambda: bp.while_loop(lambda s, n: n < 3, lambda s, n: (300, n + 1), (bp.asarray(x[0]), 0)),
        lambda: bp.function(lambda x: bp.cond(bp.sum(x) > 1, lambda: x[0], lambda: 300))(x),
    ]  # fmt: skip
    for call in calls:
        text = raises(OverflowError, call)
        assert "300 is none of type uint8" in text and "function.py:" in text and text.count("help:") == 1 and "720720" not in text, text
    assert "state[0]" in raises(OverflowError, calls[2]) and "cond" in raises(OverflowError, calls[3])


def check_words_of_python_in_conditions():
    for condition in (lambda x, n: n < 3 and n < 5, lambda x, n: 0 <= n < 5, lambda x, n: not n > 3):
        text = raises(ValueError, bp.while_loop, condition, lambda x, n: (x, n + 1), (bp.ones(3), 0))
        assert "`and`, `or`, `not` the operators &, |, ~" in text and "function.py:" in text, text


def check_conditions_of_choices():
    """A bool of rank 0, as of while_loop."""
    for condition in (1, 0.5, [], None, bp.asarray(1.0), np.float64(1)):
        text = raises(TypeError, bp.cond, condition, lambda: 1, lambda: 2)
        assert "not a bool, an array of rank 0" in text, text
    assert "function.py:" in raises(TypeError, bp.function(lambda x: bp.cond(bp.sum(x), lambda: x, lambda: x)), np.ones(3))
    for condition in (True, np.bool_(True), bp.asarray(True), bp.sum(bp.ones(2)) > 1):
        assert bp.cond(condition, lambda: 1, lambda: 2) == 1


def check_parameters_with_default_values():
    same(bp.while_loop(lambda x, n: n < 3, lambda x, n=5: (x + 1, n + 1), (bp.ones(2), 0))[0], np.full(2, 4.0))
    k = 2
    same(bp.while_loop(lambda s: s[2] < 3, lambda s, k=k: (s[0] + k, s[1], s[2] + 1), (bp.ones(2), 0, 0))[0], np.full(2, 7.0))


def check_functions_are_functions():
    for kind in (bp.function, bp.jit):
        text = raises(TypeError, kind, 3)
        assert f"bsgp.{kind.__name__}(f)" in text and "type int is no function" in text, text


def check_elements_of_empty_arrays():
    text = raises(IndexError, bp.function(lambda x: x[-1]), np.ones(0))
    assert "index -1 of axis 0, which has 0 elements" in text, text


# ---- how often things are computed ----


def kernels(work):
    before = bp.statistics().kernels
    bp.eval(*parts_of_bsgp(work()))
    return bp.statistics().kernels - before


def check_captured_values_are_computed_once():
    big = bp.random.normal((100, 100), key=1)

    def captured(x, times):
        inverse = bp.linalg.inv(x)
        return bp.while_loop(lambda y, n: n < times, lambda y, n: (y * 0.5 + inverse, n + 1), (x, 0))[0]

    for kind in (bp.function, bp.jit):
        made = kind(captured)
        few, many = bp.asarray(3), bp.asarray(23)
        made(big, few)
        counts = [kernels(lambda: made(big, times)) for times in (few, many)]
        assert counts[1] - counts[0] in (20, 40), counts  # not the inverse
    counts = [kernels(lambda: captured(big, times)) for times in (few, many)]
    assert counts[1] - counts[0] in (20, 40), counts


def check_values_around_a_loop_are_computed_once():
    def around(x):
        y = bp.sort(x)
        z, _ = bp.while_loop(lambda z, n: n < 3, lambda z, n: (z + 1, n + 1), (y * 2, 0))
        return z + y

    def without(x):
        y = bp.sort(x)
        return (y * 2 + 1 + 1 + 1) + y

    made, plain = bp.function(around), bp.function(without)
    x = bp.random.normal((1000,), key=2)
    same(made(x), np.asarray(plain(x)))
    one = bp.function(lambda x: bp.while_loop(lambda z, n: n < 3, lambda z, n: (z + 1, n + 1), (x * 2, 0))[0] + x)
    one(x)
    # The sort is one kernel more, and it is no kernel twice.
    assert kernels(lambda: made(x)) - kernels(lambda: one(x)) == 1


def check_loops_that_nobody_reads():
    def unread(x):
        bp.while_loop(lambda y: True, lambda y: y + 1, x)
        return x + 1

    for kind in (bp.function, bp.jit):
        same(kind(unread)(np.ones(2)), np.full(2, 2.0))


def check_one_of_both_is_computed():
    made = bp.function(lambda x, c: bp.cond(c, lambda: bp.linalg.inv(x), lambda: x))
    singular = np.zeros((3, 3))
    same(made(singular, bp.asarray(False)), singular)
    raises(bp.linalg.LinAlgError, made, singular, bp.asarray(True))
    same(made(np.eye(3), bp.asarray(True)), np.eye(3), zeros=False)
    ran = []
    same(bp.cond(bp.asarray(True), lambda: ran.append(1) or bp.ones(2), lambda: ran.append(2)), np.ones(2))
    assert ran == [1]


def check_bodies_are_traced_and_not_run():
    ran = []

    def body(x, n):
        ran.append(1)
        return x + 1, n + 1

    made = bp.function(lambda x, times: bp.while_loop(lambda x, n: n < times, body, (x, 0))[0])
    for times in (0, 1, 1000):
        same(bp.while_loop(lambda x, n: n < times, body, (bp.ones(3), 0))[0], np.full(3, 1.0 + times))
        same(made(bp.ones(times), bp.asarray(times)), np.full(times, 1.0 + times))
    assert len(ran) == 4, ran


# ---- random programs ----


class RandomProgram:
    """Statements over a pool of arrays and numbers: operations, loops and choices, nested."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.body = self.statements(3, 5)

    def statements(self, depth, count):
        kinds = ["operation"] * 4 + (["loop", "choice"] * 2 if depth else [])
        return [(kind := self.random.choice(kinds), *getattr(self, kind)(depth)) for _ in range(self.random.randint(1, count))]

    def operation(self, depth):
        return self.random.randrange(9), self.random.random(), self.random.random(), self.random.choice([0.5, -0.25, 1.5])

    def loop(self, depth):
        return self.random.randint(0, 3), self.random.randint(1, 3), [self.random.random() for _ in range(3)], self.statements(depth - 1, 4)

    def choice(self, depth):
        return self.random.random(), self.statements(depth - 1, 3), self.statements(depth - 1, 3)

    def run(self, xp, loop, choose, arrays):
        pool = list(arrays)
        self.go(xp, loop, choose, self.body, pool)
        return pool[-4:]

    def go(self, xp, loop, choose, statements, pool):
        def pick(at):
            return pool[int(at * len(pool))]

        for kind, *rest in statements:
            if kind == "operation":
                which, first, second, number = rest
                a, b = pick(first), pick(second)
                pool.append(
                    [
                        lambda: a * 0.5 + b * 0.25, lambda: a - b * number, lambda: xp.minimum(a, b), lambda: xp.maximum(a, number), lambda: a / (abs(b) + 1),
                        lambda: xp.sqrt(abs(a)), lambda: xp.where(a > b, a, b * 0.5), lambda: xp.roll(a, 1, axis=0), lambda: a + xp.max(b, axis=0),
                    ][which]()
                )  # fmt: skip
            elif kind == "loop":
                times, count, chosen, inner = rest
                state = tuple(pick(at) for at in chosen[:count])

                def body(n, *parts):
                    inside = [*pool, *parts]
                    self.go(xp, loop, choose, inner, inside)
                    return (n + 1, *[inside[-1 - i % len(inside)] * 0.5 + part * 0.25 for i, part in enumerate(parts)])

                made = loop(lambda n, *_: n < times, body, (0, *state))
                pool.extend(made[1:])
            else:
                at, yes, no = rest
                tested = pick(at)

                def branch(statements):
                    def inner():
                        inside = list(pool)
                        self.go(xp, loop, choose, statements, inside)
                        return inside[-1], inside[-2]

                    return inner

                pool.extend(choose(xp.max(tested) > 0.5, branch(yes), branch(no)))


def check_random_programs(first=0, count=100):
    failures = checks.Failures()

    def run(seed):
        with bp.options(target="reference" if seed % 20 == 7 else "cpu"):
            run_on_target(seed)

    def run_on_target(seed):
        program = RandomProgram(seed)
        made, runs = counted(lambda *arrays: program.run(bp, bp.while_loop, bp.cond, arrays))
        for n in (1, 5, 2):
            arrays = [values((n,), seed=seed * 3 + i) for i in range(3)]
            want = program.run(np, loop, choose, arrays)
            for each, of_numpy in zip(made(*arrays), want):
                same(each, of_numpy)
        assert len(runs) == 1
        for each, of_numpy in zip(bp.jit(made.__wrapped__)(*arrays), want):
            same(each, of_numpy)
        for each, of_numpy in zip(program.run(bp, bp.while_loop, bp.cond, [bp.asarray(each) for each in arrays]), want):
            same(each, of_numpy)

    for seed in range(first, first + count):
        failures.run(seed, run, seed)
    failures.report()


# ---- threads, signals, memory ----


def check_threads_call_functions():
    made = bp.function(lambda x, a: bp.while_loop(lambda y, n: n < 5, lambda y, n: (y * a + x, n + 1), (x, 0))[0])
    errors = []

    def work(number):
        try:
            for n in (10, 20 + number, 30):
                x = np.arange(float(n))
                want = x
                for _ in range(5):
                    want = want * 0.5 + x
                for _ in range(20):
                    same(made(x, 0.5), want)
                same(bp.while_loop(lambda y, n: n < number, lambda y, n: (y + x, n + 1), (bp.asarray(x), 0))[0], x * (number + 1))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not errors, errors


def check_interrupts_end_loops():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in jobs of a shell
    for loops in (lambda: bp.while_loop(lambda x: True, lambda x: x + 1, 0), lambda: bp.function(lambda x: bp.while_loop(lambda y: True, lambda y: y + 1, x))(bp.ones(3))):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            loops()
            raise AssertionError("the loop has ended")
        except KeyboardInterrupt:
            timer.join()
        same(bp.ones(3) + 1, np.full(3, 2.0))


def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def check_captured_values_are_freed():
    def work():
        big = bp.sqrt(bp.arange(100_000.0)) + 1
        return bp.while_loop(lambda y, n: n < 2, lambda y, n: (y + bp.sum(big), n + 1), (1.0, 0))[0]

    work()
    before = bp.statistics().live_bytes
    made = work()
    assert bp.statistics().live_bytes - before < 10_000 and float(made) > 0


def check_memory_does_not_grow():
    x = bp.ones(16)
    calls = bp.function(lambda x: (x + 1, bp.while_loop(lambda y, n: n < 2, lambda y, n: (y + x, n + 1), (x, 0))[0], bp.cond(bp.sum(x) > 0, lambda: x, lambda: -x)))
    works = [(lambda: calls(x), 100_000), (lambda: calls(bp.ones(random.randrange(1, 500))), 2_000)]
    works += [(lambda: bp.while_loop(lambda y, n: n < 2, lambda y, n: (y + x, n + 1), (x, 0)), 2_000)]
    for work, rounds in works:
        for _ in range(rounds // 10):
            work()
        gc.collect()
        live, before = bp.statistics().live_bytes, resident()
        for _ in range(rounds):
            work()
        gc.collect()
        assert bp.statistics().live_bytes - live < 500_000 and resident() - before < 6_000_000, (bp.statistics().live_bytes - live, resident() - before)


if len(sys.argv) > 2:  # FIRST COUNT: random programs with these seeds
    check_random_programs(int(sys.argv[1]), int(sys.argv[2]))
else:
    checks.main(__name__)

"""Programs of combinators: compiled, they compute what `simulate` does, and `simulate` what NumPy and plain Python do.

Usage: combine.py [FIRST LAST]: the random programs of these seeds alone."""
import math
import os
import random
import sys
import time
import traceback
import warnings

import numpy as np
from refusal import refused

import bsgp as bp
from bsgp import combine
from bsgp.combine import bfly, cmp, evens, fan, fold_tree, halves, ilv, lag, odds, pair, rep, rev, riffle, rifftab, scans, shex, shexT, sorters
from bsgp.combine import sync, tblLook, then, two, unriffle, updown, vee

warnings.filterwarnings("ignore", "overflow|invalid value", RuntimeWarning)  # numbers of NumPy wrap, as those of the language
TYPES = ("int32", "int64", "float32", "float64", "uint8")
FORMS = [dict(group=group, in_place=in_place) for group in (None, 1, 2, 4, 8, 16) for in_place in (None, True, False)]
swap = pair(lambda a, b: (b, a))


def elements(n, dtype="int32", seed=0):
    return np.random.default_rng([n, seed]).integers(0, 200, n).astype(dtype)


def agrees(program, given, forms, **options):
    """That the compiled program does what its definition says."""
    expected = np.array(combine.simulate(program, given), given.dtype)
    for form in forms:
        made = combine.run(program, given, **form, **options)
        assert made.dtype == given.dtype and np.array_equal(made, expected), (program, given.size, given.dtype, form, options, made, expected)


def simulates_the_definitions():
    x = list(range(1, 9))
    assert combine.simulate(bfly(3, cmp), [1, 3, 5, 7, 8, 6, 4, 2]) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert combine.simulate(bfly(3, cmp), [8, 2, 6, 4, 1, 5, 7, 3]) == [1, 2, 3, 6, 4, 7, 5, 8]
    for program, expected in (
        (riffle, [1, 5, 2, 6, 3, 7, 4, 8]), (unriffle, [1, 3, 5, 7, 2, 4, 6, 8]), (rev, x[::-1]), (tblLook(rifftab(8)), [1, 5, 2, 6, 3, 7, 4, 8]),
        (evens(swap), [2, 1, 4, 3, 6, 5, 8, 7]), (odds(swap), [1, 3, 2, 5, 4, 7, 6, 8]), (vee(swap), x[::-1]), (two(rev), [4, 3, 2, 1, 8, 7, 6, 5]),
        (ilv(rev), [7, 8, 5, 6, 3, 4, 1, 2]), (halves(then(), rev), [1, 2, 3, 4, 8, 7, 6, 5]), (fan("+"), [1, 2, 3, 4, 9, 10, 11, 12]), (lag(3, "+"), [1, 2, 3, 5, 7, 9, 11, 13]), (lag(9, "+"), x),
        (updown(evens(cmp)), [1, 2, 3, 4, 6, 5, 8, 7]), (updown(updown(evens(cmp))), [1, 2, 4, 3, 5, 6, 8, 7]),
        (fold_tree("+"), [36]), (two(fold_tree("*")), [24, 1680]), (rep(3, riffle), x), (combine.map(lambda a: a * 2 + 1), [2 * a + 1 for a in x]),
        (riffle >> evens(swap) >> sync, [5, 1, 6, 2, 7, 3, 8, 4]), (tblLook([0] * 8), [1] * 8), (ilv(fold_tree("+")), [16, 20]),
    ):
        assert combine.simulate(program, x) == expected, (program, combine.simulate(program, x))
    for n in (2, 8, 64):
        values = [int(each) for each in elements(n)]
        levels = n.bit_length() - 1
        assert combine.simulate(shex(levels, cmp), values) == combine.simulate(bfly(levels, cmp), values)
        assert combine.simulate(shexT(levels, cmp, rifftab(n)), values) == combine.simulate(bfly(levels, cmp), values)
        for name in ("bitonic", "bitonicUpDown", "vsort", "vsortShex", "vsortIt", "vsortIt2"):
            assert combine.simulate(getattr(sorters, name)(levels), values) == sorted(values), (name, n)
        assert combine.simulate(sorters.sortOET(n), values) == sorted(values)
        assert combine.simulate(scans.sklansky(levels), values) == np.cumsum(values).tolist()
        assert combine.simulate(scans.rows(levels), values) == np.cumsum(values).tolist()
        assert combine.simulate(fold_tree("max"), values) == [max(values)]


ALL = os.environ.get("CHECK_EXTENT", "all") != "sample"
LEVELS = range(1, 13) if ALL else (1, 4, 6, 9, 12)


def programs(levels):
    """Each combinator, for 2^levels elements."""
    n = 1 << levels
    return [evens(cmp), odds(swap) >> evens(cmp), vee(cmp), two(vee(cmp)) if levels > 1 else rev, ilv(evens(swap)) if levels > 1 else riffle,
            rep(3, riffle), shex(levels, cmp), shexT(levels, cmp, rifftab(n)), bfly(levels, cmp), unriffle >> rev >> fan("+"), fold_tree("+"),
            halves(then(), rev), updown(evens(cmp) >> rev) >> evens(swap) if levels > 1 else rev, combine.map(lambda a: combine.where(a > 50, a / 2, a + 3)), tblLook([(i * 7 + 3) % n for i in range(n)]), then(),
            tblLook([i // 2 for i in range(n)]) >> sync >> evens(lambda a, b: (a + b, a - b)),
            lag(1, "+") >> lag(2, "max") >> lag(n // 2, lambda a, b: a - b), scans.rows(levels), ilv(rev) >> lag(3, "min") if levels > 1 else sync]


def compiles_each_combinator():
    for levels in LEVELS:
        for number, program in enumerate(programs(levels)):
            forms = FORMS[::2] if levels == 5 else [FORMS[(5 * levels + number) % len(FORMS)]]
            agrees(program, elements(1 << levels), forms)
    for dtype in TYPES:
        for levels in (1, 7)[not ALL :]:
            for program in programs(levels):
                agrees(program, elements(1 << levels, dtype), [{}])


def compiles_the_programs():
    for levels in LEVELS:
        n = 1 << levels
        for dtype in TYPES if levels in (2, 9) else ("float32", "int32")[levels == 12 :]:
            given = elements(n, dtype)
            names = ("bitonic", "bitonicUpDown", "vsort") + ("vsortShex", "vsortIt", "vsortIt2") * (dtype == "int32" and levels in ((1, 4, 7, 12) if ALL else (1, 6)))
            for name in names:
                assert np.array_equal(combine.run(getattr(sorters, name)(levels), given), np.sort(given)), (name, n, dtype)
            sums = np.cumsum(given, dtype=dtype)
            assert np.array_equal(combine.run(scans.sklansky(levels), given), sums) and np.array_equal(combine.run(scans.rows(levels), given), sums)
            if levels in ((1, 6, 9, 11) if ALL else (1, 6)):
                assert np.array_equal(sorters.vsortHO(levels, dtype)(given.copy()), np.sort(given))
                for name in ("hand", *scans.KERNELS):
                    assert np.array_equal(scans.kernel(name, levels, dtype)(given.copy()), sums), (name, n, dtype)
    for n in (2, 6, 30, 128, 1000):
        assert np.array_equal(combine.run(sorters.sortOET(n), elements(n)), np.sort(elements(n))), n
    assert np.array_equal(scans.kernel("sklansky", 5, "float64", "max")(elements(32, "float64")), np.maximum.accumulate(elements(32, "float64")))


def keeps_all_elements_of_a_sort():
    """NaN is neither less nor greater: it stays an element, and no other one is lost."""
    given = elements(64, "float32")
    given[[3, 17, 40]] = np.nan
    given[given == 0] = 1
    given[[5, 6, 7]] = -0.0
    for program in (sorters.vsort(6), sorters.bitonicUpDown(6)):
        for form in FORMS:
            made = combine.run(program, given, **form)
            assert np.isnan(made).sum() == 3 and np.array_equal(np.sort(made), np.sort(given), equal_nan=True), form
            assert np.signbit(made).sum() == 3, form


def carries_nan_through_min_and_max():
    """As NumPy does, in whatever order elements are combined."""
    for dtype in ("float16", "float32", "float64"):
        for places in ([2], [0], [63], [5, 40], range(64)):
            given = elements(64, dtype)
            given[list(places)] = np.nan
            for op, function, of_numpy in (("max", combine.max, np.maximum), ("min", combine.min, np.minimum)):
                expected = of_numpy.accumulate(given)
                assert np.array_equal(scans.scan(given, op, length=16), expected, equal_nan=True), (op, dtype, places)
                for program in (scans.rows(6, op), scans.sklansky(6, function)):
                    assert np.array_equal(combine.simulate(program, given), expected, equal_nan=True)
                    assert np.array_equal(combine.run(program, given), expected, equal_nan=True)
                assert np.isnan(combine.run(fold_tree(op), given)[0]) and np.isnan(combine.simulate(fold_tree(op), given)[0])
    assert combine.simulate(scans.rows(3, "max"), [1, 2, float("nan"), 9, 3, 4, 5, 6])[:2] == [1, 2]
    assert "!=" not in combine.emit(lag(1, "max"), 64, "int32"), "whole numbers are never NaN"


def keeps_x_and_y_apart():
    """Arrays that overlap are refused, and equal ones are in place."""
    reverse, fold = combine.compile(rev, 4, "int64"), combine.compile(fold_tree("+"), 4, "int64")
    memory = np.arange(20)
    for x, y in ((memory[:8], memory[1:9]), (memory[1:9], memory[:8]), (memory[:8], memory[4:12]), (memory[8:16], memory[1:9])):
        refused(ValueError, lambda: reverse(x, y), "x and y overlap", "f(x.copy(), y)")
    refused(ValueError, lambda: fold(memory[:16], memory[:4]), "x and y overlap")
    refused(ValueError, lambda: fold(memory[:16], memory[12:16]), "x and y overlap")
    assert memory.tolist() == list(range(20)), "nothing was written"
    assert reverse(memory[:8], memory[8:16]).tolist() == [3, 2, 1, 0, 7, 6, 5, 4]
    assert fold(memory[:16], memory[16:]).tolist() == [6, 22, 6, 22]
    same = np.arange(8)
    assert reverse(same, same[:]).tolist() == reverse(np.arange(8)).tolist() == [3, 2, 1, 0, 7, 6, 5, 4]
    assert reverse(bp.arange(8), np.empty(8, np.int64)).tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def limits_the_steps_of_a_program():
    """In time and memory that do not depend on the count."""
    increment = combine.map(lambda a: a + 1)
    nested = increment
    for _ in range(26):
        nested = rep(2, nested)
    begin = time.perf_counter()
    for program in (rep(10**6, increment), nested):
        refused(ValueError, lambda: combine.emit(program, 4, "int64"), "rep: with", "100,000 steps", "call it several times")
    refused(ValueError, lambda: combine.emit(then(*[rep(60_000, increment)] * 2), 4, "int64"), "rep: with")
    assert time.perf_counter() - begin < 5
    assert combine.run(rep(100_000, increment), np.arange(4)).tolist() == [100_000, 100_001, 100_002, 100_003]
    assert combine.run(rep(10**9, then()), np.arange(4)).tolist() == [0, 1, 2, 3]


def fits_near_elements_into_the_block():
    """Where the elements in front of a buffer and behind it are too many, there are none of them."""
    x = elements(4096, "int64")
    agrees(lag(1599, "+"), x, [{}])
    agrees(lag(1, "+") >> lag(2, "+"), elements(6144, "int64"), [{}])
    longer = lag(1, "+") >> lag(1, "+")
    refused(ValueError, lambda: combine.emit(longer, 6145, "int64"), "6145 elements needs 49,160 bytes", "up to 6144 elements")


def divides_as_python_does():
    """// rounds down, % has the sign of the divisor, / of whole numbers goes towards zero; abs and minus wrap."""
    functions = [lambda a: a // 3, lambda a: a % 3, lambda a: 7 // a, lambda a: 7 % a, lambda a: abs(a), lambda a: -a, lambda a: +a]
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"):
        given = np.array([7, 3, 0, 3, 120, 5, 1, 2]).astype(dtype)
        if dtype[0] != "u":
            given *= np.array([-1, 1]).astype(dtype).repeat(4)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for function in functions + [lambda a: a // -2, lambda a: a % -2] * (dtype[0] != "u"):
                expected = np.array(combine.simulate(combine.map(function), given), dtype)
                assert np.array_equal(combine.run(combine.map(function), given), expected, equal_nan=True), (dtype, expected)
            expected = np.stack([given[::2] // given[1::2], given[::2] % given[1::2]], 1).ravel()
            assert np.array_equal(combine.run(evens(lambda a, b: (a // b, a % b)), given), expected, equal_nan=True), dtype
    assert combine.simulate(combine.map(lambda a: a // 3), [-7, 7]) == [-3, 2]
    assert combine.simulate(combine.map(lambda a: a % 3), [-7, 7]) == [2, 1]
    for function in (lambda a: 7 / a, lambda a: 7 // a, lambda a: 7 % a):
        assert combine.run(combine.map(function), np.array([0])).tolist() == combine.simulate(combine.map(function), [0]) == [0], "by 0: 0"
    assert np.signbit(combine.run(combine.map(lambda a: -a), np.array([0.0])))[0]
    assert combine.run(combine.map(lambda a: np.minimum(np.int64(3) + a, 5)), np.arange(4)).tolist() == [3, 4, 5, 5]
    assert scans.scan(np.array([17, 5, 3]), lambda a, b: a % b, length=2).tolist() == [17, 2, 2], "in both kernels"


def works_on_the_reference_and_with_threads_of_all_counts():
    for levels in (1, 5, 7) if ALL else (5,):
        for program in programs(levels):
            agrees(program, elements(1 << levels), [{}, dict(group=1), dict(group=4, in_place=True)], target="reference")
    for block in (1, 3, 16, 31, 100, 1024):
        for program in (sorters.vsort(7), scans.sklansky(7), sorters.sortOET(128), fold_tree("+")):
            agrees(program, elements(128), [dict(block=block, warp_sync=True), dict(block=block, group=2, in_place=True, warp_sync=True)])


def has_no_race():
    """The program that finds races finds none: the syncs are there, and so are those of warps."""
    sorts = [sorters.vsort(6), sorters.bitonic(6), sorters.bitonicUpDown(6), sorters.sortOET(64)]
    for program in [*sorts, scans.sklansky(6), scans.rows(6), shex(6, cmp), rev, fold_tree("+")]:
        for group, in_place, block in ((None, None, 64), (None, None, 8), (1, False, 16), (2, True, 64), (8, False, 16)):
            text = combine.emit(program, 64, "int32", group=group, in_place=in_place, warp_sync=True, block=block)
            given = np.r_[elements(64), elements(64, seed=1)]
            made = np.zeros(2 * program.length(64), "i4")
            bp.compile(text, check=True).combined(given, made, 2)


def sets_syncs_where_they_are_needed():
    text = combine.emit(scans.sklansky(9), 512, "int32", group=2, in_place=True, warp_sync=True)
    assert text.count("warp.sync()") and text.count("block.sync()") < 9, text
    assert combine.emit(evens(cmp) >> evens(cmp), 64, "int32", group=8).count("sync()") == 0
    assert combine.emit(evens(cmp) >> sync >> evens(cmp), 64, "int32", group=8, in_place=True).count("sync()") == 0
    assert combine.emit(bfly(3, cmp), 512, "int32", group=8).count("sync()") == 0, "eight elements of a thread"
    assert combine.emit(bfly(4, cmp), 512, "int32", group=8).count("sync()") == 1
    assert combine.emit(riffle, 512, "int32").count("table") == 0 and "table" in combine.emit(tblLook([3, 1, 0, 2, 5, 4, 7, 6]), 8, "int32")


def works_on_blocks():
    x = elements(40 * 64)
    sort = combine.blocks(sorters.vsort(6), 64)
    assert np.array_equal(sort(x), np.sort(x.reshape(-1, 64)).ravel())
    assert np.array_equal(np.asarray(sort(bp.asarray(x))), np.sort(x.reshape(-1, 64)).ravel()) and isinstance(sort(bp.asarray(x)), bp.Array)
    assert combine.blocks(fold_tree("+"), 64)(x).tolist() == x.reshape(-1, 64).sum(1).tolist()
    assert sort(x[:0]).size == 0
    function = combine.compile(sorters.vsort(6), 64, "int32")
    y = x.copy()
    assert function(y) is y and np.array_equal(y, np.sort(x.reshape(-1, 64)).ravel())
    z = np.empty_like(x)
    function(x, z)
    assert np.array_equal(z, y)
    sums = np.empty(40, "i4")
    combine.compile(fold_tree("+"), 64, np.int32)(x, sums)
    assert sums.tolist() == x.reshape(-1, 64).sum(1).tolist()


def scans_long_arrays():
    for n in (1, 511, 512, 513, 5000, 512 * 512, 512 * 512 + 1, 1 << 20):
        given = elements(n, "int64")
        assert np.array_equal(scans.scan(given), np.cumsum(given)), n
    for length in (2, 64, 4096):
        assert np.array_equal(scans.scan(elements(10000, "uint8"), "max", length=length), np.maximum.accumulate(elements(10000, "uint8")))
    affine = scans.scan(elements(3000, "int64"), lambda a, b: a + b - 1)
    assert np.array_equal(affine, np.cumsum(elements(3000, "int64") - 1) + 1)
    assert np.array_equal(np.asarray(scans.scan(bp.arange(1000))), np.cumsum(np.arange(1000)))
    assert scans.scan(np.empty(0)).size == 0


def refuses_what_does_not_fit():
    x = elements(8)
    refused(ValueError, lambda: combine.simulate(evens(cmp), [1, 2, 3]), "evens: the array has 3 elements", "help:")
    refused(ValueError, lambda: combine.run(bfly(3, cmp), x[:6]), "ilv: the array has 3 elements")
    refused(ValueError, lambda: combine.run(two(riffle), x[:2]), "riffle: the array has 1 elements")
    refused(ValueError, lambda: combine.emit(ilv(rev), 7, "int32"), "ilv: the array has 7 elements")
    refused(ValueError, lambda: combine.run(fold_tree("+"), x[:6]), "fold_tree: the array has 6 elements", "zeros for +")
    refused(ValueError, lambda: combine.run(tblLook([0, 1]), x), "the table has 2 elements, and the array 8", "combine.rifftab(8)")
    refused(ValueError, lambda: tblLook([0, 2]), "the index 2")
    for table in ([0.9, 1.9], [True, False], np.array([1.0, 0.0]), np.array([True, False]), ["0"], [None]):
        refused(TypeError, lambda: tblLook(table), "a table holds whole numbers", "help:")
    refused(TypeError, lambda: tblLook(rifftab), "tblLook: function is no table", "combine.rifftab(n)")
    assert tblLook(np.array([1, 0], np.uint8)).table == (1, 0)
    refused(TypeError, lambda: combine.run(rev, np.array([True])), "arrays of bool", "a.astype(numpy.uint8)")
    refused(ValueError, lambda: halves(fold_tree("+"), rev).length(8), "halves: a program makes 1 elements of 4")
    refused(ValueError, lambda: combine.run(rev, x[:0]), "0 is no length")
    refused(ValueError, lambda: combine.blocks(rev, 3)(x), "8 elements are no whole number of arrays of 3: 2 are left over", "help:")
    refused(ValueError, lambda: combine.compile(fold_tree("+"), 8, "int32")(x), "f(x, y) with a y of 1 elements")
    refused(ValueError, lambda: combine.compile(rev, 8, "int32")(x, x[:4].copy()), "the result has 8 elements, and y has 4")
    refused(TypeError, lambda: combine.compile(rev, 8, "int32")(x.astype("f4")), "float32")
    refused(ValueError, lambda: combine.run(rev, x.reshape(2, 4)), "2 axes", "a.reshape(-1)")
    refused(TypeError, lambda: combine.run(rev, [1, 2]), "list is no array", "combine.simulate takes lists")
    refused(TypeError, lambda: combine.emit(rev, 8, "complex64"), "complex64")
    refused(ValueError, lambda: combine.emit(sorters.vsort(13), 1 << 13, "int64"), "65,536 bytes", "too large for the memory", "6144")
    refused(ValueError, lambda: combine.emit(rev, 8, "int32", group=3), "group=3", "1, 2, 4, 8 or 16")
    refused(ValueError, lambda: combine.emit(rev, 8, "int32", block=2000), "block=2000", "1 to 1024")
    refused(TypeError, lambda: rev >> cmp, "Function is no program", "combine.evens(f)")
    refused(ValueError, lambda: bfly(0, cmp), "bfly: 0 levels")
    refused(ValueError, lambda: rep(-1, rev), "rep: -1")
    refused(ValueError, lambda: lag(0, "+"), "lag: a distance of 0")
    refused(ValueError, lambda: sorters.vsortHO(12, "int32"), "vsortHO: 12 levels")
    refused(ValueError, lambda: scans.kernel("sklansky4", 9, "int32"), "no kernel 'sklansky4'", "sklansky3")


def refuses_functions_that_are_none():
    refused(TypeError, lambda: evens(3), "evens: int is no function", "combine.cmp")
    refused(TypeError, lambda: evens(lambda a, b: a + b), "evens: the function has 1 results, and needs 2", "(b, a)")
    refused(TypeError, lambda: combine.map(cmp), "the function is of 2 elements")
    refused(TypeError, lambda: pair(lambda a, b: (a, b) if a < b else (b, a)), "its truth is not known", "combine.where")
    refused(TypeError, lambda: pair(lambda a, b: (min(a, b), b)), "its truth is not known", "combine.min")
    refused(TypeError, lambda: combine.map(lambda a: (a < 3) + 1), "a comparison is no number")
    refused(TypeError, lambda: combine.map(lambda a: combine.where(a, 1, 2)), "a condition is a comparison")
    refused(TypeError, lambda: combine.map(lambda a: a + "1"), "str is neither an element nor a number")
    refused(ValueError, lambda: fold_tree("-"), "no operator '-'", "'max'")
    refused(TypeError, lambda: combine.emit(combine.map(lambda a: a * 0.5), 8, "int32"), "the constant 0.5", "help:")
    refused(OverflowError, lambda: combine.emit(combine.map(lambda a: a + 300), 8, "uint8"), "300, which uint8 does not hold", "0 to 255")
    refused(TypeError, lambda: combine.emit(combine.map(lambda a: a * 0.5), 8, "uint16"), "the array is of uint16")
    for dtype, value in (("float32", 1e300), ("float16", 70000), ("float64", 10**400), ("float32", -1e39)):
        refused(OverflowError, lambda: combine.emit(combine.map(lambda a: a + value), 8, dtype), f"which {dtype} does not hold", "help:")
    assert "INFINITY" in combine.emit(combine.map(lambda a: combine.min(a, float("inf"))), 8, "float32")
    for function in (lambda a: a / 0, lambda a: a // 0, lambda a: a % 0, lambda a: a / 0.0):
        refused(ZeroDivisionError, lambda: combine.map(function), "by 0", "help:")
    lacking = (lambda a: a**2, lambda a: 2**a, lambda a: a << 2, lambda a: a >> 1, lambda a: a ^ 1, lambda a: divmod(a, 2),
               lambda a: round(a), lambda a: math.sqrt(a), lambda a: [1, 2][a], lambda a: np.sqrt(a), lambda a: np.add.reduce(a),
               lambda a: [*a], lambda a: a[0])
    for function in lacking:
        refused(TypeError, lambda: combine.map(function), "combine: an element has no", "+ - * / // %", "abs", "where(c, a, b)")
    for constant in (np.array([1, 2]), [1, 2], 1j, None):
        refused(TypeError, lambda: combine.map(lambda a: a + constant), "is neither an element nor a number", "help:")
        refused(TypeError, lambda: combine.map(lambda a: constant + a), "is neither an element nor a number", "help:")
    refused(TypeError, lambda: combine.map(lambda a, b: a), "map: the function is called with one element", "lambda a: a + 1")
    refused(TypeError, lambda: evens(lambda a: a), "evens: the function is called with two elements", "lambda a, b")
    refused(ValueError, lambda: evens("max"), "evens: there is no operator 'max'")


def grows_with_the_program():
    """Twice the repetitions take no more than twice the time, and a loop stands for those that are equal."""
    def seconds(count):
        best = 9.0
        for _ in range(3):
            begin = time.perf_counter()
            combine.emit(rep(count, evens(cmp) >> odds(cmp) >> riffle), 256, "int32")
            best = min(best, time.perf_counter() - begin)
        return best

    base = seconds(32)
    for factor in (2, 4, 8):
        assert seconds(32 * factor) < base * factor * 1.6, factor
    def milliseconds(program, length):
        begin = time.perf_counter()
        combine.emit(program, length, "int64")
        return (time.perf_counter() - begin) * 1e3

    lags = [min(milliseconds(then(*[lag(1, "+")] * count), 64) for _ in range(3)) for count in (16, 256)]
    assert lags[1] < 16 * lags[0] + 50, lags
    exchanges = [min(milliseconds(sorters.sortOET(length), length) for _ in range(3)) for length in (1000, 4000)]
    assert exchanges[1] < 6 * exchanges[0] + 50, exchanges
    lengths = [len(combine.emit(rep(count, evens(cmp) >> odds(cmp)), 256, "int32")) for count in (8, 16, 800)]
    assert lengths[2] < lengths[0] + 100, lengths
    for group in (1, 16):
        nested = [len(combine.emit(rep(count, evens(cmp) >> vee(cmp) >> riffle), 256, "int32", group=group)) for count in (1, 9, 18, 36)]
        assert nested[3] < 3 * nested[2] and nested[2] < 3 * nested[1], "no expression grows with all paths to an element"


# ---- random programs ----


def random_function(choose, dtype):
    """A function of two elements, of which floats are computed without a rounding that depends on contraction."""
    few = [lambda a, b: (a + b, a - b), lambda a, b: (combine.min(a, b + 1), combine.max(a, b)), lambda a, b: (b, a), lambda a, b: (a, a),
           lambda a, b: (combine.where(a < b, a, b + 3), combine.where((a <= b) | (b == 7), b, -a))]
    if dtype[0] != "f":
        few += [lambda a, b: (a * 3 + b, a), lambda a, b: (a / 3, combine.where(~(a != b), a * b, b))]
    return choose.choice([cmp, cmp, pair(choose.choice(few))])


def random_program(choose, n, depth, dtype):
    function = random_function(choose, dtype)
    if depth == 0 or n % 2:
        table = [choose.randrange(n) for _ in range(n)]
        simple = [rev, tblLook(table), combine.map(lambda a: a + 1), sync, lag(choose.randrange(1, 9), choose.choice(["+", "max"]))]
        return choose.choice(simple + [evens(function), odds(function), vee(function), riffle, unriffle, fan("+")] * (n % 2 == 0))
    kind = choose.randrange(8)
    if kind == 7:
        return updown(random_program(choose, n // 2, depth - 1, dtype))
    if kind < 2:
        return then(*[random_program(choose, n, depth - 1, dtype) for _ in range(choose.randrange(1, 4))])
    if kind == 2:
        return rep(choose.randrange(4), random_program(choose, n, depth - 1, dtype))
    if kind == 3:
        return halves(random_program(choose, n // 2, depth - 1, dtype), random_program(choose, n // 2, depth - 1, dtype))
    if kind == 4:
        return random_program(choose, n, 0, dtype)
    return (two if kind == 5 else ilv)(random_program(choose, n // 2, depth - 1, dtype))


def random_programs(seeds):
    for seed in seeds:
        choose = random.Random(seed)
        n = choose.choice([1, 2, 4, 6, 8, 12, 16, 24, 32, 64, 96, 128, 7, 10])
        dtype = choose.choice(TYPES)
        program = random_program(choose, n, choose.randrange(1, 6), dtype)
        if n & (n - 1) == 0 and choose.random() < 0.2:
            program = program >> fold_tree(choose.choice(["+", "max"]))
        form = dict(choose.choice(FORMS), block=choose.choice([None, None, 4, 32]), warp_sync=choose.random() < 0.5)
        try:
            agrees(program, elements(n, dtype, seed), [form], target=choose.choice([None, None, "reference"]))
        except BaseException:
            print(f"the random program of seed {seed}", file=sys.stderr)
            raise


def compiles_random_programs():
    random_programs(range(60))


if len(sys.argv) > 2:
    random_programs(range(int(sys.argv[1]), int(sys.argv[2])))
    sys.exit(0)
TESTS = [simulates_the_definitions, compiles_each_combinator, compiles_the_programs, keeps_all_elements_of_a_sort,
         carries_nan_through_min_and_max, keeps_x_and_y_apart, limits_the_steps_of_a_program, fits_near_elements_into_the_block,
         divides_as_python_does,
         works_on_the_reference_and_with_threads_of_all_counts, has_no_race, sets_syncs_where_they_are_needed, works_on_blocks, scans_long_arrays,
         refuses_what_does_not_fit, refuses_functions_that_are_none, grows_with_the_program, compiles_random_programs]
failures = 0
for test in TESTS:
    begin = time.perf_counter()
    try:
        test()
    except BaseException:  # one failure does not hide the others
        failures += 1
        print(f"FAILED {test.__name__}", file=sys.stderr)
        traceback.print_exc()
    if "--times" in sys.argv:
        print(f"{time.perf_counter() - begin:6.2f} s {test.__name__}")
print(f"{len(TESTS) - failures} of {len(TESTS)} passed")
sys.exit(failures > 0)

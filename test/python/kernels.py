"""Programs from text called from Python give what NumPy gives, refuse what does not fit with a help, and can be interrupted."""
import faulthandler
import inspect
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
from refusal import refused

signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs tests in the background has it ignored

import bsgp as bp  # noqa: E402  it stands in front of the handler of that time

program = bp.compile("""
struct Body { float3 at; double mass; int2 cell; };

export saxpy(float* y, const float* x, float a, int n) { spawn (n) { y[thread.rank] += a * x[thread.rank]; } }
export twice(double* x, long n) { spawn (n) { x[thread.rank] *= 2.0; } }
export transposed(float[,] to, const float[,] from) {
  spawn (to.height * to.width) {
    int row = thread.rank / to.width, column = thread.rank % to.width;
    to[row, column] = from[column, row];
  }
}
export int extents(const device int[,,] a) { return a.depth * 10000 + a.height * 100 + a.width; }
export move(Body* bodies, int n, float3 by) { spawn (n) { bodies[thread.rank].at += by; bodies[thread.rank].cell.y = 7; } }
export lengths(const float3* v, float* to, int n) { spawn (n) { to[thread.rank] = length(v[thread.rank]); } }
export Body heavier(Body b, double by) { b.mass += by; return b; }
export float3 cross3(float3 a, float3 b) { return cross(a, b); }
export count(int& n, const double& by) { n += int(by); }
export bool both(bool a, bool b) { return a && b; }
export int narrow(char c, uchar u, short s, ushort t) { return c + u + s + t; }
export ulong wide(ulong a, long b) { return a + ulong(b); }
export float third(float x) { return x / 3.0f; }
export device int* pointer(device int* p) { return p; }
export checked(int* p, int n) { spawn (n) { assert(p[thread.rank] < 5); } }
export int text_length(host const char* text) { int n = 0; while (text[n] != 0) n++; return n; }
export int lambda(int is) { return is; }
export spawns(int* p, long count) { for (long i = 0; i < count; i++) spawn (10) { p[thread.rank] += 1; } }
export stuck(int* p, long count) { spawn (1) { for (long i = 0; i < count; i++) p[0] = (p[0] * 1664525 + 1013904223) ^ (p[0] >> 7); } }
""")
FIRST_LINE = program.saxpy.line  # of the texts functions, in this file


def takes_arrays_of_numpy():
    x, y = np.arange(1000, dtype="f4"), np.ones(1000, "f4")
    program.saxpy(y, x, 2, x.size)
    assert (y == 1 + 2 * np.arange(1000, dtype="f4")).all()
    program.saxpy(n=10, a=np.float64(-1.0), x=x, y=y)
    assert y[9] == 10 and y[10] == 21
    empty = np.empty(0, "f8")
    program.twice(empty, 0)
    program.twice(None, 0)
    memory = bytearray(np.arange(4.0).tobytes())
    program.twice(memoryview(memory).cast("d"), 4)
    assert np.frombuffer(memory).tolist() == [0, 2, 4, 6]


def takes_arrays_of_bsgp():
    x = bp.arange(10, dtype=bp.float32) * 3
    y = bp.zeros(10, dtype=bp.float32)
    other = +y
    program.saxpy(y, x + 1, 1, 10)
    assert bp.asarray(y).tolist() == [3 * i + 1 for i in range(10)]
    assert other.tolist() == [0.0] * 10, "an array that shared the value keeps it"
    sum_before = bp.sum(x)
    refused(bp.Error, lambda: program.checked(bp.asarray([1, 2, 9], dtype=bp.int32), 3), "assertion failed at rank 2", "kernels.py:")
    assert float(sum_before) == 135.0


def takes_arrays_with_extents():
    a = np.arange(12, dtype="f4").reshape(3, 4)
    b = np.empty((4, 3), "f4")
    program.transposed(b, a)
    assert (b == a.T).all()
    assert program.extents(np.zeros((2, 3, 4), "i4")) == 20304
    assert program.extents(bp.zeros((5, 1, 9), dtype=bp.int32)) == 50109
    refused(TypeError, lambda: program.extents(np.zeros((3, 4), "i4")), "extents: argument 'a' has 2 axes", "takes 3")


def takes_structs_and_vectors():
    body = np.dtype([("at", "f4", 3), ("mass", "f8"), ("cell", "i4", 2)], align=True)
    bodies = np.zeros(5, body)
    bodies["mass"] = np.arange(5)
    program.move(bodies, 5, (1, 2, 3))
    program.move(bodies, 5, np.array([1, 1, 1]))
    assert (bodies["at"] == [2, 3, 4]).all() and (bodies["cell"][:, 1] == 7).all()
    assert program.heavier(bodies[2], 10) == ((2.0, 3.0, 4.0), 12.0, (0, 7))
    assert program.heavier({"at": (1, 2, 3), "mass": 5, "cell": [8, 9]}, 0.5) == ((1.0, 2.0, 3.0), 5.5, (8, 9))
    assert program.cross3((1, 0, 0), bp.asarray([0.0, 1.0, 0.0]).tolist()) == (0.0, 0.0, 1.0)
    v, lengths = np.array([[3, 4, 0], [0, 0, 2]], "f4"), np.empty(2, "f4")
    program.lengths(v, lengths, 2)
    assert lengths.tolist() == [5, 2]
    refused(TypeError, lambda: program.lengths(np.zeros((2, 4), "f4"), lengths, 2), "has 4 elements along axis 1", "takes 3")
    refused(TypeError, lambda: program.cross3((1, 2), (1, 2, 3)), "cross3: argument 'a' has 2 parts", "float3 and has 3")
    refused(TypeError, lambda: program.heavier({"at": (1, 2, 3)}, 1), "has no 'mass'")
    refused(TypeError, lambda: program.move(np.zeros(5), 5, (1, 2, 3)), "is float64, the parameter is Body*", "help: a NumPy array of records")


def takes_and_gives_numbers():
    assert program.both(True, np.bool_(True)) is True and program.both(True, 0) is False
    assert program.narrow(-128, 255, -32768, 65535) == -128 + 255 - 32768 + 65535
    assert program.wide(2**64 - 1, 0) == 2**64 - 1 and program.wide(5, -3) == 2
    assert program.third(np.int32(1)) == float(np.float32(1) / np.float32(3))
    n = np.array(40, "i4")
    program.count(n, 2.5)
    assert n == 42
    count = bp.asarray(1, dtype=bp.int32)
    program.count(count, np.float32(9))
    assert int(count) == 10
    assert program.text_length(b"seven77\0") == 7
    for argument, value in (("c", 128), ("c", -129), ("u", 256), ("u", -1), ("s", 1 << 15), ("t", 1 << 16), ("t", 1 << 80)):
        refused(OverflowError, lambda: program.narrow(**{**dict(c=0, u=0, s=0, t=0), argument: value}), f"argument '{argument}' is {value}")
    refused(OverflowError, lambda: program.wide(2**64, 0), "ulong")
    refused(OverflowError, lambda: program.third(1e300), "float cannot hold")
    assert program.third(float("inf")) == float("inf")
    refused(TypeError, lambda: program.third("1"), "third: argument 'x' is str, the parameter is float")
    refused(TypeError, lambda: program.narrow(1.5, 0, 0, 0), "is float, the parameter is char", "help: int(value)")
    refused(TypeError, lambda: program.both(1.0, 2.0), "is float, the parameter is bool")


def refuses_arguments_that_do_not_fit():
    x, y = np.zeros(8, "f8"), np.zeros(8, "f4")
    refused(TypeError, lambda: program.saxpy(y, x, 2, 8), "saxpy: argument 'x' is float64, the parameter is const float*",
            "help: x.astype(np.float32)")
    program.saxpy(y, x.astype(np.float32), 2, 8)
    refused(TypeError, lambda: program.saxpy(x, y, 2, 8), "help: y = y.astype(np.float32)")
    refused(ValueError, lambda: program.saxpy(y[::2], y, 2, 4), "argument 'y' does not lie row by row", "y = np.ascontiguousarray(y)")
    fixed = y.copy()
    fixed.flags.writeable = False
    refused(ValueError, lambda: program.saxpy(fixed, y, 2, 8), "argument 'y' is read-only", "y = y.copy()")
    program.saxpy(y, fixed, 2, 8)
    odd = np.frombuffer(bytearray(33), np.uint8)[1:].view("f4")
    refused(ValueError, lambda: program.saxpy(odd, y, 2, 8), "does not lie at a multiple of 4 bytes")
    refused(TypeError, lambda: program.saxpy(y, y, 2), "the argument 'n' is missing", "void saxpy(float* y, const float* x, float a, int n)")
    refused(TypeError, lambda: program.saxpy(y, y, 2, 8, 9), "5 arguments were given, it takes 4")
    refused(TypeError, lambda: program.saxpy(y, y, 2, 8, m=9), "there is no parameter 'm'")
    refused(TypeError, lambda: program.saxpy(y, y, 2, a=9), "'a' was given twice")
    refused(TypeError, lambda: program.saxpy([1.0], y, 2, 1), "is list", "help: a NumPy array, which the function can write to")
    refused(TypeError, lambda: program.saxpy(3, y, 2, 1), "is int, the parameter is float*")
    refused(TypeError, lambda: program.pointer(np.zeros(1, "i4")), "returns a int*", "help: let it write")
    refused(AttributeError, lambda: program.no_such, "exports no function 'no_such'", "saxpy")


def describes_itself():
    assert str(inspect.signature(program.saxpy)) == "(y: 'float*', x: 'const float*', a: 'float', n: 'int') -> None"
    assert list(inspect.signature(getattr(program, "lambda")).parameters) == ["is_"]
    assert program.saxpy.__name__ == "saxpy" and program.saxpy.__doc__.startswith("void saxpy(float* y, const float* x")
    assert program["third"] is program.third and "third" in list(program) and len(program) > 10
    assert "float third(float x)" in repr(program) and "third" in repr(program.third)
    assert os.path.basename(program.saxpy.file) == "kernels.py"
    assert open(__file__).read().splitlines()[FIRST_LINE - 1].startswith("export saxpy(")


def names_the_line_in_python():
    here = inspect.currentframe().f_lineno
    error = refused(bp.CompileError, lambda: bp.compile("""
export f(float* x) {
  x[0] = wrong;
}
"""), "kernels.py:", "wrong")
    assert (error.line, error.column, os.path.basename(error.filename)) == (here + 3, 10, "kernels.py"), (error.line, here)
    assert error.message.startswith("unknown name 'wrong'"), error.message
    one_line = refused(bp.CompileError, lambda: bp.compile("export f() { g(); }"), "kernels.py:")
    source = open(__file__).read().splitlines()[one_line.line - 1]
    assert source[one_line.column - 1 :].startswith("g();"), (one_line.column, source)
    joined = "".join(["export a() ", "{ h(); }"])
    assert refused(bp.CompileError, lambda: bp.compile(joined), "<bsgp text>:1:14").line == 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bp.compile("export f(int* p) { int unused = p == p; }")
    assert any("kernels.py:" in str(each.message) for each in caught), caught


def takes_names():
    text = "export T scaled(T x) { return x * K; }"
    assert bp.compile(text, T="float", K=4).scaled(2.5) == 10
    assert bp.compile(text, T=bp.float64, K=0.1).scaled(3.0) == 3.0 * 0.1
    assert bp.compile(text, T=np.int64, K=2**40).scaled(8) == 2**43
    assert bp.compile(text, T=int, K=True).scaled(8) == 8
    assert bp.compile('export int f(int a, int b) { return a OP b; /* OP */ }', OP="-").f(5, 3) == 2
    assert bp.compile("export float f() { return K; }", K=np.float32(0.1)).f() == float(np.float32(0.1))
    assert bp.compile("export double f() { return K; }", K=float("-inf")).f() == float("-inf")
    refused(TypeError, lambda: bp.compile("export f() {}", opt_lvl=1), "the text has no word 'opt_lvl'", "options are target")
    refused(ValueError, lambda: bp.compile("export f() { X }", X="a;\nb;"), "X has several lines")
    refused(TypeError, lambda: bp.compile("export f() { X }", X=[1]), "X is list")


def works_on_the_reference_and_with_checks():
    for target, check in (("reference", False), (None, True), ("reference", ["bounds", "race"])):
        m = bp.compile("""
export add(float* y, const float* x, int n) { spawn (n) { y[thread.rank] += x[thread.rank]; } }
export shifted(float* y, int n) { spawn (n) { y[thread.rank + 1] = 1.0f; } }
""", target=target, check=check)
        x, y = np.arange(300, dtype="f4"), np.ones(300, "f4")
        m.add(y, x, 300)
        assert (y == 1 + x).all()
        if check:
            refused(bp.Error, lambda: m.shifted(y, 300), "kernels.py:")
    refused(ValueError, lambda: bp.compile("export f() {}", target="gpu"), "there is no target 'gpu'")


def works_on_several_threads():
    wrong = []

    def run(number):
        y, x = np.zeros(1000, "f4"), np.full(1000, number, "f4")
        for _ in range(200):
            program.saxpy(y, x, 1, 1000)
        if not (y == 200 * number).all():
            wrong.append(number)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def makes_functions_of_expressions():
    x, y = np.random.default_rng(1).random((2, 30, 41)).astype("f4")
    f = bp.elementwise("float a, float b", "a * b + 1")
    assert f is bp.elementwise("float a, float b", "a * b + 1")
    assert np.allclose(np.asarray(f(x, y)), x * y + 1) and f(x, y).shape == (30, 41)
    assert np.allclose(np.asarray(f(bp.asarray(x), 2)), x * 2 + 1)
    assert np.allclose(np.asarray(f(x[:, ::2], y[:, ::2])), x[:, ::2] * y[:, ::2] + 1)
    assert bp.elementwise("float a", "a > 0.5f")(x).dtype == bp.bool_
    squares = bp.elementwise("int a, const int* table", "table[a] + thread.rank")
    assert squares(np.array([2, 0], "i4"), np.array([10, 20, 30], "i4")).tolist() == [30, 11]
    dot = bp.reduction("double a, double b", "a * b", "+")
    assert np.isclose(float(dot(x.astype("f8"), y.astype("f8"))), (x.astype("f8") * y).sum())
    assert int(bp.reduction("int a", "a > 3")(np.arange(10, dtype="i4"))) == 6
    assert float(bp.reduction("float a", "a", "max")(x)) == x.max()
    assert int(bp.reduction("int a", "a", "x * y % 7", neutral=1)(np.arange(1, 6, dtype="i4"))) == 120 % 7
    assert np.allclose(np.asarray(bp.scan("double a", "+")(x.ravel().astype("f8"))), np.cumsum(x.astype("f8")))
    assert bp.scan("int a", "max")(np.array([3, 1, 5, 2], "i4")).tolist() == [3, 3, 5, 5]
    assert float(bp.reduction("float a", "a")(np.empty(0, "f4"))) == 0
    refused(ValueError, lambda: f(x, y[:5]), "the arrays have shapes")
    refused(TypeError, lambda: f(x), "1 arguments were given, it takes 2")
    refused(TypeError, lambda: f(x.astype("f8"), y), "is float64, the parameter is float*")
    refused(TypeError, lambda: bp.reduction("int a", "a", "x * y % 7"), "needs neutral=")


def shows_the_expression_of_a_mistake():
    error = refused(bp.CompileError, lambda: bp.elementwise("float a, float b", "a * c + 1"), "elementwise: expression:1:5: error: unknown name 'c'")
    assert "    a * c + 1\n        ^" in str(error) and "thread.rank" not in str(error), error
    error = refused(bp.CompileError, lambda: bp.reduction("flot a", "a"), "reduction: parameters:1:1: error", "did you mean 'float'?")
    refused(bp.CompileError, lambda: bp.elementwise("float3 a", "a * 2"), "it is a float3")


def measures():
    best, table = bp.tune({"slow": lambda: time.sleep(0.002), "fast": lambda: None}, repeats=2)
    assert best == "fast" and "slow" in repr(table) and "<table>" in table._repr_html_()
    best, _ = bp.tune([{"K": 1}, {"K": 3}], lambda K: abs(K - 3))
    assert best == {"K": 3}
    with bp.profile() as measured:
        program.saxpy(np.zeros(5000, "f4"), np.zeros(5000, "f4"), 1, 5000)
    assert "saxpy" in repr(measured) and "kernels.py:" in repr(measured) and "<table>" in measured._repr_html_()
    assert measured.events[0]["args"]["threads"] == 5000


def later(*waits):
    def run():
        for wait in waits:
            time.sleep(wait)
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=run, daemon=True).start()


def ends_at_ctrl_c():
    p = np.zeros(10, "i4")
    later(0.2)
    begin = time.perf_counter()
    refused(KeyboardInterrupt, lambda: program.spawns(p, 1 << 50))
    assert time.perf_counter() - begin < 1.2
    before = p[0]
    program.spawns(p, 3)
    assert p[0] == before + 3
    x = bp.arange(20_000_000, dtype=bp.float64)
    for _ in range(80):
        x = bp.sin(x)
    later(0.1)
    refused(KeyboardInterrupt, x.eval)
    handled = []
    old = signal.signal(signal.SIGINT, lambda number, frame: handled.append(number))
    later(0.1)
    program.spawns(p, 3_000_000)
    signal.signal(signal.SIGINT, old)
    assert handled == [signal.SIGINT], "a handler that raises nothing lets the call go on"


def ends_a_process_that_is_stuck():
    stuck = subprocess.run([sys.executable, __file__, "stuck"], capture_output=True, text=True, timeout=60)
    assert stuck.returncode == 130 and "The second Ctrl-C ends the process" in stuck.stderr, (stuck.returncode, stuck.stderr)


if "stuck" in sys.argv:
    later(0.2, 0.8)
    program.stuck(np.zeros(1, "i4"), 1 << 60)
    sys.exit("the call came back")
TESTS = [takes_arrays_of_numpy, takes_arrays_of_bsgp, takes_arrays_with_extents, takes_structs_and_vectors, takes_and_gives_numbers,
         refuses_arguments_that_do_not_fit, describes_itself, names_the_line_in_python, takes_names, works_on_the_reference_and_with_checks,
         works_on_several_threads, makes_functions_of_expressions, shows_the_expression_of_a_mistake, measures, ends_at_ctrl_c,
         ends_a_process_that_is_stuck]
faulthandler.dump_traceback_later(200, exit=True)
failures = 0
for test in TESTS:
    try:
        test()
    except BaseException:  # one failure does not hide the others
        import traceback

        failures += 1
        print(f"FAILED {test.__name__}", file=sys.stderr)
        traceback.print_exc()
print(f"{len(TESTS) - failures} of {len(TESTS)} passed")
sys.exit(failures > 0)

"""Kernels that are refused name the line of the user's file, the construct, and a way out. A line with `#! words` has an error with these words."""

import inspect
import re
import sys

import numpy as np

import bsgp as bp

FACTOR = 3
SOME = np.zeros(3)


def recursive(n):
    return recursive(n - 1) + 1  #! recursive calls itself


def stars(*args):
    return 1


def no_result(x):
    x[0] = 1


def two(a, b):
    return a + b


def filled(x):
    with bp.spawn(len(x)):
        x[bp.rank] = 1


def comprehension(x: bp.float32[:]):
    with bp.spawn(len(x)):
        y = [v for v in x]  #! a comprehension


def generator(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[0] = sum(v for v in x)  #! sum cannot be called


def tries(x: bp.float32[:]):
    with bp.spawn(len(x)):
        try:  #! try cannot stand
            x[0] = 1
        except ValueError:
            pass


def raises(x: bp.float32[:]):
    if len(x) == 0:
        raise ValueError  #! raise cannot stand


def yields(x: bp.float32[:]):
    with bp.spawn(len(x)):
        yield x[0]  #! yield cannot stand


def a_text(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[0] = "one"  #! str one


def a_format(x: bp.float32[:]):
    with bp.spawn(len(x)):
        y = f"{x}"  #! a text cannot stand


def a_dict(x: bp.float32[:]):
    with bp.spawn(len(x)):
        d = {1: 2}  #! a dict


def a_set(x: bp.float32[:]):
    with bp.spawn(len(x)):
        d = {1, 2}  #! a set


def a_list(x: bp.float32[:]):
    with bp.spawn(len(x)):
        d = [1, 2]  #! a list


def a_lambda(x: bp.float32[:]):
    with bp.spawn(len(x)):
        f = lambda v: v  #! a lambda


def a_function(x: bp.float32[:]):
    with bp.spawn(len(x)):

        def f(v):  #! a function in a kernel
            return v


def a_class(x: bp.float32[:]):
    class C:  #! a class
        pass


def stars_called(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[0] = stars(1)  #! takes *args


def stars_given(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[0] = two(*x)  #! * and ** of arguments


def stars_own(x: bp.float32[:], *more):  #! *args and **kwargs
    pass


def a_global(x: bp.float32[:]):
    global FACTOR  #! global cannot stand
    FACTOR = 4


def a_nonlocal_write(x: bp.float32[:]):
    with bp.spawn(len(x)):
        FACTOR.real = 4  #! attributes cannot be assigned to


def changes_type(x: bp.float32[:]):
    with bp.spawn(len(x)):
        a = x[bp.rank]
        a = bp.int32(3)  #! 'a' is float32, and now int32


def changes_to_float(x: bp.int32[:]):
    with bp.spawn(len(x)):
        a = x[bp.rank]
        a = a / 2  #! 'a' is int32, and now float64


def changes_to_bool(x: bp.int32[:]):
    with bp.spawn(len(x)):
        a = 1
        a = x[bp.rank] > 1  #! 'a' is int, and now bool


def recursion(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[0] = recursive(3)


def divergent_barrier(x: bp.float32[:]):
    with bp.spawn(len(x)):
        if x[bp.rank] > 0:
            bp.barrier()  #! a barrier cannot stand under this 'if'


def divergent_loop(x: bp.float32[:]):
    with bp.spawn(len(x)):
        while x[bp.rank] > 0:
            x[bp.rank] -= 1
            bp.barrier()  #! a barrier cannot stand under this


def divergent_reduce(x: bp.float32[:]):
    total = 0
    with bp.spawn(len(x)):
        if bp.rank > 2:
            total = bp.reduce("+", x[bp.rank])  #! cannot stand


def divergent_sync(x: bp.float32[:]):
    with bp.spawn(len(x)):
        if bp.block.rank > 2:
            bp.block.sync()  #! cannot stand under this


def host_write(x: bp.float32[:]):
    total = 0.0
    with bp.spawn(len(x)):
        total = x[bp.rank]  #! cannot assign to the host variable
    return total


def unknown_name(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[bp.rank] = factor  #! unknown name 'factor'


def not_assigned(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[bp.rank] = later  #! 'later' is read before it is assigned
        later = 1


def gone(x: bp.float32[:]):
    with bp.spawn(len(x)):
        mine = x[bp.rank]
        x[bp.rank] = mine
    with bp.spawn(len(x)):
        x[bp.rank] = mine  #! 'mine' is not assigned here


def a_slice(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[0:2] = 1  #! slices cannot stand


def too_many_indices(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[1, 2] = 1  #! 2 indices for an array with 1 axes


def too_few_indices(x: bp.float32[:, :]):
    with bp.spawn(len(x)):
        x[1] = 1  #! 1 indices for an array with 2 axes


def behind_pointer(x: bp.ptr(bp.float32)):
    with bp.spawn(3):
        x[-1] = 1  #! index -1 of a pointer


def length_of_pointer(x: bp.ptr(bp.float32)):
    with bp.spawn(len(x)):  #! has no length that is known
        x[0] = 1


def no_type(x):  #! 'x' has no type
    pass


def wrong_type(x: dict):  #! is no type of a parameter
    pass


def complex_type(x: bp.complex64):  #! is no type of a parameter
    pass


def float_index(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[len(x) / 2] = 1  #! an index is a whole number


def float_size(x: bp.float32[:]):
    with bp.spawn(len(x) / 2):  #! the number of threads is a whole number
        x[0] = 1


def spawn_in_spawn(x: bp.float32[:]):
    with bp.spawn(len(x)):
        with bp.spawn(3):  #! a spawn in a spawn
            x[0] = 1


def rank_on_host(x: bp.float32[:]):
    return bp.rank  #! bp.rank is of threads


def thread_returns(x: bp.float32[:]):
    with bp.spawn(len(x)):
        return x[0]  #! a thread returns nothing


def returns_array(x: bp.float32[:]):
    return x  #! cannot be returned


def prints(x: bp.float32[:]):
    with bp.spawn(len(x)):
        print(x[0])  #! print cannot be called


def captured_array(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[0] = SOME[0]  #! a ndarray from outside of the kernel


def nothing_given(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[0] = no_result(x)  #! this is a None


def loop_over_array(x: bp.float32[:]):
    with bp.spawn(3):
        for v in x:  #! a loop goes over range
            pass


def loop_else(x: bp.float32[:]):
    for i in range(3):  #! 'else' of a loop
        pass
    else:
        pass


def step_of_zero(x: bp.float32[:]):
    for i in range(0, 9, 0):  #! a step of 0
        pass


def walrus(x: bp.float32[:]):
    with bp.spawn(len(x)):
        if (y := x[0]) > 1:  #! := in an expression
            x[0] = y


def with_file(x: bp.float32[:]):
    with open("file"):  #! 'with' is for
        pass


def matrix_product(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[0] = x[0] @ x[1]  #! the operator @


def is_none(x: bp.float32[:]):
    with bp.spawn(len(x)):
        if x[0] is None:  #! 'is' cannot stand
            x[0] = 1


def or_of_numbers(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[0] = x[1] or 2  #! 'or' gives one of its operands


def too_large(x: bp.uint8[:]):
    with bp.spawn(len(x)):
        x[0] = x[1] + 300  #! 300 is no value of uint8


def bits_of_floats(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[0] = x[1] & 1  #! & is of integers and bools


def sum_of_bools(x: bp.bool[:]):
    with bp.spawn(len(x)):
        y = x[0] + x[1]  #! + of two bools


def scan_in_expression(x: bp.int32[:]):
    with bp.spawn(len(x)):
        x[0] = 1 if x[1] > 2 else bp.scan("+", x[bp.rank])  #! a scan cannot stand here


def no_operator(x: bp.int32[:]):
    with bp.spawn(len(x)):
        t = bp.reduce(3, x[bp.rank])  #! this is no operator


def no_identity(x: bp.int32[:]):
    with bp.spawn(len(x)):
        t = bp.reduce(two, x[bp.rank])  #! two has no identity here


def get_of_value(x: bp.int32[:]):
    with bp.spawn(len(x)):
        bp.barrier()
        t = bp.get(0, x[0] + 1)  #! bp.get is of a variable


def shared_unknown(x: bp.int32[:]):
    with bp.spawn(len(x)):
        s = bp.shared(len(x), bp.int32)  #! the shape of bp.shared has to be known


def atomic_of_bytes(x: bp.int8[:]):
    with bp.spawn(len(x)):
        bp.atomic_add(x, 0, 1)  #! atomics are of integers and floats


def unpacked(x: bp.int32[:]):
    with bp.spawn(len(x)):
        a, b, c = 1, 2  #! 3 names for a tuple of 2


def tuple_place(x: bp.int32[:]):
    with bp.spawn(len(x)):
        t = (1, 2)
        x[0] = t[5]  #! place 5 of a tuple of 2


def missing_argument(x: bp.int32[:]):
    with bp.spawn(len(x)):
        x[0] = two(1)  #! two misses the argument 'b'


def unused(x: bp.int32[:]):
    with bp.spawn(len(x)):
        x[0] == 1  #! this does nothing with its value


def memory_in_thread(x: bp.int32[:]):
    with bp.spawn(len(x)):
        t = bp.empty(3, bp.int32)  #! a thread has no memory of bp.empty


def wrong_result(n: float) -> int:
    return n  #! returns int, and this is float


def no_result_said(n: int) -> None:
    return n  #! returns None, by its annotation


def result_of_no_type(n: int) -> list:  #! is no type of a result
    return n


def counts_down(x: bp.int32[:]):
    for i in reversed(range(3)):  #! a loop goes over range(...), or over a tuple
        pass


def of_a_class(self, x: bp.int32[:]):  #! 'self' has no type
    pass


def index_may_lack(x: bp.int32[:], c: int):
    with bp.spawn(len(x)):
        if c > 1:
            z = 1.5
        x[z] = 3  #! an index is a whole number


def end_without_value(n: int):  #! returns a value elsewhere, and None here
    if n > 0:
        return 1


def fractional_block(x: bp.int32[:]):
    with bp.spawn(len(x), block=1.5):  #! block of a spawn is a whole number
        x[0] = 1


def remainder_of_numpy(x: bp.int32[:]):
    with bp.spawn(len(x)):
        x[0] = np.fmod(x[0], x[1])  #! np.fmod of whole numbers


def sides_with_effects(x: bp.int32[:]):
    with bp.spawn(len(x)):
        x[1] = np.where(x[0] > 1, bp.atomic_add(x, 0, 1), 0)  #! an operand that changes memory


def captured_object_of_host(x: bp.int32[:]):
    with bp.spawn(len(x)):
        filled(x)  #! runs on the host


def private_in_branch(x: bp.int32[:]):
    with bp.spawn(len(x)):
        if x[bp.rank] > 1:
            p = bp.private(3, bp.int32)  #! 'p' is made in a part of the statements that use it
        p[0] = 1


def bool_index(x: bp.int32[:]):
    with bp.spawn(len(x)):
        x[x[bp.rank] > 2] = 9  #! an index is a whole number, and this is bool


def mean_of_package(x: bp.float64[:]):
    with bp.spawn(len(x)):
        x[bp.rank] = bp.mean(x)  #! mean cannot be called


def no_return(x: bp.int32[:]) -> int:  #! returns int, by its annotation, and None here
    pass


def enumerated(x: bp.int32[:]):
    with bp.spawn(len(x)):
        for i, v in enumerate(x):  #! a loop goes over range(...), or over a tuple
            pass


def text_as_number(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[bp.rank] = float("inf")  #! a text as a number


def atomic_bits_of_floats(x: bp.float32[:]):
    with bp.spawn(len(x)):
        bp.atomic_or(x, 0, 1)  #! this atomic is of integers


def collective_on_host(x: bp.int32[:]):
    return bp.reduce("+", 1)  #! needs the threads of a spawn


def check(name, function):
    lines, first = inspect.getsourcelines(function)
    wanted = {(first + i): line.split("#!")[1].strip() for i, line in enumerate(lines) if "#!" in line}
    if not wanted:  # in a function that it calls
        wanted = {inspect.getsourcelines(recursive)[1] + 1: "recursive calls itself"}
    try:
        bp.kernel(function).compile()
    except bp.CompileError as error:
        text = str(error)
    else:
        raise AssertionError(f"{name} was not refused")
    found = {int(at[1]): at[2] for at in re.finditer(r"^\S*kernel_refused\.py:(\d+):\d+: error: (.*) \[", text, re.M)}
    for line, words in wanted.items():
        assert line in found and words in found[line], f"{name}: line {line} should have '{words}':\n{text}"
    assert set(found) == set(wanted), f"{name}: other errors\n{text}"
    assert "^" in text and "  help: " in text or name in NO_HELP, f"{name}: no help\n{text}"
    assert not re.search(r"dnew|'require'|'\w+\.\d+'", re.sub(r"^    .*$", "", text, flags=re.M)), (
        f"{name}: in words of another language\n{text}"
    )
    assert "thread." not in re.sub(r"^    .*$", "", text, flags=re.M), f"{name}: in words of another language\n{text}"


NO_HELP = {
    "unpacked",
    "tuple_place",
    "missing_argument",
    "unused",
    "nothing_given",
    "step_of_zero",
    "a_text",
    "bits_of_floats",
    "spawn_options",
}

if __name__ == "__main__":
    functions = {
        n: f
        for n, f in globals().items()
        if inspect.isfunction(f) and n not in ("recursive", "stars", "no_result", "two", "filled", "check")
    }
    for name, function in functions.items():
        if len(sys.argv) < 2 or sys.argv[1] == name:
            check(name, function)
    print(len(functions) >= 60 and f"{len(functions)} refused")

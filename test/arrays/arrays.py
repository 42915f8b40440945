"""Arrays through the C interface, for tests: a thin class over ctypes, with NumPy arrays in and out."""
import ctypes
import os

import numpy as np

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64",
         "complex128"]
ONE = ("negative abs sign square reciprocal floor ceil trunc round sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh "
       "cosh tanh asinh acosh atanh cbrt erf erfc isnan isinf isfinite signbit logical_not bitwise_invert real imag conj angle").split()
TWO = ("add subtract multiply divide floor_divide remainder minimum maximum pow atan2 hypot copysign equal not_equal less less_equal greater "
       "greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift random_bits").split()
THREE = ["cond", "select", "fma"]
OPERATIONS = {name: i for i, name in enumerate(ONE + TWO + THREE)}
FOLDS = {name: i for i, name in enumerate(["sum", "prod", "min", "max", "all", "any"])}
ROWS = {name: i for i, name in enumerate("sort argsort cumulative_sum cumulative_prod argmin argmax cumulative_min cumulative_max".split())}
SCATTERS = {name: i for i, name in enumerate("set add multiply min max".split())}
NORMS = {name: i for i, name in enumerate(["fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf")])}
FFTS = {name: i for i, name in enumerate("fft ifft rfft irfft hfft ihfft".split())}
FFT_NORMS = {name: i for i, name in enumerate(["backward", "ortho", "forward"])}
BORDERS = {"clamp": 0, "wrap": 1, "value": 2}

lib = ctypes.CDLL(os.environ.get("ARRAYS_LIBRARY", "libbsgp.so"))
lib.bsgp_error_message.restype = ctypes.c_char_p
lib.bsgp_array_shape.restype = ctypes.POINTER(ctypes.c_int64)
for function in "shape rank dtype release function_release".split():
    getattr(lib, "bsgp_array_" + function).argtypes = [ctypes.c_void_p]


class Error(Exception):
    """A call failed; the message is the library's."""


class Options(ctypes.Structure):
    _fields_ = [("threads", ctypes.c_uint32), ("unfused", ctypes.c_int32), ("compile", ctypes.c_int32), ("most_pending_bytes", ctypes.c_int64),
                ("target", ctypes.c_char_p), ("exact", ctypes.c_int32)]


class Counts(ctypes.Structure):
    _fields_ = [("kernels", ctypes.c_int64), ("operations", ctypes.c_int64), ("bytes_written", ctypes.c_int64)]


class Statistics(ctypes.Structure):
    _fields_ = [("live_bytes", ctypes.c_int64), ("evaluations", ctypes.c_int64), ("kernels", ctypes.c_int64), ("compiled", ctypes.c_int64)]


def check(status):
    if status != 0:
        raise Error(lib.bsgp_error_message().decode())


def longs(values):
    values = list(values)
    return (ctypes.c_int64 * len(values))(*values)


def ints(values):
    values = list(values)
    return (ctypes.c_int32 * len(values))(*values)


def make_all(name, count, *arguments):
    """The results of a function that has several. Arguments may be arrays."""
    outs = [ctypes.c_void_p() for _ in range(count)]
    given = [argument.handle if isinstance(argument, Array) else argument for argument in arguments]
    check(getattr(lib, "bsgp_array_" + name)(*given, *map(ctypes.byref, outs)))
    return [Array(out) for out in outs]


def make(name, *arguments):
    return make_all(name, 1, *arguments)[0]


def options(threads=0, unfused=0, compile=0, target="cpu", most_pending_bytes=0, exact=0):
    check(lib.bsgp_arrays_set_options(ctypes.byref(Options(threads, unfused, compile, most_pending_bytes, target.encode(), exact))))


def statistics():
    out = Statistics()
    lib.bsgp_arrays_statistics(ctypes.byref(out))
    return out


def handles(arrays):
    return (ctypes.c_void_p * len(arrays))(*[a.handle for a in arrays])


def evaluate(*arrays):
    check(lib.bsgp_array_eval(len(arrays), handles(arrays)))


def explain(*arrays):
    text, counts = ctypes.c_char_p(), Counts()
    check(lib.bsgp_array_explain_counts(len(arrays), handles(arrays), ctypes.byref(counts)))
    check(lib.bsgp_array_explain(len(arrays), handles(arrays), ctypes.byref(text)))
    return counts, text.value.decode()


def from_numpy(values):
    values = np.array(values, order="C", copy=True, ndmin=0)
    return make("from", values.ctypes.data_as(ctypes.c_void_p), TYPES.index(values.dtype.name), values.ndim, longs(values.shape))


def scalar(value, dtype, weak=0):
    values = np.array(value, dtype)
    return make("scalar", values.ctypes.data_as(ctypes.c_void_p), TYPES.index(dtype), weak)


def index(shape, axis):
    return make("index", len(shape), longs(shape), axis)


def random(key, shape):
    return make("random", ctypes.c_uint64(key), len(shape), longs(shape))


def apply(name, *operands):
    return make("apply", OPERATIONS[name], len(operands), handles(operands))


def concatenate(arrays, axis=0):
    return make("concatenate", len(arrays), handles(arrays), axis)


def parameter(dtype, shape):
    return make("parameter", TYPES.index(dtype), len(shape), longs(shape))


class Function:
    """Outputs as a function of parameters."""

    def __init__(self, parameters, outputs):
        self.count, self.handle = len(outputs), ctypes.c_void_p()
        check(lib.bsgp_array_function_create(len(parameters), handles(parameters), len(outputs), handles(outputs), ctypes.byref(self.handle)))

    def __call__(self, *arguments):
        results = (ctypes.c_void_p * self.count)()
        check(lib.bsgp_array_function_call(self.handle, len(arguments), handles(arguments), results))
        return [Array(ctypes.c_void_p(result)) for result in results]

    def __del__(self):
        lib.bsgp_array_function_release(self.handle)


class Array:
    """Owns a handle."""

    def __init__(self, handle):
        self.handle = handle

    def __del__(self):
        lib.bsgp_array_release(self.handle)

    @property
    def shape(self):
        return tuple(lib.bsgp_array_shape(self.handle)[i] for i in range(lib.bsgp_array_rank(self.handle)))

    @property
    def dtype(self):
        return TYPES[lib.bsgp_array_dtype(self.handle)]

    def numpy(self):
        evaluate(self)
        out = np.empty(self.shape, self.dtype)
        check(lib.bsgp_array_read(self.handle, out.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(out.nbytes)))
        return out

    def data(self):
        """Its values, computed, without a copy; valid as long as the array."""
        out = ctypes.c_void_p()
        check(lib.bsgp_array_data(self.handle, ctypes.byref(out)))
        count = int(np.prod(self.shape))
        bytes_there = (ctypes.c_char * (count * np.dtype(self.dtype).itemsize)).from_address(out.value)
        bytes_there.owner = self
        return np.frombuffer(bytes_there, self.dtype).reshape(self.shape)

    def cast(self, dtype):
        return make("cast", self.handle, TYPES.index(dtype))

    def fold(self, name, axes=None, keep=0):
        count = -1 if axes is None else len(axes)
        return make("reduce", FOLDS[name], self.handle, count, ints(axes or []), keep)

    def mean(self, axes=None, keep=0):
        return make("mean", self.handle, -1 if axes is None else len(axes), ints(axes or []), keep)

    def rows(self, name, axis=-1, keep=0):
        return make("rows", ROWS[name], self.handle, None if axis is None else ints([axis]), keep)

    def matmul(self, other):
        return make("matmul", self.handle, other.handle)

    def inner(self, other):
        return make("inner_product", self.handle, other.handle)

    def outer(self, other):
        return make("outer_product", self.handle, other.handle)

    def compress(self, flags):
        return make("compress", self.handle, flags.handle)

    def unique(self):
        return make("unique", self.handle)

    def section(self, begin, count, stride):
        return make("section", self.handle, longs(begin), longs(count), longs(stride))

    def slice(self, axis, begin, end, stride):
        return make("slice", self.handle, axis, *map(ctypes.c_int64, (begin, end, stride)))

    def shift(self, by, border, value=None):
        return make("shift", self.handle, longs(by), BORDERS[border], value.handle if value else None)

    def extend(self, before, after, border, value=None):
        return make("extend", self.handle, longs(before), longs(after), BORDERS[border], value.handle if value else None)

    def stretch(self, times):
        return make("stretch", self.handle, longs(times))

    def component(self, axis, index):
        return make("component", self.handle, axis, ctypes.c_int64(index))

    def scatter(self, indices, updates, how):
        return make("scatter", self.handle, indices.handle, updates.handle, SCATTERS[how])

    def histogram(self, bins, low, high):
        return make("histogram", self.handle, ctypes.c_int64(bins), ctypes.c_double(low), ctypes.c_double(high))

    def segment_reduce(self, name, offsets):
        return make("segment_reduce", FOLDS[name], self.handle, offsets.handle)

    def segment_scan(self, name, heads):
        return make("segment_scan", ROWS[name], self.handle, heads.handle)

    def replicate(self, shape):
        return make("replicate", self.handle, longs(shape))

    def transpose(self, order):
        return make("transpose", self.handle, ints(order))

    def drop_dimension(self, axis):
        return make("drop_dimension", self.handle, axis)

    def add_dimension(self, axis, extent=1):
        return make("add_dimension", self.handle, axis, ctypes.c_int64(extent))

    def broadcast(self, shape):
        return make("broadcast", self.handle, len(shape), longs(shape))

    def reshape(self, shape):
        return make("reshape", self.handle, len(shape), longs(shape))

    def gather(self, indices, axis):
        return make("gather", self.handle, indices.handle, axis)

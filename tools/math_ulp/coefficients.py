#!/usr/bin/env python3
"""Derives the polynomial coefficients of stdlib/math.bsgp.

Each fit is minimax (Remez exchange, in 60 digits) of weight(x) * (g(x) - P(x)) over an interval; the coefficients are then
rounded to the type. Prints them and the error that is left, as log2.

    pip install mpmath; python3 tools/math_ulp/coefficients.py [NAME ...]
"""
import sys

from mpmath import mp, mpf, matrix, lu_solve, asin, atan, cos, erf, erfc, exp, log, log1p, pi, sin, sinh, sqrt

mp.dps = 60


def to_float(x):
    """The nearest binary32 number, exactly rounded from 60 digits."""
    m, e = mp.frexp(x)
    return mp.ldexp(mp.nint(mp.ldexp(m, 24)), e - 24)


def to_double(x):
    m, e = mp.frexp(x)
    return mp.ldexp(mp.nint(mp.ldexp(m, 53)), e - 53)


def remez(g, weight, lo, hi, powers):
    """Minimax fit of sum c_i x^powers[i] to g; returns coefficients and the weighted error."""
    n = len(powers)
    points = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * i / n) for i in range(n + 1)]
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (i + mpf(1) / 3) / (24 * n)) for i in range(24 * n)] + [lo, hi]
    near = (hi - lo) / 200  # the weights vanish at 0, which must not be a point of reference
    grid = sorted(x for x in grid if abs(x) > near / 4)
    points = [x if abs(x) > near else near * (i + 1) / (n + 1) for i, x in enumerate(points)]
    table = [(x, g(x), weight(x), [x**p for p in powers]) for x in grid]
    coefficients, error = None, None
    for _ in range(30):
        a, b = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, x in enumerate(points):
            for j, p in enumerate(powers):
                a[i, j] = x**p
            a[i, n] = (-1) ** i / weight(x)
            b[i] = g(x)
        solution = lu_solve(a, b)
        coefficients = [solution[i] for i in range(n)]
        errors = [w * (v - sum(c * q for c, q in zip(coefficients, basis))) for x, v, w, basis in table]
        peaks, start = [], 0
        for i in range(1, len(errors) + 1):
            if i == len(errors) or (errors[i] > 0) != (errors[start] > 0):
                peaks.append(max(range(start, i), key=lambda k: abs(errors[k])))
                start = i
        error = max(abs(e) for e in errors)
        if len(peaks) < n + 1 or error < abs(solution[n]) * mpf("1.01"):
            break
        while len(peaks) > n + 1:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        points = [table[k][0] for k in peaks]
    return coefficients, error


def fit(g, weight, lo, hi, powers, rounding):
    """The minimax coefficients, rounded, and the weighted error that they leave: the better of rounding all at once, and of
    rounding them one by one, fitting the rest again each time."""
    lo, hi = mpf(lo), mpf(hi)
    at_once = [rounding(c) for c in remez(g, weight, lo, hi, powers)[0]]
    one_by_one = []
    while len(one_by_one) < len(powers):
        known = list(zip(one_by_one, powers))
        rest = remez(lambda x: g(x) - sum(c * x**p for c, p in known), weight, lo, hi, powers[len(known):])
        one_by_one.append(rounding(rest[0][0]))
    grid = [lo + (hi - lo) * (i + mpf(1) / 7) / 1000 for i in range(1000)]
    error = lambda fitted: max(abs(weight(x) * (g(x) - sum(c * x**p for c, p in zip(fitted, powers)))) for x in grid)
    return min(((c, error(c)) for c in (at_once, one_by_one)), key=lambda pair: pair[1])


def show(name, coefficients, error, is_float):
    print(f"{name}: error 2^{float(log(error, 2)):.2f}")
    for c in coefficients:
        print("  ", literal(c, is_float))


def literal(c, is_float):
    if not is_float:
        return repr(float(c))
    for digits in range(6, 12):
        text = f"{float(c):.{digits}g}"
        if to_float(mpf(text)) == c:
            break
    if "." not in text and "e" not in text:
        text += ".0"
    return text + "f"


def parts(value, bits):
    """The value as a sum of numbers of so many bits each."""
    out = []
    for b in bits:
        m, e = mp.frexp(value)
        part = mp.ldexp(mp.nint(mp.ldexp(m, b)), e - b)
        out.append(part)
        value -= part
    return out


L2 = log(mpf(2))
ROOT = sqrt(mpf(2))


def log_in_s(z):  # log((1+s)/(1-s))/s - 2, z = s*s
    s = sqrt(z)
    return (log1p(s) - log1p(-s)) / s - 2


def pow_rest(z):  # (2/ln2) (atanh(s)/s - 1 - z/3) / z^2
    s = sqrt(z)
    return ((log1p(s) - log1p(-s)) / s - 2 - 2 * z / 3) / L2 / z**2


S_MAX = ((ROOT - 1) / (ROOT + 1)) ** 2 * mpf("1.001")
Q = pi / 4 * mpf("1.0001")
H = L2 / 2 * mpf("1.001")

def scaled_erfc(center):
    """(1 + 2x) e^(x^2) erfc(x) over q = (x - center) / (x + center)."""

    def g(q):
        x = center * (1 + q) / (1 - q)
        return (1 + 2 * x) * exp(x * x) * erfc(x)

    return g


def erf_rest(z):  # erf(x)/x - 1, z = x*x
    x = sqrt(z)
    return erf(x) / x - 1


# name: (function, weight, interval, degree, float?)
FITS = {
    # e^y - 1 - y = y^2 q(y)
    "exp float": (lambda y: (exp(y) - 1 - y) / y**2, lambda y: y**2 / exp(y), -H, H, 5, True),
    "exp double": (lambda y: (exp(y) - 1 - y) / y**2, lambda y: y**2 / exp(y), -H, H, 10, False),
    # log(1+f) - f = f^2 q(f)
    "log float": (lambda f: (log1p(f) - f) / f**2, lambda f: abs(f**2 / log1p(f)), 1 / ROOT - 1 - mpf("1e-4"), ROOT - 1 + mpf("1e-4"), 8, True),
    "log double": (lambda z: log_in_s(z) / z, lambda z: z, mpf(0), S_MAX, 6, False),
    "pow float": (pow_rest, lambda z: z**2, mpf(0), S_MAX, 2, True),
    "pow double": (pow_rest, lambda z: z**2, mpf(0), S_MAX, 7, False),
    "sin float": (lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / sin(sqrt(z)), mpf(0), Q * Q, 3, True),
    "sin double": (lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / sin(sqrt(z)), mpf(0), Q * Q, 6, False),
    "cos float": (lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2 / cos(sqrt(z)), mpf(0), Q * Q, 2, True),
    "cos double": (lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2 / cos(sqrt(z)), mpf(0), Q * Q, 5, False),
    "asin float": (lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / asin(sqrt(z)), mpf(0), mpf(1) / 4, 5, True),
    "asin double": (lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / asin(sqrt(z)), mpf(0), mpf(1) / 4, 12, False),
    "atan float": (lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / atan(sqrt(z)), mpf(0), mpf(1), 9, True),
    "atan double": (lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / atan(sqrt(z)), mpf(0), mpf(1), 20, False),
    "sinh float": (lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / sinh(sqrt(z)), mpf(0), mpf(1), 3, True),
    "sinh double": (lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / sinh(sqrt(z)), mpf(0), mpf(1), 7, False),
    "erf float": (erf_rest, lambda z: sqrt(z) / erf(sqrt(z)), mpf(0), mpf(1), 6, True),
    "erf double": (erf_rest, lambda z: sqrt(z) / erf(sqrt(z)), mpf(0), mpf(1), 11, False),
    "erfc float": (scaled_erfc(mpf(2)), lambda q: 1 / scaled_erfc(mpf(2))(q), mpf(-1), mpf("0.68"), 10, True),
    "erfc double": (scaled_erfc(mpf(4)), lambda q: 1 / scaled_erfc(mpf(4))(q), mpf(-1), mpf("0.75"), 22, False),
}


def run(name):
    g, weight, lo, hi, degree, is_float = FITS[name]
    powers = list(range(degree + 1))
    safe = g
    if lo == 0:
        lo = mpf("1e-14")
    coefficients, error = fit(safe, weight, lo, hi, powers, to_float if is_float else to_double)
    show(name, coefficients, error, is_float)


def constants():
    print("constants")
    for name, value, fbits, dbits in [
        ("ln2", L2, (16, 24), (41, 53)),
        ("log10(2)", L2 / log(mpf(10)), (15, 24), (40, 53)),
        ("1/ln2", 1 / L2, (24, 24), (53, 53)),
        ("1/ln10", 1 / log(mpf(10)), (24, 24), (53, 53)),
        ("ln10", log(mpf(10)), (24, 24), (53, 53)),
        ("log2(10)", log(mpf(10)) / L2, (24,), (53,)),
        ("2/ln2", 2 / L2, (24, 24), (53, 53)),
        ("2/(3 ln2)", 2 / (3 * L2), (24, 24), (53, 53)),
        ("pi/2", pi / 2, (24, 24, 24), (53, 53, 53)),
        ("pi", pi, (24, 24), (53, 53)),
        ("2/pi", 2 / pi, (24,), (53,)),
        ("ln2 full", L2, (24, 24), (53, 53)),
    ]:
        print("  ", name, [literal(p, True) for p in parts(value, fbits)], [literal(p, False) for p in parts(value, dbits)])
    bits = int(mp.floor(mp.ldexp(2 / pi, 64 * 20))) if mp.dps > 400 else None
    mp.dps = 500
    bits = int(mp.floor(mp.ldexp(2 / +pi, 64 * 20)))
    mp.dps = 60
    print("   2/pi in words of 64 bits:", ", ".join(f"0x{(bits >> (64 * (19 - i))) & (2**64 - 1):016x}" for i in range(20)))


if __name__ == "__main__":
    names = sys.argv[1:] or ["constants", *FITS]
    for name in names:
        constants() if name == "constants" else run(name)

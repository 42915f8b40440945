"""fft against array_api_strict."""

import numpy as np
from hypothesis import strategies as st

import bsgp as bp
import checks
from checks import COMPLEX, FLOATING, FLOATS, agree, checked, raises

number = st.integers(0, 10_000)
norms = st.sampled_from([None, "backward", "ortho", "forward"])


def near_of(dtype):
    return 1e-5 if dtype in ("float32", "complex64") else 1e-13


def given(dtype, shape, seed):
    rng = np.random.default_rng(seed)
    made = rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype in COMPLEX else 0)
    return made.astype(dtype)


def keywords(norm, **others):
    return {key: value for key, value in {"norm": norm, **others}.items() if value is not None}


@checked(300, name=st.sampled_from(["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]), dtype=st.sampled_from(FLOATING),
         shape=st.sampled_from([(1,), (2,), (5,), (8,), (3, 4), (7, 1), (2, 3, 6)]), n=st.none() | st.integers(1, 9), norm=norms, seed=number)  # fmt: skip
def check_one_axis(name, dtype, shape, n, norm, seed):
    if name in ("rfft", "ihfft") and dtype in COMPLEX:
        return
    x = given(dtype, shape, seed)
    axis = seed % (2 * x.ndim) - x.ndim
    agree(lambda m, x: getattr(m.fft, name)(x, **keywords(norm, n=n, axis=axis)), x, ulps=8, near=near_of(dtype), zeros=False)
    agree(lambda m, x: getattr(m.fft, name)(x), x, ulps=8, near=near_of(dtype), zeros=False)


@checked(200, name=st.sampled_from(["fftn", "ifftn", "rfftn", "irfftn"]), dtype=st.sampled_from(FLOATING),
         shape=st.sampled_from([(4,), (3, 4), (2, 3, 5), (1, 2)]), has_extents=st.booleans(), has_axes=st.booleans(), norm=norms, seed=number)  # fmt: skip
def check_several_axes(name, dtype, shape, has_extents, has_axes, norm, seed):
    if name == "rfftn" and dtype in COMPLEX:
        return
    rng = np.random.default_rng(seed)
    axes = tuple(int(each) for each in rng.permutation(len(shape))[: rng.integers(1, len(shape) + 1)]) if has_axes or has_extents else None
    s = tuple(int(each) for each in rng.integers(1, 7, len(axes))) if has_extents else None
    agree(lambda m, x: getattr(m.fft, name)(x, **keywords(norm, s=s, axes=axes)), given(dtype, shape, seed), ulps=8, near=near_of(dtype), zeros=False)


@checked(60, n=st.integers(1, 12), d=st.sampled_from([None, 1.0, 0.25, 3.0]), dtype=st.sampled_from([None, *FLOATS]))
def check_frequencies(n, d, dtype):
    for name in ("fftfreq", "rfftfreq"):
        agree(lambda m: getattr(m.fft, name)(n, **keywords(None, d=d, dtype=None if dtype is None else getattr(m, dtype))), ulps=2)


@checked(60, x=checks.arrays(FLOATING, [(5,), (4,), (2, 3), (4, 1, 2), (0,)]), seed=number)
def check_shifts(x, seed):
    axes = [None, 0, -1, tuple(range(x.ndim))][seed % 4]
    for name in ("fftshift", "ifftshift"):
        agree(lambda m, x: getattr(m.fft, name)(x, **keywords(None, axes=axes)), x)


def check_mistakes():
    raises(ValueError, bp.fft.fft, bp.ones(3), norm="none")
    raises(ValueError, bp.fft.fft, bp.ones(3), n=0)
    raises((IndexError, ValueError), bp.fft.fft, bp.ones(3), axis=1)
    raises(TypeError, bp.fft.rfft, bp.asarray([1j, 2j]))
    raises(ValueError, bp.fft.fftn, bp.ones((3, 3)), s=(2,), axes=(0, 1))


if __name__ == "__main__":
    checks.main(__name__)

# A program of arrays for those who have the Python package installed: array_program.py FOLDER, in which it must be.
import os
import sys
import tempfile

import numpy as np
import bsgp as bp

folder = os.path.dirname(os.path.abspath(bp.__file__))
assert folder.startswith(os.path.abspath(sys.argv[1]) + os.sep), f"bsgp is imported from {folder}"
values = np.arange(2000, dtype=np.float32).reshape(40, 50)
a = bp.asarray(values)
assert np.array_equal(np.asarray(a * a - a), values * values - values)
assert np.array_equal(np.asarray(bp.asarray(values[::2]) + 1), values[::2] + 1)
# libbsgp_image is found by the package, and by programs of the language.
with tempfile.TemporaryDirectory() as folder:
    picture = os.path.join(folder, "ramp.png")
    bp.image.write(picture, a / 2000)
    assert bp.image.read(picture).shape == (40, 50)
    program = bp.compile("#include <image.bsgp>\nexport int width(host const char* path) { return readImage(path).width; }")
    assert program.width(os.fsencode(picture) + b"\0") == 50


# Kernels in Python and combinators have folders of their own.
@bp.kernel
def twice(x: bp.float32[:]):
    with bp.spawn(len(x)):
        x[bp.rank] *= 2


x = np.arange(4, dtype=np.float32)
twice(x)
assert x.tolist() == [0, 2, 4, 6]
from bsgp import combine  # noqa: E402

assert combine.run(combine.rev, np.arange(4)).tolist() == [3, 2, 1, 0]
try:
    a + bp.asarray(values[:7])
except Exception as error:
    assert "7" in str(error), error
else:
    raise SystemExit("shapes that do not fit are not told of")
print(f"arrays with NumPy {np.__version__}")

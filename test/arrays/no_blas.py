"""Without the library a large product says what is missing; small products, exact ones and all other arrays need none."""
import os
import sys

os.environ["BSGP_BLAS"] = "/nowhere/libopenblas.so.0"
import arrays as A
import numpy as np

x = np.random.default_rng(1).integers(0, 9, (50, 60)).astype("f4")
a, found = A.from_numpy(x), []


def refuses(call, *words):
    try:
        call()
        found.append(f"no error, in place of {words}")
    except A.Error as error:
        found.extend(f"{error}\nlacks: {word}" for word in words if word not in str(error))


refuses(lambda: a.matmul(a.transpose([1, 0])).numpy(), "/nowhere/libopenblas.so.0", "help: Debian's package libopenblas0 has it", "BSGP_BLAS", "`exact`")
refuses(lambda: A.make("svdvals", a).numpy(), "linear algebra need OpenBLAS", "libopenblas0")
small = a.section([0, 0], [4, 4], [1, 1])
if not np.array_equal(small.matmul(small).numpy(), x[:4, :4] @ x[:4, :4]):
    found.append("a small product")
A.options(exact=1)
if not np.array_equal(a.matmul(a.transpose([1, 0])).numpy(), x @ x.T):
    found.append("an exact product")
print("\n".join(found))
sys.exit(bool(found))

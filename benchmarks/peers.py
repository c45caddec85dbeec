"""Times OpenBLAS (through numpy and scipy) and the `implicit` library on data that benchmarks/peers.mjs wrote.

One JSON request a line on standard input, one JSON answer a line on standard output. Each answer has `ms`, the time of one run.
"""
import ctypes
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
import scipy.sparse

try:
    from implicit.cpu import _als
    import implicit
except ImportError:
    implicit = None


def openblas():
    """scipy's own OpenBLAS, by the Fortran interface."""
    folder = os.path.join(os.path.dirname(os.path.dirname(scipy.__file__)), "scipy.libs")
    found = glob.glob(os.path.join(folder, "libscipy_openblas*"))
    return ctypes.CDLL(found[0]) if found else None


def native_loop():
    """openblas-loop.c, compiled here; None without a C compiler."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "openblas-loop.c")
    target = os.path.join(tempfile.mkdtemp(), "loop.so")
    try:
        subprocess.run(["cc", "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", source, "-o", target, "-lm"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return ctypes.CDLL(target)


blas = openblas()
loop = native_loop()
data = {}


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def symbol(name):
    return ctypes.cast(getattr(blas, "scipy_" + name + "_"), ctypes.c_void_p)


def load(request):
    folder = request["folder"]
    read = lambda name, kind: np.fromfile(os.path.join(folder, name), dtype=kind)
    data["offsets"], data["indices"] = read("offsets.u32", np.uint32), read("indices.u32", np.uint32)
    data["values"], data["weights"] = read("values.f32", np.float32), read("weights.f32", np.float32)
    data["items"] = request["items"]
    for d in request["widths"]:
        data["fixed", d] = read(f"fixed-{d}.f32", np.float32).reshape(-1, d)
        data["rows", d] = read(f"rows-{d}.f32", np.float32).reshape(-1, d)
        data["psd", d] = read(f"psd-{d}.f64", np.float64).reshape(-1, d, d)
    return {}


def user_step(request):
    d = request["d"]
    offsets, indices, values, weights, fixed = (data["offsets"], data["indices"], data["values"], data["weights"], data["fixed", d])
    users = len(offsets) - 1
    longest = int(np.max(np.diff(offsets)))
    panel, matrix = np.zeros((longest, d), np.float32), np.zeros((d, d), np.float32)
    out = np.zeros((users, d), np.float32)
    started = time.process_time()
    loop.user_step(symbol("ssyrk"), symbol("sposv"), pointer(fixed), d, users, pointer(offsets), pointer(indices), pointer(values),
                   pointer(weights), ctypes.c_float(0.1), pointer(panel), pointer(matrix), pointer(out))
    elapsed = time.process_time() - started
    return {"ms": elapsed * 1e3, "check": float(np.abs(out).sum())}


def implicit_step(request, solver):
    d = request["d"]
    indptr, indices = data["offsets"].astype(np.int32), data["indices"].astype(np.int32)
    fixed = data["fixed", d]
    out = np.zeros((len(indptr) - 1, d), np.float32)
    gram = fixed.T @ fixed
    matrix = scipy.sparse.csr_matrix((data["weights"] + 1, indices, indptr), shape=(len(indptr) - 1, data["items"]))
    started = time.process_time()
    if solver == "cg":
        _als.least_squares_cg(matrix, out, fixed, 0.1, num_threads=1, cg_steps=3)  # forms the Gramian itself
    else:
        _als._least_squares(gram, indptr, indices, data["weights"] + 1, out, fixed, 0.1, num_threads=1)
    return {"ms": (time.process_time() - started) * 1e3}


def scoring(request):
    rows, items = data["rows", request["d"]][: request["rows"]], data["fixed", request["d"]]
    # Into memory that was touched before: a fresh result would add the cost of its first use to the product.
    scores = data.setdefault(("scores", request["rows"]), np.ones((request["rows"], len(items)), np.float32))
    started = time.process_time()
    np.matmul(rows, items.T, out=scores)
    elapsed = time.process_time() - started
    return {"ms": elapsed * 1e3, "check": float(scores[0, 0])}


def eigen(request):
    matrices = data["psd", request["d"]]
    started = time.process_time()
    np.linalg.eigh(matrices)
    return {"ms": (time.process_time() - started) * 1e3}


def describe(_):
    core = None
    if blas is not None:
        blas.scipy_openblas_get_corename.restype = ctypes.c_char_p
        core = blas.scipy_openblas_get_corename().decode()
    return {
        "numpy": np.__version__, "scipy": scipy.__version__, "coreType": core,
        "implicit": implicit.__version__ if implicit else None, "compiler": loop is not None,
    }


operations = {
    "describe": describe, "load": load, "userStep": user_step, "scoring": scoring, "eigen": eigen,
    "implicitCholesky": lambda r: implicit_step(r, "cholesky"), "implicitCg": lambda r: implicit_step(r, "cg"),
}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = operations[request["operation"]](request)
    except Exception as error:  # the benchmark shows it beside the operation and goes on
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)

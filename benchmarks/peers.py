"""Times OpenBLAS (through numpy and scipy) and the `implicit` library on data that benchmarks/peers.mjs wrote.

One JSON request a line on standard input, one JSON answer a line on standard output. Each answer has `ms`, the time of one run, and where the
request names our result (`ours`, a file) also `difference`: how far apart the two are, in the worst row, relative to the row.
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


def read(name, kind):
    return np.fromfile(os.path.join(data["folder"], name), dtype=kind)


def load(request):
    data["folder"] = request["folder"]
    data["items"] = request["items"]
    for name in request["sets"]:
        data[name] = tuple(read(f"{name}-{part}", kind) for part, kind in
                           (("offsets.u32", np.uint32), ("indices.u32", np.uint32), ("values.f32", np.float32), ("weights.f32", np.float32)))
    for d in request["widths"]:
        data["fixed", d] = read(f"fixed-{d}.f32", np.float32).reshape(-1, d)
        data["rows", d] = read(f"rows-{d}.f32", np.float32).reshape(-1, d)
        data["psd", d] = read(f"psd-{d}.f64", np.float64).reshape(-1, d, d)
    return {}


def timed(request, elapsed, result):
    """The time, and how far our result of the same job is from this one."""
    if request.get("ours") is None:
        return {"ms": elapsed * 1e3}
    ours = read(request["ours"], np.float32).reshape(result.shape)
    size = np.maximum(np.abs(result).max(axis=1), 1e-30)
    return {"ms": elapsed * 1e3, "difference": float((np.abs(ours - result).max(axis=1) / size).max())}


def user_step(request):
    """The faster of the two loops counts: with the n × n systems of people with few ratings, and without. Where nobody has fewer
    ratings than dimensions they are the same loop, and it runs once, as ours does."""
    d = request["d"]
    (offsets, indices, values, weights), fixed = data[request["set"]], data["fixed", d]
    users = len(offsets) - 1
    counts = np.diff(offsets)
    longest = int(np.max(counts))
    panel, matrix, alpha = np.zeros((longest, d), np.float32), np.zeros((d, d), np.float32), np.zeros(d, np.float32)
    out = np.zeros((users, d), np.float32)
    times = []
    for dual in (0, 1) if int(np.min(counts)) < d else (0,):
        started = time.process_time()
        loop.user_step(symbol("ssyrk"), symbol("sposv"), pointer(fixed), d, users, pointer(offsets), pointer(indices), pointer(values),
                       pointer(weights), ctypes.c_float(0.1), dual, pointer(panel), pointer(matrix), pointer(alpha), pointer(out))
        times.append(time.process_time() - started)
    return timed(request, min(times), out)


def implicit_step(request, solver):
    d = request["d"]
    offsets, own, _, weights = data[request["set"]]
    indptr, indices = offsets.astype(np.int32), own.astype(np.int32)
    fixed = data["fixed", d]
    out = np.zeros((len(indptr) - 1, d), np.float32)
    gram = fixed.T @ fixed
    matrix = scipy.sparse.csr_matrix((weights + 1, indices, indptr), shape=(len(indptr) - 1, data["items"]))
    started = time.process_time()
    if solver == "cg":
        _als.least_squares_cg(matrix, out, fixed, 0.1, num_threads=1, cg_steps=3)  # forms the Gramian itself
    else:
        _als._least_squares(gram, indptr, indices, weights + 1, out, fixed, 0.1, num_threads=1)
    return timed(request, time.process_time() - started, out)


def implicit_fit(request):
    """A whole training by implicit's AlternatingLeastSquares; user and item vectors are left in files."""
    from implicit.cpu.als import AlternatingLeastSquares
    offsets, indices, _, _ = data["ml-1m"] if "ml-1m" in data else data.setdefault("ml-1m", tuple(
        np.fromfile(os.path.join(request["folder"], name), dtype=np.uint32) for name in ("offsets.u32", "indices.u32")) + (None, None))
    matrix = scipy.sparse.csr_matrix((np.ones(len(indices), np.float32), indices.astype(np.int32), offsets.astype(np.int32)),
                                     shape=(len(offsets) - 1, request["items"]))
    model = AlternatingLeastSquares(factors=request["d"], iterations=request["iterations"], num_threads=1, random_state=1, **request["settings"])
    started = time.process_time()
    model.fit(matrix, show_progress=False)
    elapsed = time.process_time() - started
    np.asarray(model.user_factors, np.float32).tofile(os.path.join(request["folder"], "users.f32"))
    np.asarray(model.item_factors, np.float32).tofile(os.path.join(request["folder"], "items.f32"))
    return {"ms": elapsed * 1e3}


def implicit_lists(request):
    """Lists for everyone by implicit's own recommend, on item vectors of ours, items of the history left out."""
    from implicit.cpu.als import AlternatingLeastSquares
    folder, d, k = request["folder"], request["d"], request["k"]
    offsets, indices = (np.fromfile(os.path.join(folder, name), dtype=np.uint32) for name in ("offsets.u32", "indices.u32"))
    people = len(offsets) - 1
    matrix = scipy.sparse.csr_matrix((np.ones(len(indices), np.float32), indices.astype(np.int32), offsets.astype(np.int32)),
                                     shape=(people, request["items"]))
    model = AlternatingLeastSquares(factors=d, num_threads=1)
    model.item_factors = np.fromfile(os.path.join(folder, "lists-items.f32"), dtype=np.float32).reshape(-1, d)
    model.user_factors = model.recalculate_user(np.arange(people), matrix)
    started = time.process_time()
    for first in range(0, people, 1000):
        some = np.arange(first, min(first + 1000, people))
        ids, _ = model.recommend(some, matrix[some], N=k, recalculate_user=request["isFoldedIn"])
        assert ids.shape == (len(some), k)
    return {"ms": (time.process_time() - started) * 1e3}


def scoring(request):
    rows, items = data["rows", request["d"]][: request["rows"]], data["fixed", request["d"]]
    # Into memory that was touched before: a fresh result would add the cost of its first use to the product.
    scores = data.setdefault(("scores", request["rows"]), np.ones((request["rows"], len(items)), np.float32))
    started = time.process_time()
    np.matmul(rows, items.T, out=scores)
    elapsed = time.process_time() - started
    best = np.sort(np.partition(scores, len(items) - 20, axis=1)[:, -20:], axis=1)[:, ::-1] if request.get("ours") else scores
    return timed(request, elapsed, best)


def eigen(request):
    """LAPACK's eigendecomposition alone; the comparison solves (Π₊(A) + I) x = 1 by it."""
    matrices = data["psd", request["d"]]
    started = time.process_time()
    values, vectors = np.linalg.eigh(matrices)
    elapsed = time.process_time() - started
    along = vectors.sum(axis=1) / (np.maximum(values, 0) + 1)
    return timed(request, elapsed, np.einsum("kij,kj->ki", vectors, along).astype(np.float32))


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
    "implicitFit": implicit_fit, "implicitLists": implicit_lists,
}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = operations[request["operation"]](request)
    except Exception as error:  # the benchmark shows it beside the operation and goes on
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)

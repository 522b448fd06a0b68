"""Runs under another library's Python: `python serve.py adapter.py`. Requests and answers are JSON lines, arrays npz.

An adapter has `fit(X, y, params) -> model` and `model.predict(X) -> (mean, var)`, the variance with the noise;
optional: `model.n_basis`, `model.log_evidence`, `model.notes`, and MODELS, whose names come as params["model"].
Times are taken here, after the import and a warm-up on a few rows.
Nothing of gpbench can be imported: its packages are not in this environment.
"""

import importlib.util
import json
import os
import resource
import sys
import time
import traceback

import numpy as np

WARM_UP = 64  # rows


def lines(value):
    if isinstance(value, str):
        raise ValueError
    return [str(line) for line in value]


KINDS = {"n_basis": int, "log_evidence": float, "notes": lines}
WANTED = {"n_basis": "a whole number", "log_evidence": "a number", "notes": "a list of texts"}


def peak_mb():
    """Of this process; as gpbench's own (running/limits.py)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def load(path):
    spec = importlib.util.spec_from_file_location("adapter", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def timed(action):
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    return result, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def warm_up(adapter, X, y, params):
    """Imports and compilation happen here; what goes wrong on so few rows shows, or not, in the real fit."""
    try:
        some = X[:WARM_UP]
        adapter.fit(some, y[:WARM_UP], {**params, "d_max": min(params.get("d_max") or 8, 8), "warm_up": True}).predict(
            some
        )
    except Exception:
        traceback.print_exc()


def fit(adapter, request):
    with np.load(request["arrays"], allow_pickle=False) as arrays:
        X, y = arrays["X"], arrays["y"]
    params = request["params"]
    np.random.seed(params["seed"])
    warm_up(adapter, X, y, params)
    np.random.seed(params["seed"])
    model, seconds = timed(lambda: adapter.fit(X, y, params))
    answer = {"seconds": seconds, "peak_mb": peak_mb()}
    for name, kind in KINDS.items():
        value = getattr(model, name, None)
        try:
            if value is not None:
                answer[name] = kind(value)
        except (TypeError, ValueError) as e:
            raise ValueError(f"the adapter's {name} is {value!r}, which is not {WANTED[name]}") from e
    return model, answer


def predict(model, request):
    with np.load(request["arrays"], allow_pickle=False) as arrays:
        X = arrays["X"]
    (mean, var), seconds = timed(lambda: model.predict(X))
    np.savez(request["out"], mean=np.asarray(mean, dtype=float).ravel(), var=np.asarray(var, dtype=float).ravel())
    return {"seconds": seconds, "peak_mb": peak_mb()}


def main():
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints goes to the trial's log
    adapter = model = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            adapter = adapter or load(sys.argv[1])
            if request["do"] == "fit":
                model, answer = fit(adapter, request)
            else:
                answer = predict(model, request)
        except BaseException as e:
            traceback.print_exc()
            answer = {
                "error": f"{type(e).__name__}: {' '.join(str(e).split())[:300]}",
                "memory": isinstance(e, MemoryError),
            }
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()

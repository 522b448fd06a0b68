"""Runs under another library's Python: `python serve.py adapter.py`. Requests and answers are JSON lines, arrays npz.

An adapter has `fit(X, y, params) -> model` and `model.predict(X) -> (mean, var)`, the variance with the noise;
optional: `model.n_basis`, `model.log_evidence`, `model.notes`, MODELS, whose names come as params["model"], and
`model.log_density(X, y)`, natural logarithms, where the predictive density of a number is not normal.
With params["task"] "classification" y holds the class numbers 0 to params["classes"] - 1, and `model.predict(X)` gives
the probabilities of all classes (t, classes), in that order.
Times are taken here, after the import and a warm-up on a few rows; what processes of the library's own take counts.
Nothing of gpbench can be imported: its packages are not in this environment.
"""

import importlib.util
import json
import os
import resource
import sys
import time
import traceback
from pathlib import Path

WARM_UP = 64  # rows


def whole(value):
    if int(value) < 0:
        raise ValueError
    return int(value)


def lines(value):
    if isinstance(value, str):
        raise ValueError
    return [str(line) for line in value]


KINDS = {"n_basis": whole, "log_evidence": float, "notes": lines}
WANTED = {"n_basis": "a whole number from 0", "log_evidence": "a number", "notes": "a list of texts"}


def peak_mb():
    """Of this process; as gpbench's own (experiment/run/local/os_limits.py)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def descendants(pid):
    """Processes that it has started and that live, theirs included, where the system tells (Linux)."""
    found = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in map(int, file.read_text().split()):
                found += [child, *descendants(child)]
        except OSError:  # it has just ended
            pass
    return found


def cpu_seconds():
    """Of this process, of the children that have ended and of those that live."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total, tick = time.process_time() + ended.ru_utime + ended.ru_stime, os.sysconf("SC_CLK_TCK")
    for child in descendants(os.getpid()):
        try:
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, fields[11:15])) / tick  # user and system time, its own and of its ended children
        except OSError:
            pass
    return total


def load(path):
    spec = importlib.util.spec_from_file_location("adapter", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def timed(action):
    wall, cpu = time.perf_counter(), cpu_seconds()
    result = action()
    return result, {"wall": time.perf_counter() - wall, "cpu": cpu_seconds() - cpu}


def arrays_of(request):
    import numpy as np

    with np.load(request["arrays"], allow_pickle=False) as arrays:
        return dict(arrays)


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
    import numpy as np

    given, params = arrays_of(request), request["params"]
    X, y = given["X"], given["y"]
    np.random.seed(params["seed"])
    warm_up(adapter, X, y, params)
    np.random.seed(params["seed"])
    model, seconds = timed(lambda: adapter.fit(X, y, params))
    answer = {"seconds": seconds, "peak_mb": peak_mb(), "has_density": hasattr(model, "log_density")}
    for name, kind in KINDS.items():
        value = getattr(model, name, None)
        try:
            if value is not None:
                answer[name] = kind(value)
        except (TypeError, ValueError) as e:
            raise ValueError(f"the adapter's {name} is {value!r}, which is not {WANTED[name]}") from e
    return model, answer


def predict(model, request):
    import numpy as np

    X = arrays_of(request)["X"]
    if request.get("task") == "classification":
        prob, seconds = timed(lambda: np.asarray(model.predict(X), dtype=float))
        np.savez(request["out"], prob=prob)
        return {"seconds": seconds, "peak_mb": peak_mb()}
    found, seconds = timed(lambda: [np.asarray(part).ravel() for part in model.predict(X)])
    if any(np.iscomplexobj(part) for part in found):
        raise ValueError("the adapter predicts complex numbers")
    mean, var = (part.astype(float) for part in found)
    np.savez(request["out"], mean=mean, var=var)
    return {"seconds": seconds, "peak_mb": peak_mb()}


def log_density(model, request):
    import numpy as np

    given = arrays_of(request)
    found, seconds = timed(lambda: np.asarray(model.log_density(given["X"], given["y"]), dtype=float).ravel())
    np.savez(request["out"], log_density=found)
    return {"seconds": seconds, "peak_mb": peak_mb()}


def said(error):
    text = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    if isinstance(error, ModuleNotFoundError):
        text += " (its environment has what requirements.txt beside the adapter lists; numpy is needed)"
    return {"error": text, "memory": isinstance(error, MemoryError)}


def main():
    sys.path.pop(0)  # this file's folder, whose names are those of libraries
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # a library that asks gets no answer, least of all ours
    os.dup2(2, 1)  # what a library prints goes to the trial's log
    adapter = model = None
    for line in requests:
        request = json.loads(line)
        try:
            adapter = adapter or load(sys.argv[1])
            if request["do"] == "fit":
                model, answer = fit(adapter, request)
            else:
                answer = {"predict": predict, "log_density": log_density}[request["do"]](model, request)
        except BaseException as e:
            traceback.print_exc()
            answer = said(e)
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()

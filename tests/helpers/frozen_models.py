"""Models of version 0.1, one of every class, method and kernel, that later versions must load: cases and their maker.

`python tests/helpers/frozen_models.py FOLDER` fits and saves all of them with the gpbench that is installed. The
files in tests/files/models-0.1 were made by version 0.1.0, before models had a checksum; a later version cannot make
them again.
"""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import numpy as np

from gpbench import SparseGPClassifier, SparseGPRegressor, catalog
from gpbench.gp.kernels.build import build_kernel

ROWS, NEW = 18, 5
SHORT = {"schedule": "joint", "evaluations": 2}
CLASSIFIERS = ("ep", "ep-fic", "ep-sparse")
COMPACT = ("sparse-gp", "ep-sparse")  # methods that take kernels of compact support only
NOT_SAVED = ("external",)  # its model lives in the environment of another library


def _all(how: str, *parts) -> dict:
    return {how: [{"name": part} if isinstance(part, str) else part for part in parts]}


NESTED = _all("sum", "bias", _all("product", "ard-se", _all("sum", "linear", "periodic")))
HISTOGRAMS = {"name": "histogram-intersection", "groups": 2}
KERNELS = {  # name of the case -> (description, inputs)
    **{name: ({"name": name}, "vectors") for name in (
        "ard-se", "bias", "linear", "matern12", "matern32", "matern52", "periodic", "rational-quadratic",
        "pp0", "pp1", "pp2", "pp3",
    )},
    "sum": (_all("sum", "ard-se", "linear"), "vectors"),
    "product": (_all("product", "ard-se", "periodic"), "vectors"),
    "nested": (NESTED, "vectors"),
    "with-bias": ({"name": "matern32", "bias": True}, "vectors"),
    "sum-of-compact": (_all("sum", "pp2", "pp3"), "vectors"),
    "histogram-intersection": (HISTOGRAMS, "histograms"),
    "histograms-in-a-sum": (_all("sum", HISTOGRAMS, "linear"), "histograms"),
    "graph": ({"name": "graph", "base": ["vertex", "wl-2"]}, "smiles"),
}  # fmt: skip
COMPACT_KERNELS = ("sum-of-compact",)
AS_OBJECTS = ("ard-se", "sum", "nested", "histogram-intersection", "graph")  # given as kernels and not as descriptions
MORE = {  # parameters that leave something else in the file
    "fitc-auto-size": {"method": "fitc", "n_basis": "auto", "learn": SHORT},
    "nlgpp-auto-size": {"method": "nlgpp", "n_basis": "auto", "learn": SHORT},
    "fitc-defaults": {},
    "numbers-of-numpy": {"method": "sod", "n_basis": np.int64(9), "max_seconds": np.float64(60), "learn": SHORT},
}


def inputs() -> dict[str, np.ndarray]:
    """Training rows, followed by new ones, of each kind."""
    rng = np.random.default_rng(1)
    n = ROWS + NEW
    chains = ["C" * k + end for k in range(1, 13) for end in ("", "O", "N", "Cl")]
    return {
        "vectors": rng.uniform(-2, 2, (n, 2)),
        "histograms": rng.integers(0, 9, (n, 6)).astype(float),
        "smiles": np.array(chains[:n]),
    }


def targets(X) -> np.ndarray:
    noise = 0.1 * np.random.default_rng(2).normal(size=len(X))
    if X.dtype.kind == "U":
        return np.array([float(len(text)) for text in X]) + noise
    return 5 + np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + noise


def _fitted(parameters: dict, kind: str, X, names=None):
    """An estimator fitted to the first rows; `names` makes it a classifier."""
    y = targets(X)[:ROWS]
    cls = SparseGPRegressor if names is None else SparseGPClassifier
    y = y if names is None else np.where(y > np.median(y), names[1], names[0])
    rows = list(X[:ROWS]) if kind == "smiles" else X[:ROWS]
    return cls(random_state=0, **parameters).fit(rows, y)


def models() -> dict[str, tuple[object, str]]:
    """Name -> (fitted estimator, kind of its inputs)."""
    X, found = inputs(), {}
    for method in sorted(catalog.own_names("method") - set(NOT_SAVED)):
        kernel = "pp2" if method in COMPACT else "auto"
        names = ("low", "high") if method in CLASSIFIERS else None
        parameters = {"method": method, "n_basis": 8, "learn": SHORT, "kernel": kernel}
        found[f"method-{method}"] = _fitted(parameters, "vectors", X["vectors"], names), "vectors"
    for name, (spec, kind) in KERNELS.items():
        parameters = {"method": "sod", "n_basis": 8, "kernel": spec, "learn": SHORT}
        found[f"kernel-{name}"] = _fitted(parameters, kind, X[kind]), kind
    for name in AS_OBJECTS:
        spec, kind = KERNELS[name]
        rows = X[kind][:ROWS]
        kernel = build_kernel(spec, rows.astype(object) if kind == "smiles" else rows)
        found[f"object-{name}"] = (
            _fitted({"method": "vfe", "n_basis": 6, "kernel": kernel, "learn": SHORT}, kind, X[kind]),
            kind,
        )
    for name in COMPACT_KERNELS:
        parameters = {"kernel": KERNELS[name][0], "learn": SHORT}
        found[f"sparse-gp-{name}"] = _fitted({"method": "sparse-gp"} | parameters, "vectors", X["vectors"]), "vectors"
    for name, parameters in MORE.items():
        found[name] = _fitted(parameters, "vectors", X["vectors"]), "vectors"
    for name, names in {"integers": (3, 7), "truth": (False, True)}.items():
        parameters = {"method": "ep-fic", "n_basis": 3, "learn": SHORT}
        found[f"classes-{name}"] = _fitted(parameters, "vectors", X["vectors"], names), "vectors"
    return found


def table(rows: slice, task: str) -> str:
    """A csv with a column of text, a number that is missing, and its target."""
    X = inputs()["vectors"]
    y = targets(X)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["size", "rooms", "colour", "y"])
    for i in range(len(X))[rows]:
        size = "" if i == 2 else repr(float(X[i, 0]))
        target = ("up" if y[i] > 5 else "down") if task == "classification" else repr(float(y[i]))
        writer.writerow([size, repr(float(X[i, 1])), ("red", "blue", "green")[i % 3], target])
    return out.getvalue()


def predictions(model, X) -> dict[str, np.ndarray]:
    """What the tests compare: of a regressor mean, deviation and, where it is known, deviation without noise."""
    X = list(X) if X.dtype.kind == "U" else X
    if hasattr(model, "classes_"):
        return {"prob": model.predict_proba(X), "class": model.predict(X)}
    mean, std = model.predict(X, return_std=True)
    found = {"mean": mean, "std": std}
    if model.model_.predict(model._inputs(X, model.objects_, reset=False)).var_latent is not None:
        found["latent"] = model.predict(X, return_std="latent")[1]
    return found


def csv_predictions(model, path) -> dict[str, np.ndarray]:
    from gpbench.estimators.csv_models import predict_table

    rows = list(csv.reader(io.StringIO(predict_table(model, path)[0])))
    columns = dict(zip(rows[0], zip(*rows[1:])))
    return {k: np.array(v if k == "class" else [float(x) for x in v]) for k, v in columns.items()}


def save_tables(folder: Path) -> dict[str, np.ndarray]:
    from gpbench.data.tables.csv_file import Choices, look
    from gpbench.estimators.csv_models import fit_table

    found = {}
    for task, cls in (("regression", SparseGPRegressor), ("classification", SparseGPClassifier)):
        train, new = folder / f"train-{task}.csv", folder / f"new-{task}.csv"
        train.write_text(table(slice(0, ROWS), task))
        new.write_text(table(slice(ROWS, None), task))
        looked = look(str(train), "y", task, Choices(categorical="one-hot", missing="median"))
        model = fit_table(cls(learn=SHORT, random_state=0), looked)
        model.save(folder / f"csv-{task}.npz")
        found |= as_rows(f"csv-{task}", csv_predictions(model, new))
        train.unlink()
    return found


def as_rows(name: str, found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Numbers as the rows of one array, because a file of many small arrays is mostly names; classes apart."""
    numbers = {k: v.T if v.ndim == 2 else v for k, v in found.items() if k != "class"}
    rows = {name: np.vstack(list(numbers.values()))}
    return rows | ({f"{name}/class": found["class"]} if "class" in found else {})


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    kept = {f"inputs/{kind}": X[ROWS:] for kind, X in inputs().items()}
    for name, (model, kind) in models().items():
        model.save(folder / f"{name}.npz")
        kept |= as_rows(name, predictions(model, inputs()[kind][ROWS:]))
        kept[f"{name}/inputs"] = np.array(kind)
    np.savez_compressed(folder / "predictions.npz", **kept | save_tables(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

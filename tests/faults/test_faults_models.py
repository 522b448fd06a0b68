"""Saved models that were damaged or edited: one sentence and exit 3, never an internal error, never used in silence."""

import io
import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import gpbench
from gpbench import SparseGPClassifier, SparseGPRegressor
from gpbench.errors import DataError, GpbenchError
from gpbench.estimators import model_archive

RNG = np.random.default_rng(26)
X = RNG.uniform(-2, 2, (25, 2))
Y = np.sin(2 * X[:, 0]) + 0.1 * RNG.normal(size=25)
LEARN = {"schedule": "joint", "evaluations": 2}
NESTED = {"sum": [{"name": "bias"}, {"product": [{"name": "ard-se"}, {"name": "periodic"}]}]}
MODELS = {
    "fitc": {"kernel": NESTED}, "full-gp": {"kernel": NESTED}, "vecchia": {}, "local": {"options": {"size": 10}},
    "sparse-gp": {"kernel": "pp2"}, "ep": {}, "ep-sparse": {"kernel": "pp2"},
}  # fmt: skip
ELSEWHERE = (
    "os:system",
    "subprocess:Popen",
    "gpbench.cli:main",
    "gpbench.system.atomic_files:sweep",
    "antigravity:x",
    "gpbench.x:y",
)
PER_MODEL = 30  # edits of each of the seven models


def _fitted(method: str):
    parameters = {k: v for k, v in MODELS[method].items() if k != "options"}
    cls = SparseGPClassifier if method.startswith("ep") else SparseGPRegressor
    y = np.where(Y > 0, "up", "down") if method.startswith("ep") else Y
    return cls(method, n_basis=8, learn=LEARN, random_state=0, **parameters).fit(X, y)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Of each method: the .npy bytes of its model by name, and its predictions."""
    found = {}
    for method in MODELS:
        model, path = _fitted(method), tmp_path_factory.mktemp("models") / "m.npz"
        model.save(path)
        with zipfile.ZipFile(path) as kept:
            found[method] = {n.removesuffix(".npy"): kept.read(n) for n in kept.namelist()}, _predictions(model)
    return found


def _predictions(model):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else np.r_[model.predict(X, return_std=True)]


def _array(content: bytes) -> np.ndarray:
    return np.load(io.BytesIO(content), allow_pickle=False)


def _bytes(array) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), allow_pickle=True)  # an object array is one of the edits
    return stream.getvalue()


def _write(path, members: dict[str, bytes], confirmed, compress=zipfile.ZIP_STORED, twice=None) -> None:
    """`confirmed`: True for a checksum of what is written, False for that of the unedited model, None for none."""
    members = dict(members)
    if confirmed is None:
        members.pop("checksum", None)
    elif confirmed:
        members["checksum"] = _bytes(np.frombuffer(model_archive.checksum(members).encode(), dtype=np.uint8))
    with zipfile.ZipFile(path, "w", compress) as out:
        for name, content in members.items():
            out.writestr(f"{name}.npy", content)
        if twice:
            with pytest.warns(UserWarning, match="Duplicate name"):
                out.writestr(f"{twice}.npy", members[twice])


# -- edits: each changes the members in place ----------------------------------------------------------------------


def _some(members, rng, kind=None):
    names = [n for n in members if n.startswith("a") and (kind is None or _array(members[n]).dtype.kind == kind)]
    return names[rng.integers(len(names))]


def _dropped(members, rng):
    del members[_some(members, rng)]


def _renamed(members, rng):
    members[f"a{len(members) + 7}"] = members.pop(_some(members, rng))


def _extra(members, rng):
    members[f"a{len(members) + 7}"] = _bytes(np.zeros(3))


def _other_type(members, rng):
    name = _some(members, rng)
    members[name] = _bytes(_array(members[name]).astype(rng.choice(["f4", "c16", "i2", ">f8", "U9", "?"])))


def _other_shape(members, rng):
    name = _some(members, rng)
    a = _array(members[name])
    members[name] = _bytes([a.reshape(-1)[:-1], a[None], np.r_[a, a], np.float64(3)][rng.integers(4)])


def _not_finite(members, rng):
    name = _some(members, rng, "f")
    a = _array(members[name]).copy()
    a[...] = rng.choice([np.nan, np.inf, -np.inf])
    members[name] = _bytes(a)


def _negative(members, rng):
    name = _some(members, rng)
    members[name] = _bytes(-np.abs(_array(members[name]).astype(float)).astype(_array(members[name]).dtype) - 1)


def _enormous(members, rng):
    name = _some(members, rng)
    members[name] = _bytes(np.full_like(_array(members[name]), 10**15))


def _swapped(members, rng):
    a, b = _some(members, rng), _some(members, rng)
    members[a], members[b] = members[b], members[a]


def _huge(members, rng):
    name, header = _some(members, rng), io.BytesIO()
    length = int(rng.choice([10**6, 10**12, 2**62]))
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (length, 4)})
    members[name] = header.getvalue() + bytes(64)


def _objects(members, rng):
    members[_some(members, rng)] = _bytes(np.array([print, {}], dtype=object))


def _rubbish(members, rng):
    members[_some(members, rng)] = rng.bytes(int(rng.integers(200)))


def _described(change):
    def edit(members, rng):
        content = json.loads(_array(members["description"]).tobytes())
        change(content, rng)
        members["description"] = _bytes(np.frombuffer(json.dumps(content).encode(), dtype=np.uint8))

    return edit


def _places(value, found):
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        found.append((value, key))
        if isinstance(inner, (dict, list)):
            _places(inner, found)
    return found


@_described
def _nested(content, rng):
    places = _places(content["state"], [])
    value, key = places[rng.integers(len(places))]
    odd = [None, True, -1, 1e300, "x", [], {}, [[]], {"array": "a0"}, {"again": 99}, {"float": "nan"}, {"dict": [1]}]
    value[key] = odd[rng.integers(len(odd))]


@_described
def _another_class(content, rng):
    objects = [value for value, key in _places(content["state"], []) if key == "object"]
    objects[rng.integers(len(objects))]["object"] = str(rng.choice(ELSEWHERE))


@_described
def _another_version(content, rng):
    content["format"] = [0, 3, -1, 1e9, "2", None, True, [2]][rng.integers(8)]


@_described
def _top(content, rng):
    key = list(content)[rng.integers(len(content))]
    if rng.integers(2):
        del content[key]
    else:
        content[key] = [None, 7, "os:system", [], {}, {"method": {}}][rng.integers(6)]


@_described
def _as_version_0_1(content, rng):
    content["format"] = 1


EDITS = [
    _dropped, _renamed, _extra, _other_type, _other_shape, _not_finite, _negative, _enormous, _swapped, _huge, _objects,
    _rubbish, _nested, _nested, _nested, _another_class, _another_version, _top,
]  # fmt: skip


def _edited(members, number: int):
    rng = np.random.default_rng(number)
    edit, changed = EDITS[number % len(EDITS)], dict(members)
    edit(changed, rng)
    return edit.__name__, changed


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", MODELS)
def test_crafted_models_are_refused_in_a_sentence_or_work_where_their_checksum_is_right(method, whole, tmp_path):
    members, expected = whole[method]
    path, refused = tmp_path / "m.npz", 0
    for number in range(PER_MODEL):
        name, changed = _edited(members, number)
        if changed == members:  # two arrays swapped that are one
            continue
        for confirmed in (False, None, True, "as version 0.1"):
            if confirmed == "as version 0.1":
                if name in ("_rubbish", "_top", "_another_version") or number % 3:
                    continue
                _as_version_0_1(changed, None)
                _write(path, changed, None)
            else:
                _write(path, changed, confirmed)
            try:
                found = _predictions(gpbench.load(path))
            except GpbenchError as e:
                assert "\n" not in str(e), (number, name)
                refused += confirmed is True
            else:
                assert confirmed, f"{name} {number} was used without a checksum of its own"
                assert found.shape == expected.shape and np.isfinite(found).all(), (number, name)
    assert refused > PER_MODEL / 2


def _placed(members, place: str) -> None:
    _described(lambda content, rng: dict(content["state"]["dict"])["model_"].update(object=place))(members, None)


def test_a_class_from_elsewhere_is_refused_without_an_import(whole, tmp_path, monkeypatch):
    import importlib

    real, imported = importlib.import_module, []
    monkeypatch.setattr(importlib, "import_module", lambda name, *a: (imported.append(name), real(name, *a))[1])
    members, _ = whole["fitc"]
    for place in ELSEWHERE:
        changed = dict(members)
        _placed(changed, place)
        _write(tmp_path / "m.npz", changed, True)
        with pytest.raises(DataError, match="which this one"):
            gpbench.load(tmp_path / "m.npz")
    assert not {place.partition(":")[0] for place in ELSEWHERE} & set(imported)


def test_a_damaged_zip_a_bomb_and_double_entries_are_refused(whole, tmp_path):
    members, _ = whole["full-gp"]
    path = tmp_path / "m.npz"
    _write(path, members, True, twice="a0")
    with pytest.raises(DataError, match="two entries named a0"):
        gpbench.load(path)
    _write(path, members | {"a0": _bytes(np.zeros(10**7))}, True, compress=zipfile.ZIP_DEFLATED)
    with pytest.raises(DataError, match="is compressed"):
        gpbench.load(path)
    _write(path, members, True)
    content = path.read_bytes()
    for end in range(0, len(content), len(content) // 40):
        path.write_bytes(content[:end])
        with pytest.raises(DataError):
            gpbench.load(path)


def test_a_damaged_model_is_exit_3_in_the_command_line(whole, tmp_path):
    members, _ = whole["fitc"]
    rows, path = tmp_path / "rows.csv", tmp_path / "m.npz"
    rows.write_text("a,b\n1,2\n")
    _write(path, _edited(members, 5)[1], True)
    command = [sys.executable, "-m", "gpbench", "predict", os.fspath(path), os.fspath(rows)]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 3 and str(path) in found.stderr and "internal error" not in found.stderr

"""Files of saved models: kernels given as objects come back, damage is told in one sentence, names of files too."""

import json

import numpy as np
import pytest

import gpbench
from gpbench import SparseGPRegressor
from gpbench.errors import BadParameter, DataError
from gpbench.gp.kernels.build import build_kernel

RNG = np.random.default_rng(4)
X = RNG.normal(size=(40, 2))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=40)


@pytest.mark.parametrize("spec", [{"name": "matern32"}, {"sum": [{"name": "ard-se"}, {"name": "linear"}]}])
def test_a_kernel_given_as_an_object_is_kept_and_the_loaded_model_can_be_fitted_again(spec, tmp_path):
    model = SparseGPRegressor("sod", 20, kernel=build_kernel(spec, X), random_state=0).fit(X, Y)
    model.save(tmp_path / "r.npz")
    again = gpbench.load(tmp_path / "r.npz")
    assert repr(again.kernel) == repr(model.kernel) and repr(again.kernel_) == repr(model.kernel_)
    assert np.array_equal(again.fit(X, Y).predict(X), model.predict(X))


def test_parameters_that_are_numbers_of_numpy_come_back_as_numbers(tmp_path):
    model = SparseGPRegressor("sod", np.int64(20), max_seconds=np.float64(60), random_state=np.int64(0)).fit(X, Y)
    model.save(tmp_path / "r.npz")
    again = gpbench.load(tmp_path / "r.npz")
    assert (again.n_basis, again.max_seconds, again.random_state) == (20, 60.0, 0)
    assert np.array_equal(again.fit(X, Y).predict(X), model.predict(X))


def test_values_that_are_kept_refer_to_the_given_kernel_and_come_back(tmp_path):
    kernel = build_kernel({"name": "ard-se"}, X)
    learn = {"schedule": "fixed", "values": {"variance": 2, "lengthscale": [1, 3], "noise": 0.1}}
    model = SparseGPRegressor("full-gp", kernel=kernel, learn=learn, random_state=0).fit(X, Y)
    again = SparseGPRegressor("full-gp", kernel=model.kernel_, learn=learn, random_state=0).fit(X, Y)
    again.save(tmp_path / "r.npz")
    assert np.array_equal(gpbench.load(tmp_path / "r.npz").fit(X, Y).predict(X), model.predict(X))


def test_a_file_without_kernels_among_the_parameters_is_still_read(tmp_path):
    model = SparseGPRegressor("sod", 10, random_state=0).fit(X, Y)
    model.save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as kept:
        arrays = dict(kept)
    content = json.loads(arrays["description"].tobytes())
    del content["kernels"], arrays["checksum"]  # as version 1 of the format was first written
    content["format"] = 1
    arrays["description"] = np.frombuffer(json.dumps(content).encode(), dtype=np.uint8)
    np.savez(tmp_path / "old.npz", **arrays)
    assert np.array_equal(gpbench.load(tmp_path / "old.npz").predict(X), model.predict(X))


@pytest.mark.parametrize("path", [".", "..", "/", "", ".npz", "model", "model.txt"])
def test_a_name_that_is_no_npz_is_told_with_an_example(path):
    model = SparseGPRegressor("sod", 5, random_state=0).fit(X, Y)
    with pytest.raises(BadParameter, match=r"a model is saved as \.npz, for example model\.npz$"):
        model.save(path)


def _flipped(whole: bytes, bit: int) -> bytes:
    changed = bytearray(whole)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_a_flipped_bit_is_told_in_a_sentence_or_changes_nothing(tmp_path):
    model = SparseGPRegressor("sod", 10, random_state=0).fit(X, Y)
    model.save(tmp_path / "m.npz")
    whole, expected, path = (tmp_path / "m.npz").read_bytes(), model.predict(X), tmp_path / "flipped.npz"
    directory = 8 * whole.index(b"PK\x01\x02")  # zipfile's own exceptions come from here
    anywhere = RNG.choice(directory, 100, replace=False)
    for bit in [*anywhere, *RNG.choice(range(directory, 8 * len(whole)), 100, replace=False)]:
        path.write_bytes(_flipped(whole, int(bit)))
        try:
            found = gpbench.load(path).predict(X)
        except DataError as e:
            assert str(path) in str(e) and "\n" not in str(e), bit
        else:
            assert np.array_equal(found, expected), bit

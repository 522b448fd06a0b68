"""Bad input gets one sentence that names row or column, before anything long runs; odd input works and says so."""

import datetime
import time
import warnings

import numpy as np
import pytest

import gpbench
from gpbench import SparseGPClassifier, SparseGPRegressor
from gpbench.errors import BadInput, DataError
from gpbench.gp.kernels.ard_se import ArdSE

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0.0, 1, 0, 2, 1, 3])


def _with(value, row=4, column=1):
    changed = X.astype(object)
    changed[row, column] = value
    return changed.tolist()


@pytest.mark.parametrize(
    "inputs, targets, message",
    [
        (_with(float("nan")), Y, "column 1, row 4 is NaN"),
        (_with(float("inf")), Y, "column 1, row 4 is infinity"),
        (_with(-1e200), Y, "column 1, row 4 is -1e+200, which is too large"),
        (_with("red"), Y, "column 1, row 4: 'red' is text"),
        (_with({}), Y, "column 1, row 4: the argument must be a string or a number, not a dict"),
        (X[:, 0], Y, "expected a table of rows and columns"),
        ([[1, 2], [3]], Y, "rows have different lengths"),
        (X[:0], Y[:0], "0 sample"),
        (X, Y[:5], "X has 6 rows and y has 5"),
        (X, [0, 1, 2, float("nan"), 4, 5], "y contains NaN in row 3"),
        (X, [0, 1, 1e200, 3, 4, 5], "y contains 1e+200, whose square is too large to compute with, in row 2"),
        (X, [0, 1, 2, "x", 4, 5], "y: row 3: 'x' is not a number"),
        (X, np.c_[Y, Y], "y should be a 1d array"),
        (X, None, "the target y is None"),
    ],
)
def test_what_is_wrong_is_named_in_one_sentence(inputs, targets, message):
    with pytest.raises(BadInput) as e:
        SparseGPRegressor().fit(inputs, targets)
    assert message in str(e.value) and "\n" not in str(e.value)
    assert isinstance(e.value, ValueError)


def test_columns_of_a_data_frame_are_named():
    import pandas as pd

    frame = pd.DataFrame({"size": [1.0, 2, 3], "colour": ["red", "blue", "red"]})
    frame["colour"] = [1.0, np.inf, 2.0]
    with pytest.raises(BadInput, match="column 'colour', row 1 is infinity"):
        SparseGPRegressor().fit(frame, [1, 2, 3])
    frame["size"] = [1 + 2j, 0, 1]
    with pytest.raises(BadInput, match="column 'size': Complex data not supported"):
        SparseGPRegressor().fit(frame, [1, 2, 3])


def test_another_width_at_predict_is_refused():
    model = SparseGPRegressor(random_state=0).fit(X, Y)
    with pytest.raises(BadInput, match="X has 3 features, but SparseGPRegressor is expecting 2 features"):
        model.predict(np.zeros((4, 3)))


def _values(**changed):
    values = {"variance": 1, "lengthscale": [1, 1], "noise": 0.01} | changed
    return {"method": "full-gp", "learn": {"schedule": "fixed", "values": values}}


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"method": "vef"}, "unknown method 'vef'; did you mean vif or vfe"),
        ({"method": "ep"}, "ep is for classification; use SparseGPClassifier"),
        ({"n_basis": 0}, "n_basis: expected 'auto' or a whole number from 1 on, got 0"),
        ({"n_basis": 2.5}, "n_basis: expected"),
        ({"method": "vfe", "options": {"induced": "kmeans"}}, "vfe has no parameter 'induced'; it has d_max"),
        ({"method": "vfe", "options": {"nugget": -1.0}}, "vfe: nugget: must be greater than or equal to 0"),
        ({"kernel": "ard-es"}, "unknown kernel 'ard-es'"),
        ({"kernel": "sum"}, "kernel: write {sum: [...]} with the kernels it is made of"),
        ({"kernel": {"name": "product"}}, "kernel: write {product: [...]} with the kernels it is made of"),
        ({"kernel": {"sum": "ard-se"}}, "kernel: write {sum: [...]} with the kernels it is made of"),
        ({"kernel": 3}, "kernel: expected a name, a mapping, a Kernel or a function"),
        ({"kernel": {"name": "ard-se", "ardd": True}}, "ard-se has no option 'ardd'"),
        (
            {"method": "sparse-gp", "kernel": "ard-se"},
            "sparse-gp needs one of compact support; ard-se has no compact support",
        ),
        ({"learn": "sometimes"}, "learn: expected auto, fixed, joint, interleaved or a mapping"),
        ({"learn": {"schedule": "fixed", "rounds": 3}}, "learn: `rounds` needs `schedule: interleaved`"),
        ({"learn": {"schedul": "fixed"}}, "learn: unknown key 'schedul'; did you mean 'schedule'?"),
        (_values(variance=-1), "learn: 'variance': must be greater than 0, got -1"),
        (_values(lengthscale=0), "learn: 'lengthscale': must be greater than 0, got 0"),
        (_values(lengthscale=[1, -2]), "learn: 'lengthscale': must be greater than 0, got [1.0, -2.0]"),
        (_values(variance=float("nan")), "learn: 'variance': must be greater than 0, got NaN"),
        (_values(varianc=1), "learn: unknown key 'varianc'; did you mean 'variance'?"),
        (
            {"learn": {"schedule": "fixed", "values": {"noise": 1}}},
            "learn: values: 'lengthscale' of the kernel is missing",
        ),
        ({"learn": {"bounds": {"variance": [2, 1]}}}, "learn: 'variance': expected [lowest, highest], got [2.0, 1.0]"),
        ({"learn": {"bounds": {"variace": [1, 2]}}}, "learn: unknown key 'variace'; did you mean 'variance'?"),
        ({"max_seconds": -1}, "max_seconds: expected seconds above 0, or a time such as '90s' or '10m', got -1"),
        ({"random_state": "x"}, "random_state: expected a whole number"),
        ({"max_seconds": [1]}, "max_seconds: expected seconds above 0"),
        ({"kernel": ArdSE}, "kernel: ArdSE is a class; give its name 'ard-se'"),
        ({"learn": {"schedule": "fixed", "form": 1}}, "learn: unknown key 'form'; did you mean 'from'"),
        ({"learn": {"schedule": "fixed", "qqq": 1}}, "learn: unknown key 'qqq'; valid: schedule, from, subset"),
        ({"method": "external"}, "options: external needs 'external': library"),
        ({"n_basis": 5, "options": {"d_max": 3}}, "n_basis: is the d_max of auto, which the options give too"),
    ],
)
def test_wrong_parameters_are_told_before_anything_runs(parameters, message):
    with pytest.raises(BadInput) as e:
        SparseGPRegressor(**parameters).fit(X, Y)
    assert message in str(e.value) and "\n" not in str(e.value) and e.value.exit_code == 2


def test_classes_that_no_binary_classifier_takes_are_named():
    for y, message in (
        (["a"] * 6, r"one class only \(a\)"),
        (Y + 0.5, "continuous targets such as 0.5; use SparseGPRegressor"),
        ([0, 1, 0, 1, 0, np.nan], "NaN or infinity in row 5"),
        (["a", "b", None, "a", "b", "a"], "a missing class in row 2"),
        (np.array(["a", 1] * 3, dtype=object), r"classes of several kinds \(int and str\)"),
    ):
        with pytest.raises(BadInput, match=message):
            SparseGPClassifier().fit(X, y)


def test_a_million_rows_for_a_method_on_square_matrices_are_refused_at_once():
    n, started = 10**6, time.perf_counter()
    with pytest.raises(BadInput, match="full-gp keeps 1000000 x 1000000 matrices, 24000 GB"):
        SparseGPRegressor("full-gp").fit(np.zeros((n, 1)), np.arange(n))
    with pytest.raises(BadInput, match="ep keeps"):
        SparseGPClassifier("ep").fit(np.zeros((n, 1)), np.arange(n) % 2)
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize(
    "inputs, targets, note",
    [
        (X, np.full(6, 3.5), "the target is constant (3.5)"),
        (X[:1], [7.0], "there is one row only"),
        (np.r_[X, X], np.r_[Y, Y + 0.1], "6 rows have the inputs of another row; the first is row 6"),
        (np.c_[X, np.ones(6)], Y, "constant columns say nothing: 2"),
    ],
)
@pytest.mark.parametrize("method", ["auto", "nlgpp", "full-gp", "vfe", "sod", "cholqr"])
def test_odd_data_works_and_says_so(method, inputs, targets, note):
    model = SparseGPRegressor(method, random_state=0).fit(inputs, targets)
    mean, std = model.predict(inputs, return_std=True)
    assert note in " ".join(model.notes_) and np.isfinite(mean).all() and (std > 0).all()
    if len(set(targets)) == 1:
        assert np.allclose(mean, targets, rtol=1e-6)


def test_fewer_rows_than_basis_vectors_work_and_say_so():
    model = SparseGPRegressor("vfe", n_basis=50, random_state=0).fit(X, Y)
    assert model.n_basis_ == 6 and "n_basis 50 is more than the 6 rows" in model.notes_


def test_a_time_is_taken_as_the_command_line_takes_it():
    assert SparseGPRegressor(max_seconds="10m").fit(X, Y).n_basis_ == 6


def test_dates_and_targets_that_are_too_large_are_called_what_they_are():
    for inputs in (_with(datetime.date(2020, 1, 31)), np.full((6, 1), "2020-01-31", dtype="datetime64[D]")):
        with pytest.raises(BadInput, match="2020-01-31 is a date or a time; make it a number first"):
            SparseGPRegressor().fit(inputs, Y)
    with pytest.raises(BadInput, match=r"Input y contains 1e\+301, whose square is too large"):
        SparseGPRegressor().fit(X, np.where(Y == 3, 1e301, Y))


def test_what_is_no_model_is_told_without_words_of_numpy_and_leaves_no_file_open(tmp_path):
    (tmp_path / "text.npz").write_text("hello")
    (tmp_path / "empty.npz").write_bytes(b"")
    np.save(tmp_path / "array.npy", X)
    np.savez(tmp_path / "other.npz", a=1)
    SparseGPRegressor().fit(X, Y).save(tmp_path / "model.npz")
    whole = (tmp_path / "model.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    for name in ("text.npz", "empty.npz", "array.npy", "other.npz", "cut.npz"):
        with warnings.catch_warnings(), pytest.raises(DataError) as e:
            warnings.simplefilter("error", ResourceWarning)
            gpbench.load(tmp_path / name)
        assert f"{name}: is no model of gpbench" in str(e.value) and "pickle" not in str(e.value)


def test_a_kernel_prints_its_name_and_values():
    kernel = SparseGPRegressor(kernel={"product": ["ard-se", {"sum": ["linear", "bias"]}]}).fit(X, Y).kernel_
    kernel = kernel.with_values({"variance": 2, "lengthscale": [0.5, 4], "variance.1": 1, "bias": 0.25})
    assert repr(kernel) == "ard-se(variance=2, lengthscale=[0.5, 4]) * (linear(variance=[1, 1]) + bias(bias=0.25))"

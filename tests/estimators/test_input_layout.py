"""Inputs in any form of memory: one layout inside, masks and gaps are missing values, names of columns are told."""

import numpy as np
import pandas as pd
import pytest

from gpbench import SparseGPClassifier, SparseGPRegressor
from gpbench.errors import BadInput

RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 5))
Y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=90)

LAYOUTS = {
    "fortran": np.asfortranarray,
    "frame": pd.DataFrame,
    "frame of objects": lambda A: pd.DataFrame(A).astype(object),
    "frame by columns": lambda A: pd.DataFrame({str(j): A[:, j] for j in range(A.shape[1])}),
    "strided": lambda A: np.repeat(A, 2, axis=1)[:, ::2],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_the_layout_of_the_inputs_in_memory_changes_no_bit(layout):
    form = LAYOUTS[layout]
    expected = SparseGPRegressor("full-gp", random_state=0).fit(X, Y).predict(X[:40], return_std=True)
    model = SparseGPRegressor("full-gp", random_state=0).fit(form(X), np.repeat(Y, 2)[::2])
    found = model.predict(form(X[:40]), return_std=True)
    assert np.array_equal(found, expected)


def _masked(values, place):
    values = np.ma.array(values)
    values[place] = np.ma.masked
    return values


def test_masked_entries_are_missing_values():
    for inputs in (_masked(X, (3, 1)), list(_masked(X, (3, 1)))):
        with pytest.raises(BadInput, match=r"^X: column 1, row 3: missing value \(masked\)"):
            SparseGPRegressor().fit(inputs, Y)
    for cls, y in ((SparseGPRegressor, Y), (SparseGPClassifier, (Y > 0).astype(int))):
        with pytest.raises(BadInput, match=r"y contains a missing value \(masked\) in row 7"):
            cls().fit(X, _masked(y, 7))
    with pytest.raises(BadInput, match=r"y contains a missing value \(masked\) in row 89"):
        SparseGPRegressor().fit(X, [*Y[:-1], np.ma.masked])
    model = SparseGPRegressor("sod", 10, random_state=0).fit(np.ma.array(X), np.ma.array(Y))  # nothing is masked
    with pytest.raises(BadInput, match="X: column 4, row 2: missing value"):
        model.predict(_masked(X, (2, 4)))


def test_masked_inputs_of_a_function_as_kernel_are_missing_values():
    model = SparseGPRegressor("full-gp", kernel=lambda A, B: A @ B.T)
    with pytest.raises(BadInput, match="X: column 1, row 3: missing value"):
        model.fit(_masked(X, (3, 1)), Y)


def test_a_gap_of_a_nullable_column_is_filled_with_the_median():
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"]).astype("Float64")
    frame.loc[3, "b"] = pd.NA
    model = SparseGPRegressor(random_state=0).fit(frame, Y)
    filled = frame.astype(float).fillna(frame["b"].median())
    assert model.n_features_in_ == 2 and np.allclose(model.predict(frame), model.predict(filled))


def test_two_columns_of_one_name_are_told_in_one_sentence():
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "a"])
    with pytest.raises(BadInput, match="2 columns have the name 'a'") as e:
        SparseGPRegressor().fit(frame, Y)
    assert "\n" not in str(e.value)
    model = SparseGPRegressor("sod", 10, random_state=0).fit(X[:, :3], Y)
    with pytest.raises(BadInput, match="2 columns have the name 'a'"):
        model.predict(frame)

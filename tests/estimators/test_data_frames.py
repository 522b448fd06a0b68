"""Data frames follow the rules for tables: text, categories, times, booleans, nullable types and gaps."""

import numpy as np
import pandas as pd
import pytest

import gpbench
from gpbench import SparseGPRegressor
from gpbench.data.tables.column_rules import column_notes
from gpbench.errors import BadInput

RNG = np.random.default_rng(3)
N = 200
A, KIND = RNG.uniform(0, 10, N), RNG.integers(0, 3, N)
DAYS, FLAG = RNG.integers(0, 300, N), RNG.uniform(size=N) < 0.5
Y = np.sin(A) + KIND + DAYS / 100 + FLAG + 0.05 * RNG.normal(size=N)
FIXED = {"method": "full-gp", "random_state": 0}


def frame() -> pd.DataFrame:
    return pd.DataFrame({
        "a": A, "kind": pd.Categorical(np.array(["red", "green", "blue"])[KIND]),
        "when": pd.Timestamp("2021-03-01") + pd.to_timedelta(DAYS, unit="D"), "flag": FLAG,
        "count": pd.array(np.where(np.arange(N) % 20 == 0, None, np.arange(N) % 7), dtype="Int64"),
        "city": np.array(["Ulm", "Bonn"], dtype=object)[KIND % 2],
    })  # fmt: skip


def test_every_type_of_column_becomes_what_a_csv_column_would():
    model = SparseGPRegressor(**FIXED).fit(frame(), Y)
    kinds = {note.name: note.kind for note in column_notes(model.columns_)}
    assert kinds == {"a": "number", "kind": "category", "when": "date", "flag": "number", "count": "number",
                     "city": "category"}  # fmt: skip
    assert model.n_features_in_ == 6 and list(model.feature_names_in_) == list(frame().columns)
    assert model.score(frame(), Y) > 0.95


def test_a_frame_gives_the_model_of_the_same_columns_made_by_hand():
    f = frame()[["a", "kind", "when"]]
    levels = [(f["kind"] == level).to_numpy(float) for level in ("blue", "green", "red")]
    by_hand = np.column_stack([A, *levels, DAYS.astype(float)])
    expected = SparseGPRegressor(**FIXED).fit(by_hand, Y).predict(by_hand)
    found = SparseGPRegressor(**FIXED).fit(f, Y).predict(f)
    assert np.allclose(found, expected, atol=1e-6)  # the days count from another first day


def test_a_saved_model_reads_new_frames_by_the_same_rules(tmp_path):
    model = SparseGPRegressor(**FIXED).fit(frame(), Y)
    model.save(tmp_path / "m.npz")
    again = gpbench.load(tmp_path / "m.npz")
    assert np.array_equal(again.predict(frame()), model.predict(frame()))
    new = frame().iloc[:3].copy()
    new["kind"] = ["violet", "red", None]
    new.loc[1, "a"] = np.nan
    with pytest.warns(UserWarning) as told:
        assert np.isfinite(again.predict(new)).all()
    text = " ".join(str(w.message) for w in told)
    assert "'violet' (row 1)" in text and "column 'a': 1 cell missing; the median of the fit is used" in text


def test_columns_in_another_order_and_arrays_are_refused():
    model = SparseGPRegressor(**FIXED).fit(frame(), Y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame()[["kind", "a", "when", "flag", "count", "city"]])
    with pytest.raises(BadInput, match="fitted to a data frame; give one with the same columns"):
        model.predict(np.zeros((2, 6)))


def test_a_date_that_can_be_read_in_two_ways_is_refused_with_what_to_type():
    texts = pd.DataFrame({"a": A, "when": [f"{1 + i % 12:02d}/{1 + i % 11:02d}/2021" for i in range(N)]})
    with pytest.raises(BadInput, match=r"no row tells; give pandas.to_datetime\(X\['when'\], dayfirst=True\)"):
        SparseGPRegressor(**FIXED).fit(texts, Y)


def test_a_refit_forgets_the_rules_of_the_frame_before():
    model = SparseGPRegressor(**FIXED).fit(frame(), Y)
    model.fit(np.column_stack([A, DAYS]), Y)
    assert not hasattr(model, "columns_") and np.isfinite(model.predict(np.zeros((2, 2)))).all()

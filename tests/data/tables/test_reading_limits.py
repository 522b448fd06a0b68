"""Reading within a limit of time, kept arrays, and parquet."""

import numpy as np
import pytest

from gpbench import data
from gpbench.data import table_arrays
from gpbench.data.tables import csv_file
from gpbench.data.tables.csv_columns import Choices
from gpbench.data.tables.csv_words import as_option
from tests.helpers.messy_tables import long

AUTO = Choices(columns="auto")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return str(long(n=60_000).write(tmp_path_factory.mktemp("large"), "large")[0])


def test_fewer_rows_are_read_where_all_would_take_too_long_and_that_is_told(file):
    found = csv_file.look(file, "y", "auto", AUTO, as_option, seconds=0.05)
    assert 0 < len(found.y) < 30_000 and any("because of the limit of time" in line for line in found.remarks)
    assert len(csv_file.look(file, "y", "auto", AUTO, as_option, seconds=1000).y) == 60_000


def test_the_arrays_of_a_large_file_are_kept_and_a_damaged_copy_is_written_again(file, tmp_path):
    spec = {"csv": file, "target": "y", "task": "regression", "columns": "auto"}
    first = table_arrays.read(spec, tmp_path)
    (kept,) = (tmp_path / "tables").iterdir()
    again = table_arrays.read(spec, tmp_path)
    assert again.sha256 == first.sha256 and np.array_equal(again.X, first.X, equal_nan=True)
    kept.write_bytes(kept.read_bytes()[:1000])
    assert np.array_equal(table_arrays.read(spec, tmp_path).y, first.y)
    other = table_arrays.read(spec | {"columns": {"region": "drop"}}, tmp_path)
    assert other.X.shape[1] == first.X.shape[1] - 8


def test_a_config_reads_columns_of_any_kind_and_fills_gaps_after_the_split(tmp_path):
    (tmp_path / "my.csv").write_text(
        "id;when;w;y\n"
        + "".join(f"{i};{1 + i % 28}.02.2021;{'' if i % 9 == 0 else f'{i % 7},5 kg'};{i},25\n" for i in range(60))
    )
    found = data.load({"csv": str(tmp_path / "my.csv"), "target": "y", "columns": "auto"})
    assert found.X.shape == (60, 3) and np.isnan(found.X[0, 1]) and found.X[0, 2] == 1 and found.y[3] == 3.25
    assert found.X[5, 0] == 5.0  # days since the first of February


def test_parquet_is_read_as_a_data_frame_is(tmp_path):
    pytest.importorskip("pyarrow")
    import pandas as pd

    n = 40
    frame = pd.DataFrame({
        "when": pd.date_range("2021-01-01", periods=n), "kind": pd.Categorical(["a", "b"] * (n // 2)),
        "x": pd.array([None, *range(n - 1)], dtype="Int64"), "flag": [True, False] * (n // 2), "y": np.arange(n) * 0.5,
    })  # fmt: skip
    frame.to_parquet(tmp_path / "my.parquet")
    found = csv_file.look(str(tmp_path / "my.parquet"), "y", "auto", AUTO, as_option)
    kinds = {c.name: c.kind for c in found.encoding.columns}
    assert found.faults == [] and kinds["when"] == "date" and kinds["kind"] == "category"
    assert found.X[3, 0] == 3.0 and np.isnan(found.X[0, 3])

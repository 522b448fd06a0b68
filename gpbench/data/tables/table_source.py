"""Raw columns from where a person's table comes from: separated text, parquet, a data frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gpbench.errors import DataError

from . import table_text
from .csv_columns import Choices
from .csv_words import Say
from .table_text import RawColumn, RawTable
from .totals_row import without_totals


def open_table(path, choices: Choices, say: Say, strict: bool = True, every: int = 1) -> RawTable:
    """A text table or a parquet file as raw columns, without rows of totals; of the rows, one in `every`."""
    if Path(path).suffix.lower() in (".parquet", ".pq"):
        found = frame_table(_parquet(path).iloc[::every])
    else:
        found = text_table(path, table_text.file_bytes(path), choices, say, strict, every)
    return without_totals(path, found)


def text_table(path, content: bytes, choices: Choices, say: Say, strict: bool = True, every: int = 1) -> RawTable:
    text, told = table_text.decoded(path, content, choices.encoding, say)
    separator = table_text.separator_of(path, text, choices.sep, say)
    table = table_text.read_text(path, text, separator, say, strict, every)
    table.told[:0] = told
    return table


def _parquet(path):
    import pandas as pd

    try:
        return pd.read_parquet(path)
    except ImportError as e:
        raise DataError(f"{path}: parquet needs the extra gpbench[parquet] (pyarrow)") from e
    except Exception as e:
        raise DataError(f"{path}: cannot be read as parquet ({' '.join(str(e).split())[:200]})") from e


def frame_table(frame) -> RawTable:
    """Columns of a data frame: numbers and times as such, everything else as text."""
    import pandas as pd

    columns = []
    for name in frame.columns:
        series, text = frame[name], str(name).strip()
        if pd.api.types.is_bool_dtype(series.dtype) or pd.api.types.is_numeric_dtype(series.dtype):
            if pd.api.types.is_complex_dtype(series.dtype):
                raise DataError(f"X: column '{text}': Complex data not supported")
            columns.append(RawColumn(text, [], series.to_numpy(dtype=float, na_value=np.nan)))
        elif pd.api.types.is_datetime64_any_dtype(series.dtype):
            columns.append(RawColumn(text, [""] * len(series), days=_days(series)))
        else:
            columns.append(RawColumn(text, [_cell(v) for v in series]))
    return RawTable(columns, list(range(1, len(frame) + 1)))


def _days(series) -> np.ndarray:
    """Days since 1970-01-01 in UTC, NaN for NaT."""
    if series.dt.tz is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    times = series.to_numpy(dtype="datetime64[us]")
    days = times.astype(np.int64) / 86_400e6
    return np.where(np.isnat(times), np.nan, days)


def _cell(value) -> str | None:
    """As a csv has it; what pandas means by a missing value is None."""
    if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value)

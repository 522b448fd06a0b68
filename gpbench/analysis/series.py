"""Rows of results as series, the lines of tables and figures: their names, and trials paired by method."""

from __future__ import annotations

import numpy as np
import pandas as pd

SERIES = ("dataset", "n_train", "label", "cache", "d_max")  # one line of a table: these, averaged over trials


def series_name(key: dict, frame: pd.DataFrame) -> str:
    """The label, with d_max and cache only if series of that label differ in them."""
    mine = frame[frame["label"] == key["label"]]
    extra = [
        f"{name} {key[name]:.0f}"
        for name in ("cache", "d_max")
        if mine[name].fillna(-1).nunique() > 1 and pd.notna(key[name])
    ]
    return f"{key['label']} ({', '.join(extra)})" if extra else str(key["label"])


def told_apart(frame: pd.DataFrame) -> pd.DataFrame:
    """Labels that were run with and without a cache become two: 'NLML' and 'NLML (cache)'."""
    both = frame.groupby("label")["cached"].transform("nunique") > 1
    return frame.assign(label=frame["label"].where(~(both & frame["cached"]), frame["label"] + " (cache)"))


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a column `series`: what one line of a table is called."""
    keys = frame[["label", "cache", "d_max"]].drop_duplicates()
    names = {_hashable(k): series_name(k, frame) for k in keys.to_dict("records")}
    return frame.assign(series=[names[_hashable(k)] for k in frame[["label", "cache", "d_max"]].to_dict("records")])


def _hashable(key: dict) -> tuple:
    return tuple(None if isinstance(v, float) and np.isnan(v) else v for v in key.values())


def by_trial(frame: pd.DataFrame, metric: str, by: str = "series") -> pd.DataFrame:
    """Trials (rows) by method (columns), nan where a method lacks a trial."""
    wide = frame.pivot_table(index="trial", columns=by, values=metric, aggfunc="mean", sort=False)
    return wide[list(dict.fromkeys(frame.loc[frame[metric].notna(), by]))]  # the file's order, not the alphabet's


def paired(frame: pd.DataFrame, metric: str, by: str = "series") -> tuple[pd.DataFrame, int]:
    """Trials by method, only the trials that all share; and how many trials were left out."""
    wide = by_trial(frame, metric, by)
    shared = wide.dropna()
    return shared, len(wide) - len(shared)


def competing(wide: pd.DataFrame) -> pd.DataFrame:
    """The methods with enough trials, on the trials that these share."""
    return wide.loc[:, enough(wide.count())].dropna()


def enough(counts: pd.Series) -> pd.Series:
    """Which have the most trials, two at least.

    One that fails more often would leave the others the few trials it has, which need not be typical.
    """
    return counts >= counts.nlargest(2).min()

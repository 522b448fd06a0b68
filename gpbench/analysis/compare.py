"""`gpbench compare DIR DIR`: what two results folders have in common, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from gpbench.errors import ConfigError
from gpbench.metrics import METRICS

from . import significance
from .numbers import mean_std
from .results_table import ResultsTable, load
from .series import SERIES
from .table import Table, TableCell, to_text

MEASURED = ("n_basis", "learn_seconds", "fit_seconds", "predict_seconds", "cpu_seconds")


@dataclass(frozen=True)
class Comparison:
    """`rows`: one line per series and metric that both folders have; differences are second minus first."""

    first: str
    second: str
    rows: pd.DataFrame
    only_first: list[str]
    only_second: list[str]

    def to_json(self) -> dict:
        rows = self.rows.astype(object).where(self.rows.notna(), None)
        return {
            "first": self.first,
            "second": self.second,
            "rows": rows.to_dict("records"),
            "only_first": self.only_first,
            "only_second": self.only_second,
        }

    def table(self) -> Table:
        body: list[tuple[str, list[TableCell] | None]] = []
        section = None
        for r in self.rows.to_dict("records"):
            where = ", ".join(
                str(r[k]) if k in ("dataset", "label") else f"{k} {r[k]:.0f}" for k in SERIES if pd.notna(r[k])
            )
            if where != section:
                section = where
                body.append((where, None))
            p = "" if np.isnan(r["p"]) else f"{r['p']:.3g}"
            cells = [r["first"], r["second"], f"{r['difference']:+.4g}", p, str(r["trials"])]
            body.append((r["metric"], [TableCell(c) for c in cells]))
        notes = sorted({r["note"] for r in self.rows.to_dict("records") if r["note"]})
        notes += [f"only in {self.first}: {', '.join(self.only_first)}"] if self.only_first else []
        notes += [f"only in {self.second}: {', '.join(self.only_second)}"] if self.only_second else []
        columns = ["metric", self.first, self.second, "difference", "p", "trials"]
        return Table("compare", f"{self.first} against {self.second}", columns, body, notes=notes)

    def text(self) -> str:
        return to_text(self.table())

    def _repr_html_(self) -> str:
        """In a notebook."""
        return self.table()._repr_html_()


def compare(first: str | Path, second: str | Path) -> Comparison:
    """Pair by series and trial; the test is the first config's `compare`."""
    a, b = load(first), load(second)
    keyed_a, keyed_b = _by_series(a), _by_series(b)
    shared = [k for k in keyed_a if k in keyed_b]
    if not shared:
        raise ConfigError(f"{first} and {second} have no data set, method and size in common: nothing to compare")
    names = _names(a, b)
    rows = [line for key in shared for line in _lines(key, keyed_a[key], keyed_b[key], a.config.get("compare") or {})]
    only = [sorted({f"{k[2]} on {k[0]}" for k in x if k not in y}) for x, y in ((keyed_a, keyed_b), (keyed_b, keyed_a))]
    return Comparison(*names, pd.DataFrame(rows), *only)


def _names(a: ResultsTable, b: ResultsTable) -> tuple[str, str]:
    names = a.path.resolve().name, b.path.resolve().name
    return names if names[0] != names[1] else (str(a.path), str(b.path))


def _by_series(results: ResultsTable) -> dict[tuple, pd.DataFrame]:
    groups = results.ok.groupby(list(SERIES), sort=False, dropna=False)
    return {tuple(None if pd.isna(v) else v for v in key): rows for key, rows in groups}


def _lines(key: tuple, a: pd.DataFrame, b: pd.DataFrame, config: dict):
    """Trials with the same number and seed see the same rows of the data, so they are pairs."""
    a, b = (x.drop_duplicates(["seed", "trial"]).set_index(["seed", "trial"]) for x in (a, b))
    trials = a.index.intersection(b.index)
    test = significance.TESTS[config.get("test", "paired-t")]
    for metric in (*METRICS, *MEASURED):
        x, y = a[metric].dropna(), b[metric].dropna()
        if x.empty or y.empty:
            continue
        pairs = [t for t in trials if t in x.index and t in y.index]
        if pairs:
            x, y = x.loc[pairs], y.loc[pairs]
            outcome = test(y.to_numpy(), x.to_numpy(), test_share=float((a["n_test"] / a["n_train"]).mean()))
        else:
            outcome = significance.rank_sum(y.to_numpy(), x.to_numpy())
        note = outcome.note if pairs else f"{key[0]}: no trial and seed in common, so a rank sum of unpaired trials"
        yield {
            **dict(zip(SERIES, key)), "metric": metric,
            "first": mean_std(x, plus_minus=" +- "), "second": mean_std(y, plus_minus=" +- "),
            "difference": float(y.mean() - x.mean()), "p": outcome.p, "trials": len(pairs) or min(len(x), len(y)),
            "paired": bool(pairs), "note": note,
        }  # fmt: skip

"""A panel of a paper's figure: the drawing, a caption that names what differs from the print, the numbers drawn."""

from __future__ import annotations

import textwrap
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd

from gpbench.analysis.drawing.axes import plain
from gpbench.analysis.drawing.files import place_below
from gpbench.analysis.drawing.style import new_figure
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.table import frame_csv

from .. import printed_numbers

DATA = ("simulated", "rounded", "stand-in", "our own", "only the", "molecules of")  # words of notes about the data
COLUMNS = ["axis", "series", "x", "y", "low", "high", "trials"]


@cache
def mapped() -> pd.DataFrame:
    """panels.csv: a printed row by paper, table_or_figure, dataset and metric; its panel; the folder that holds it."""
    with resources.files(__package__).joinpath("panels.csv").open(encoding="utf-8") as f:
        return pd.read_csv(f, dtype=str, keep_default_na=False)


@cache
def drawn_rows() -> pd.DataFrame:
    """The rows of the papers' tables of numbers that have none: what is drawn only."""
    rows = pd.concat([printed_numbers.read(paper) for paper in printed_numbers.PAPERS], ignore_index=True)
    return rows[rows["value"] == ""]


KEY = ["paper", "table_or_figure", "dataset", "metric"]


class Panel:
    """Axes to draw on; every `line` or `mark` is also a line of `numbers`."""

    def __init__(self, paper: str, name: str, rows: int = 1, columns: int = 1, width: float = 4.8, height: float = 3.4):
        self.paper, self.name = paper, name
        self.figure, self.axes = new_figure(rows, columns, width, height)
        self.drawn: list[tuple] = []
        self.differs: list[str] = []

    @property
    def ax(self):
        """The only or first axes."""
        return self.axes[0, 0]

    @property
    def printed(self) -> pd.DataFrame:
        """The printed rows that this panel stands for."""
        mine = mapped()[(mapped()["paper"] == self.paper) & (mapped()["panel"] == self.name)]
        return drawn_rows().merge(mine[KEY], on=KEY)

    @property
    def number(self) -> str:
        return self.name.split("-")[1]

    @property
    def caption(self) -> str:
        """Which figure this is, then what differs from it, one sentence each."""
        title = printed_numbers.TITLES[self.paper]
        return " ".join([f"As Figure {self.number} of {title}.", *(f"{text.rstrip('.')}." for text in self.differs)])

    @property
    def numbers(self) -> pd.DataFrame:
        return pd.DataFrame(self.drawn, columns=COLUMNS)

    def keep(self, ax, series: str, x, y, low=None, high=None, trials=None) -> None:
        """Enter what is drawn among the numbers."""
        empty = [None] * len(x)
        columns = (x, y, *(empty if v is None else v for v in (low, high, trials)))
        at = ax.get_title(loc="left")
        self.drawn += [(at, series, *row) for row in zip(*(np.asarray(c).tolist() for c in columns))]

    def line(self, ax, series: str, x, y, look: dict, trials=None, band=(None, None), **more) -> None:
        """Draw a curve, and a band between the two curves of `band`."""
        low, high = band
        self.keep(ax, series, x, y, low, high, trials)
        ax.plot(x, y, **({"label": series, "markersize": 4, "linewidth": 1.3} | look | more))
        if low is not None:
            ax.fill_between(x, low, high, color=look["color"], alpha=0.15, linewidth=0)

    def means(self, ax, series: str, rows: pd.DataFrame, by: str, value: str, look: dict, **more) -> None:
        """Means of `value` at every `by`, with the number of trials."""
        found = rows.dropna(subset=[value]).groupby(by)[value].agg(["mean", "count"])
        self.line(ax, series, found.index, found["mean"], look, trials=found["count"], **more)

    def captioned(self):
        """The figure with its caption below the axes, for files that are looked at alone."""
        width = int(16 * self.figure.get_figwidth())
        lines = textwrap.wrap(self.caption, width)
        self.figure.set_figheight(self.figure.get_figheight() + 0.14 * len(lines))
        self.figure.supxlabel("\n".join(plain(line) for line in lines), x=0.01, ha="left", fontsize=7, color="0.3")
        return self.figure

    def save_numbers(self, folder: Path) -> Path:
        """<folder>/<name>.csv: what was drawn."""
        return place_below(folder, {f"{self.name}.csv": frame_csv(self.numbers, "%.6g")})[0]

    # ---- what differs ------------------------------------------------------------------------------------------

    def compare(self, results: ResultsTable, rows: pd.DataFrame) -> None:
        """Say what data stand in, how many rows, runs and sizes there are where the paper has others."""
        printed = self.printed
        self.differs += [f"Data: {note}" for name in rows["dataset"].unique() for note in data_notes(results, name)]
        self._sizes(printed, rows)
        self._trials(printed, rows)
        if left := missing(results, rows):
            self.differs.append(f"Not run: {left}")

    def _sizes(self, printed: pd.DataFrame, rows: pd.DataFrame) -> None:
        for column, what in (("n_train", "training"), ("n_test", "test")):
            theirs = {v for v in printed[column] if v.isdigit()}
            ours = sorted(rows[column].dropna().unique())
            if len(theirs) == 1 and len(ours) == 1 and int(min(theirs)) != ours[0]:
                self.differs.append(f"{ours[0]:.0f} {what} rows, the paper has {min(theirs)}")

    def _trials(self, printed: pd.DataFrame, rows: pd.DataFrame) -> None:
        """Runs behind each point, counted per method and size."""
        keys = [k for k in ("label", "d_max", "n_train") if k in rows]
        counts = sorted(set(rows.groupby(keys, dropna=False)["trial"].nunique()))
        ours = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        runs = sorted({int(v) for v in printed["runs"] if v.isdigit()})
        told = f"{ours} run{'' if ours == '1' else 's'}"
        if not runs:
            self.differs.append(f"{told.capitalize()}; the paper does not say how many")
        elif [str(r) for r in runs] != [ours]:
            self.differs.append(f"{told.capitalize()}, the paper has {runs[-1]}")
        else:
            self.differs.append(f"{told.capitalize()}, as in the paper")


def data_notes(results: ResultsTable, dataset: str) -> list[str]:
    """What the results say of a data set that is not the published one; notes of single trials are passed over."""
    mine = [n.removeprefix(f"{dataset}: ") for n in results.notes if n.startswith(f"{dataset}: ")]
    told = [n for n in mine if any(word in n for word in DATA)]
    return [n for n in told if n != "simulated data" and "a stand-in for" not in n] or told[:1]


def missing(results: ResultsTable, rows: pd.DataFrame) -> str:
    """Methods and sizes that the config plans and `rows` of one data set lack: 'IVM at 256, 512; Titsias-16'."""
    lacking = []
    labels = set(rows["label"])
    for entry in results.config.get("methods") or []:
        entry = {"method": entry} if isinstance(entry, str) else entry
        label = entry.get("label") or entry.get("method")
        sizes = entry.get("d_max", (entry.get("params") or {}).get("d_max", results.config.get("d_max")))
        sizes = sizes if isinstance(sizes, list) else []
        left = [s for s in sizes if s not in set(rows.loc[rows["label"] == label, "d_max"])]
        failed = results.rows[(results.rows["label"] == label) & results.rows["dataset"].isin(rows["dataset"])]
        if label not in labels:
            if not len(failed):  # skipped and failed methods have a reason of their own
                lacking.append(label)
        elif left:
            lacking.append(f"{label} at {', '.join(str(s) for s in left)}")
    return "; ".join(lacking)

"""One printed number beside our runs of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isnan, nan

import numpy as np
import pandas as pd

from gpbench.analysis.traces import last_of

from .. import printed_numbers
from ..claims.evidence import Evidence
from ..printed_numbers import Printed
from ..remarks import label_of
from . import rule

ROUNDING = 1e-12  # a spread below this share of the mean is none
MISPRINT, STAND_IN = "suspected misprint", "stand-in data"
DESCRIPTIONS = ("as printed", "different", "not run", "no data")  # sizes of data and numbers of runs, compared exactly


@dataclass(frozen=True)
class CellVerdict:
    """A printed number, ours in its unit, and the verdict; `None` where there is nothing to say.

    `label` sets a cell apart (fixed by the config, tuned, suspected misprint, stand-in data); `needed` is
    the number of runs in all that would decide an inconclusive one; `stale`: runs of code that has a newer version.
    `place`: where the print lies beside the range `low` to `high` of our means at other admissible protocols (inside,
    outside, not run; empty where the paper leaves nothing open); `cause`: of a difference (tested, none found).
    """

    id: str
    paper: str
    item: str
    dataset: str
    method: str
    variant: str
    quantity: str
    n_train: float | None
    printed: str
    printed_std: str
    verdict: str
    description: bool = False
    ours: float | None = None
    ours_std: float | None = None
    d: float | None = None
    se: float | None = None
    margin: float | None = None
    r0: int | None = None
    r1: int = 0
    needed: int | None = None
    label: str = ""
    stands_for: str = ""
    stale: int = 0
    note: str = ""
    place: str = ""
    low: float | None = None
    high: float | None = None
    cause: str = ""

    @property
    def n(self) -> int:
        """Runs behind it; 0: not compared."""
        return self.r1

    @property
    def apart(self) -> bool:
        """Not part of the headline: set apart by its label, or a description of data."""
        return bool(self.label) or self.description

    def to_json(self) -> dict:
        return {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in asdict(self).items()}

    def line(self) -> str:
        if self.ours is None:
            return f"{self.id} {self.verdict}{_after(self.note)}"
        theirs = self.printed + (f" +- {self.printed_std}" if self.printed_std else "")
        mine = f"{self.ours:.6g}" + (f" +- {self.ours_std:.3g}" if self.ours_std is not None else "")
        if self.description:
            return f"{self.id} {self.verdict}: ours {mine}, printed {theirs}{_after(self.note)}"
        how = f"d {self.d:+.3g}, SE {_or_none(self.se)}, margin {self.margin:.3g}, R0 {self.r0 or '?'}, R1 {self.r1}"
        apart = f" [{self.label}]" if self.label else ""
        apart += f" [{self.stale} of {self.r1} runs stale]" if self.stale else ""
        apart += f" [{self.span}]" if self.low is not None else ""
        return f"{self.id} {self.verdict}{apart}: ours {mine}, printed {theirs}; {how}{_after(self.note)}"

    @property
    def span(self) -> str:
        """The range of our means at admissible protocols, and where the print lies."""
        return self.place if self.low is None else f"{self.place} {self.low:.4g} to {self.high:.4g}"


def _after(note: str) -> str:
    return f"; {note}" if note else ""


def _or_none(x: float | None) -> str:
    return "unknown" if x is None else f"{x:.3g}"


def judge_cell(cell: Printed, evidence: Evidence) -> CellVerdict:
    rows = printed_numbers.of_cell(evidence.on(cell.key), cell)
    if rows.empty:
        verdict = "no data" if cell.key in printed_numbers.UNOBTAINABLE else "not run"
        return _verdict(cell, verdict, label=_label(cell, ""))
    values = _values(cell, rows, evidence.curves) * cell.factor
    kind = "".join(sorted(set(rows["stands_for"]) - {""})[:1]) if "stands_for" in rows else ""
    if values.empty:
        note = f"{cell.metric if cell.descriptive else printed_numbers.COLUMN[cell.metric]} was not recorded"
        return _verdict(cell, "not run", label=_label(cell, kind), note=note)
    if cell.descriptive:
        ours = float(values.mean())
        verdict = "as printed" if ours == cell.value else "different"
        return _verdict(cell, verdict, ours=ours, r1=len(rows), stands_for=kind)
    return _judged(cell, rows, values, kind, _stale(rows))


def _judged(cell: Printed, rows: pd.DataFrame, ours: pd.Series, kind: str, stale: int) -> CellVerdict:
    keyed = rows.drop_duplicates("trial_id").set_index("trial_id").reindex(ours.index)
    kept = ~keyed["spent"].fillna(False).to_numpy(dtype=bool)
    label, notes = _label(cell, kind), []
    if not kept.all():
        notes.append(f"{int((~kept).sum())} trials that chose the protocol are left out")
    if not kept.any():
        return _verdict(cell, "not run", label=label, note="every trial was spent on choosing the protocol")
    folds, sample = keyed["folds"].max(), _sample(ours[kept], rows)
    single = not isnan(folds) and sample.n == 1
    found = rule.unrepeated(cell, sample, int(folds)) if single else rule.judge(cell, sample)
    if single and isnan(found.se):
        pass
    elif sample.n == 1 and not cell.std_text and found.verdict in ("better", "worse", "different"):
        notes.append("one run beside one: no spread is known")
    return _verdict(
        cell, found.verdict, ours=sample.mean, ours_std=_none(sample.std), d=found.d, se=_none(found.se),
        margin=found.margin, r1=sample.n, needed=found.needed, label=label, stands_for=kind, stale=stale,
        note="; ".join(filter(None, [found.reason, *notes])),
    )  # fmt: skip


def sample_of(cell: Printed, rows: pd.DataFrame, curves: pd.DataFrame) -> rule.Sample | None:
    """Mean and spread of rows that stand for a printed number, in its unit; None if its quantity was not recorded."""
    values = _values(cell, rows, curves) * cell.factor
    return None if values.empty else _sample(values, rows)


def _sample(values: pd.Series, rows: pd.DataFrame) -> rule.Sample:
    keyed = rows.drop_duplicates("trial_id").set_index("trial_id").reindex(values.index)
    folds = keyed["folds"].max()
    runs = values if isnan(folds) else repetitions(values, keyed["trial"], int(folds))
    mean, std = float(runs.mean()), float(runs.std(ddof=1)) if len(runs) > 1 else nan
    return rule.Sample(mean, 0.0 if std <= ROUNDING * abs(mean) else std, len(runs))


def repetitions(values: pd.Series, trials: pd.Series, k: int) -> pd.Series:
    """The mean of each complete cross-validation; of an incomplete one alone, the mean of the folds there are."""
    groups = values.groupby((trials // k).to_numpy())
    whole = groups.mean()[groups.size() == k]
    return whole if len(whole) else pd.Series([values.mean()])


def _verdict(cell: Printed, verdict: str, **found) -> CellVerdict:
    return CellVerdict(
        id=cell.id, paper=cell.paper, item=cell.item, dataset=cell.dataset, method=cell.method, variant=cell.variant,
        quantity=cell.metric, n_train=_none(cell.n_train), printed=cell.text, printed_std=cell.std_text,
        verdict=verdict, description=cell.descriptive,
        r0=None if isnan(cell.runs) else int(cell.runs), **found,
    )  # fmt: skip


def _none(x: float) -> float | None:
    return None if np.isnan(x) else float(x)


def _label(cell: Printed, kind: str) -> str:
    if cell.misprint:
        return MISPRINT
    return label_of(cell.paper, cell.id) or (STAND_IN if kind else "")


def _stale(rows: pd.DataFrame) -> int:
    return int(rows["stale"].fillna(False).astype(bool).sum()) if "stale" in rows else 0


def _values(cell: Printed, rows: pd.DataFrame, curves: pd.DataFrame) -> pd.Series:
    """Our values of the printed metric, by trial_id."""
    if cell.descriptive:
        return _description(cell.metric, rows, curves)
    column = printed_numbers.COLUMN[cell.metric]
    if column in rows:
        return rows.drop_duplicates("trial_id").set_index("trial_id")[column].dropna()
    if column == "fill_ratio":
        return (last_of(curves, "fill_L", rows) / last_of(curves, "fill_K", rows)).dropna()
    return last_of(curves, column, rows)


def _description(metric: str, rows: pd.DataFrame, curves: pd.DataFrame) -> pd.Series:
    """Sizes of the data as run; the number of inputs shows in the number of ARD length-scales."""
    if metric == "n_total":
        return rows["n_total"].dropna()
    if metric == "runs":
        judged = rows[~rows["spent"].fillna(False).astype(bool)] if "spent" in rows else rows
        return pd.Series([float(judged["trial"].nunique())])
    if metric == "dims":
        ids = curves["trial_id"].isin(rows["trial_id"])
        scales = curves[ids & curves["key"].str.startswith("theta.lengthscale.")]
        return scales.groupby("trial_id").size().astype(float)
    return rows[metric].dropna()

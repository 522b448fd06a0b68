"""`gpbench check`: every printed number and every claim beside ours, with a verdict. See docs/check.md."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd

from gpbench.errors import CheckError, ConfigError

from . import claims as statements
from . import published
from .claims.vocabulary import Evidence
from .frame import Results, load
from .published import Claim, Printed
from .traces import last_of

CELL_VERDICTS = ("reproduced", "better", "worse", "different", "not run", "no data")
CLAIM_VERDICTS = ("holds", "fails", "not run")
GRADE = {"reproduced": 2, "better": 2, "holds": 2, "different": 1, "worse": 0, "fails": 0, "not run": 0, "no data": 0}
BAD = ("worse", "fails")
STANDIN = "on stand-in data only"


@dataclass(frozen=True)
class CellVerdict:
    """`ours` and `ours_std` are in the printed unit; n is the number of trials behind them."""

    id: str
    printed: str
    verdict: str
    ours: float | None = None
    ours_std: float | None = None
    n: int = 0
    tolerance: float | None = None
    note: str = ""


@dataclass(frozen=True)
class ClaimVerdict:
    id: str
    text: str
    verdict: str
    numbers: str = ""


@dataclass(frozen=True)
class Outcome:
    passed: bool
    message: str


@dataclass(frozen=True)
class Check:
    cells: tuple[CellVerdict, ...]
    claims: tuple[ClaimVerdict, ...]

    @property
    def cell_counts(self) -> dict[str, int]:
        found = Counter(c.verdict for c in self.cells)
        return {v: found[v] for v in CELL_VERDICTS}

    @property
    def claim_counts(self) -> dict[str, int]:
        found = Counter(c.verdict for c in self.claims)
        return {v: found[v] for v in CLAIM_VERDICTS}

    def summary(self) -> str:
        """The line that counts: cells, then claims."""
        cells = ", ".join(f"{n} {v}" for v, n in self.cell_counts.items())
        claims = ", ".join(f"{n} {v}" for v, n in self.claim_counts.items())
        misprints = sum(_misprint(c) and c.verdict in ("worse", "different") for c in self.cells)
        extra = f"; {misprints} of the cells apart are suspected misprints" if misprints else ""
        return f"{len(self.cells)} cells: {cells}; {len(self.claims)} claims: {claims}{extra}"

    def failed(self) -> list[str]:
        """Ids outside tolerance; a suspected misprint is never held against us."""
        cells = [c.id for c in self.cells if c.verdict in BAD and not _misprint(c)]
        return cells + [c.id for c in self.claims if c.verdict in BAD]

    def regressions(self, baseline: dict) -> list[str]:
        """Ids whose verdict is worse than in an earlier check.json."""
        try:
            before = {
                **{c["id"]: c["verdict"] for c in baseline["cells"]},
                **{c["id"]: c["verdict"] for c in baseline["claims"]},
            }
        except (KeyError, TypeError) as e:
            raise ConfigError("the baseline is not a check.json written by `gpbench check --json`") from e
        now = {c.id: c.verdict for c in (*self.cells, *self.claims)}
        return [i for i, verdict in before.items() if GRADE.get(now.get(i), 0) < GRADE.get(verdict, 0)]

    def to_json(self) -> dict:
        """Plain data, sorted and rounded: the same results give the same text."""
        return {
            "cell_counts": self.cell_counts,
            "claim_counts": self.claim_counts,
            "cells": [_compact(asdict(c)) for c in sorted(self.cells, key=lambda c: c.id)],
            "claims": [_compact(asdict(c)) for c in sorted(self.claims, key=lambda c: c.id)],
        }

    def lines(self) -> list[str]:
        """What was compared, one line each, and the line that counts."""
        seen = [v for v in (*self.cells, *self.claims) if v.verdict not in ("not run", "no data") or _on_standin(v)]
        return [*map(describe, seen), self.summary()]

    def against(self, baseline: str | Path | None = None) -> Outcome:
        """Passed when nothing is outside tolerance, or with a baseline when nothing is worse than there."""
        bad = self.regressions(read_baseline(baseline)) if baseline else self.failed()
        what = "worse than the baseline" if baseline else "outside tolerance"
        named = f": {'; '.join(bad[:5])}{f' and {len(bad) - 5} more' if len(bad) > 5 else ''}" if bad else ""
        return Outcome(not bad, f"{len(bad) or 'nothing'} {what}{named}")

    def junit(self) -> str:
        """One test case per cell and claim: `worse` and `fails` are failures, what was not run is skipped."""
        bad = set(self.failed())
        suites = ElementTree.Element("testsuites")
        for name, verdicts in (("cells", self.cells), ("claims", self.claims)):
            skipped = [v for v in verdicts if v.verdict in ("not run", "no data")]
            suite = ElementTree.SubElement(suites, "testsuite", name=name, tests=str(len(verdicts)))
            suite.set("failures", str(sum(v.id in bad for v in verdicts)))
            suite.set("skipped", str(len(skipped)))
            for v in verdicts:
                case = ElementTree.SubElement(suite, "testcase", classname=f"gpbench.{name}", name=v.id)
                if v.id in bad:
                    ElementTree.SubElement(case, "failure", message=v.verdict).text = describe(v)
                elif v.verdict in ("not run", "no data"):
                    ElementTree.SubElement(case, "skipped", message=v.verdict)
        return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def describe(v: CellVerdict | ClaimVerdict) -> str:
    """One line: what was compared and how it came out."""
    if isinstance(v, ClaimVerdict):
        return f"{v.id} {v.verdict}: {v.text} [{_decisive(v)}]"
    ours = (
        ""
        if v.ours is None
        else f": ours {v.ours:.6g}, printed {v.printed} (tolerance {v.tolerance:.3g}, {v.n} trials)"
    )
    return f"{v.id} {v.verdict}{ours}{'; ' + v.note if v.note else ''}"


def _decisive(v: ClaimVerdict, most: int = 300) -> str:
    """The numbers that decided a claim; of a long list those that failed it, or its beginning (check.json has all)."""
    parts = v.numbers.split("; ")
    if len(v.numbers) > most and v.verdict == "fails":
        parts = [p for p in parts if p.endswith("(no)")] or parts
    text = "; ".join(parts)
    return text if len(text) <= most else text[:most].rstrip() + " ..."


def _compact(record: dict) -> dict:
    return {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in record.items()}


def _on_standin(v: CellVerdict | ClaimVerdict) -> bool:
    return isinstance(v, ClaimVerdict) and v.numbers.startswith(STANDIN)


def _misprint(cell: CellVerdict) -> bool:
    return "suspected misprint" in cell.note


def check(dirs: list[str | Path | Results]) -> Check:
    """Compare results folders with all five papers; CheckError if nothing could be compared."""
    results = [d if isinstance(d, Results) else load(d) for d in dirs]
    evidence = gather(results)
    twins = evidence.with_standins()
    cells = tuple(judge_cell(cell, evidence) for cell in published.cells())
    claims = tuple(judge_claim(claim, evidence, twins) for claim in published.claims())
    results_compared = [v for c, v in zip(published.cells(), cells) if v.n and not c.descriptive]
    if not results_compared and all(c.verdict == "not run" for c in claims):  # sizes of data alone are no comparison
        where = ", ".join(str(r.path) for r in results)
        raise CheckError(
            f"{where}: nothing compared; `published: {{paper: ..., item: ...}}` in the config says which printed "
            f"numbers a folder stands for, and simulated stand-ins never count{_told(claims)}"
        )
    return Check(cells, claims)


def _told(claims) -> str:
    """How the claims come out on stand-ins, for the eye only."""
    told = {"holds": "hold", "fails": "fail"}
    found = {
        text: [c.id for c in claims if c.numbers.startswith(f"{STANDIN}, where it {v}")] for v, text in told.items()
    }
    parts = [f"{', '.join(ids)} {text}" for text, ids in found.items() if ids]
    return f" (on them {'; '.join(parts)}; check.json of a larger check has the numbers)" if parts else ""


def compared_items(results: Results) -> list[tuple[Printed, CellVerdict]]:
    """The printed numbers that one folder has a value for."""
    evidence, here = gather([results]), set(results.ok["dataset"])
    papers = {paper for paper, _ in results.published}
    likely = [cell for cell in published.cells() if cell.paper in papers and cell.key in here]
    judged = ((cell, judge_cell(cell, evidence)) for cell in likely)
    return [(cell, v) for cell, v in judged if v.n]


def gather(results: list[Results]) -> Evidence:
    """Finished rows and curves of several folders; a trial that two folders hold counts once per folder's items."""
    rows = pd.concat([r.ok for r in results], ignore_index=True)
    curves = pd.concat([r.curves for r in results], ignore_index=True).drop_duplicates()
    return Evidence(rows, curves)


def judge_cell(cell: Printed, evidence: Evidence) -> CellVerdict:
    rows = published.of_cell(evidence.on(cell.key), cell)
    notes = ["suspected misprint"] if cell.misprint else []
    found = [(c, v) for c, v in _values(cell, rows, evidence.curves) if len(v)]
    if not found:
        verdict = "no data" if cell.key in published.UNOBTAINABLE else "not run"
        return CellVerdict(cell.id, cell.text, verdict, note="; ".join(notes))
    values = {c: v * cell.factor for c, v in found}
    column = min(values, key=lambda c: abs(values[c].mean() - cell.value))
    if len(values) > 1:
        notes += [f"{c} {v.mean():.4g}" for c, v in values.items()]
    ours = values[column]
    mean, std = float(ours.mean()), float(ours.std(ddof=1)) if len(ours) > 1 else None
    return CellVerdict(
        cell.id, cell.text, verdict_of(cell, mean), mean, std, len(ours), cell.tolerance, "; ".join(notes)
    )


def verdict_of(cell: Printed, ours: float) -> str:
    gap = ours - cell.value
    if abs(gap) <= cell.tolerance * (1 + 1e-9):
        return "reproduced"
    if cell.metric not in published.LOWER_IS_BETTER:
        return "different"
    return "better" if gap < 0 else "worse"


def _values(cell: Printed, rows: pd.DataFrame, curves: pd.DataFrame):
    """(column, our values per trial) for each column that may stand for the printed metric."""
    if rows.empty:
        return
    if cell.descriptive:
        yield cell.metric, _description(cell.metric, rows, curves)
        return
    for column in published.COLUMN[cell.metric]:
        if column in rows:
            yield column, rows[column].dropna()
        elif column == "fill_ratio":
            yield column, (last_of(curves, "fill_L", rows) / last_of(curves, "fill_K", rows)).dropna()
        else:
            yield column, last_of(curves, column, rows)


def _description(metric: str, rows: pd.DataFrame, curves: pd.DataFrame) -> pd.Series:
    """Sizes of the data as run; the number of inputs shows in the number of ARD length-scales."""
    if metric == "n_total":
        return rows["n_total"].dropna()
    if metric == "runs":
        return pd.Series([float(rows["trial"].nunique())])
    if metric == "dims":
        ids = curves["trial_id"].isin(rows["trial_id"])
        scales = curves[ids & curves["key"].str.startswith("theta.lengthscale.")]
        return scales.groupby("trial_id").size().astype(float)
    return rows[metric].dropna()


def judge_claim(claim: Claim, evidence: Evidence, twins: Evidence | None = None) -> ClaimVerdict:
    """Undecided claims are tried on stand-in data too, for information."""
    finding = statements.evaluate(claim, evidence.of(claim.paper))
    numbers = finding.numbers
    if finding.holds is None and twins is not None and len(twins.rows):
        twin = statements.evaluate(claim, twins.of(claim.paper))
        if twin.holds is not None:
            numbers = f"{STANDIN}, where it {'holds' if twin.holds else 'fails'}: {twin.numbers}"
    verdict = {True: "holds", False: "fails", None: "not run"}[finding.holds]
    return ClaimVerdict(claim.id, claim.text, verdict, numbers)


def read_baseline(file: str | Path) -> dict:
    try:
        return json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        raise ConfigError(f"baseline {file}: not readable as JSON ({e})") from e

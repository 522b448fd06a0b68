"""`gpbench check`: every printed number and every claim beside ours, with a verdict. See docs/explanations/check.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from gpbench.analysis.results_table import ResultsTable, load
from gpbench.errors import CheckError, ConfigError
from gpbench.system.atomic_files import read_json

from . import printed_numbers
from .claims.evidence import Evidence
from .claims.judging import CLAIM_VERDICTS, STANDIN, ClaimVerdict, judge_claim
from .headline import Headline, claims_sentence
from .printed_numbers import Printed
from .remarks import cause_of
from .sensitivity.ranges import Range, ranges
from .verdicts.cells import DESCRIPTIONS, CellVerdict, judge_cell
from .verdicts.method_order import Order, histogram_lines, histograms, orders
from .verdicts.rule import GOOD, VERDICTS

GRADE = {  # of --baseline; a verdict that falls to a lower grade is worse
    **dict.fromkeys((*GOOD, "as printed", "not comparable", "holds", "by construction", "reproduced"), 2),
    **dict.fromkeys(("inconclusive", "different", "undecided"), 1),
    **dict.fromkeys(("worse", "fails", "not run", "no data"), 0),
}
BAD = ("worse", "fails")
OPEN = ("not run", "no data")


@dataclass(frozen=True)
class Passing:
    passed: bool
    message: str


@dataclass(frozen=True)
class Check:
    cells: tuple[CellVerdict, ...]
    claims: tuple[ClaimVerdict, ...]
    papers: tuple[str, ...] = printed_numbers.PAPERS  # that the folders stand for
    ranges: tuple[Range, ...] = ()  # of printed numbers that depend on something their paper leaves open

    @property
    def headline(self) -> list[CellVerdict]:
        """Result cells that no label sets apart."""
        return [c for c in self.cells if not c.apart]

    @cached_property
    def counts(self) -> Headline:
        return Headline.of(c.to_json() for c in self.cells)

    @property
    def cell_counts(self) -> dict[str, int]:
        return _counts(self.headline, VERDICTS)

    @property
    def description_counts(self) -> dict[str, int]:
        return _counts((c for c in self.cells if c.description), DESCRIPTIONS)

    @property
    def apart_counts(self) -> dict[str, dict[str, int]]:
        """label -> counts of the cells it sets apart."""
        labels = dict.fromkeys(c.label for c in self.cells if c.label)
        found = {label: _counts((c for c in self.cells if c.label == label), VERDICTS) for label in labels}
        return {label: {v: n for v, n in counts.items() if n} for label, counts in found.items()}

    @property
    def claim_counts(self) -> dict[str, int]:
        return _counts((c for c in self.claims if not c.stands_for), CLAIM_VERDICTS)

    @property
    def stand_in_claims(self) -> dict[str, int]:
        return _counts((c for c in self.claims if c.stands_for), CLAIM_VERDICTS)

    @property
    def revised(self) -> list[ClaimVerdict]:
        """Claims whose verdict was another before their check was revised."""
        return [c for c in self.claims if c.revised]

    @cached_property
    def orders(self) -> list[Order]:
        return orders(self.cells)

    def summary(self) -> list[str]:
        """The lines that count: results, what is set apart, descriptions, claims."""
        counts = self.cell_counts
        few = sum(c.needed is not None for c in self.headline)
        said = _said(counts).replace(" inconclusive", f" inconclusive ({few} for lack of runs)")
        lines = [f"{len(self.headline)} result cells: {said}"]
        lines += [line for line in (self.counts.sentence(), self.counts.tuned_sentence()) if line]
        lines += [f"apart, {label}: {sum(c.values())} cells: {_said(c)}" for label, c in self.apart_counts.items()]
        lines.append(f"{sum(self.description_counts.values())} descriptions of data: {_said(self.description_counts)}")
        lines.append(f"{sum(self.claim_counts.values())} claims: {_said(self.claim_counts)}")
        lines.append(claims_sentence(asdict(c) for c in self.claims))
        if stale := sum(bool(c.stale) for c in self.cells):
            lines.append(f"{stale} cells rest on stale trials, of code that has a newer version (run --rerun stale)")
        if on := sum(self.stand_in_claims.values()):
            lines.append(f"apart, on stand-in data: {on} claims: {_said(self.stand_in_claims)}")
        if self.revised:
            named = ", ".join(f"{c.id} {c.earlier_verdict} -> {c.verdict}" for c in self.revised)
            lines.append(f"{len(self.revised)} claim verdicts rest on a revised check: {named}")
        return lines

    def failed(self) -> list[str]:
        """Ids outside tolerance; a suspected misprint is never held against us."""
        cells = [c.id for c in self.headline if c.verdict in BAD]
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

    def to_json(self, of: Iterable[str] | None = None) -> dict:
        """Plain data, sorted and rounded: the same results give the same text. `of`: only these papers."""
        papers = set(of or printed_numbers.PAPERS)
        mine = lambda things: [t for t in things if t.paper in papers]  # noqa: E731
        return {
            "version": 4,
            "headline": asdict(self.counts) | {"sentence": self.counts.sentence()},
            "cell_counts": self.cell_counts,
            "apart_counts": self.apart_counts,
            "description_counts": self.description_counts,
            "claim_counts": self.claim_counts,
            "stand_in_claim_counts": self.stand_in_claims,
            "revised_claims": [c.id for c in self.revised],
            "cells": [c.to_json() for c in sorted(mine(self.cells), key=lambda c: c.id)],
            "claims": [c.to_json() for c in sorted(mine(self.claims), key=lambda c: c.id)],
            "ranges": [r.to_json() for r in sorted(mine(self.ranges), key=lambda r: r.id)],
            "orders": [o.to_json() for o in mine(self.orders)],
            "histograms": {p: h for p, h in histograms(self.cells).items() if p in papers},
        }

    def lines(self) -> list[str]:
        """What was compared, one line each: cells, orders of methods, claims, d/SE; then the lines that count."""
        cells = [c.line() for c in self.cells if c.verdict not in OPEN]
        claims = [c.line() for c in self.claims if c.verdict not in OPEN or c.numbers.startswith(STANDIN)]
        ranks = [o.line() for o in self.orders]
        return [*cells, *ranks, *claims, *histogram_lines(histograms(self.cells)), *self.summary()]

    def against(self, baseline: str | Path | None = None) -> Passing:
        """Passed when nothing is outside tolerance, or with a baseline when nothing is worse than there."""
        bad = self.regressions(read_baseline(baseline)) if baseline else self.failed()
        what = "worse than the baseline" if baseline else "outside tolerance"
        named = f": {'; '.join(bad[:5])}{f' and {len(bad) - 5} more' if len(bad) > 5 else ''}" if bad else ""
        return Passing(not bad, f"{len(bad) or 'nothing'} {what}{named}")

    def junit(self) -> str:
        """One test case per cell and claim: `worse` and `fails` are failures, what was not run is skipped."""
        from xml.etree import ElementTree

        bad = set(self.failed())
        suites = ElementTree.Element("testsuites")
        for name, verdicts in (("cells", self.cells), ("claims", self.claims)):
            skipped = [v for v in verdicts if v.verdict in OPEN]
            suite = ElementTree.SubElement(suites, "testsuite", name=name, tests=str(len(verdicts)))
            suite.set("failures", str(sum(v.id in bad for v in verdicts)))
            suite.set("skipped", str(len(skipped)))
            for v in verdicts:
                case = ElementTree.SubElement(suite, "testcase", classname=f"gpbench.{name}", name=v.id)
                if v.id in bad:
                    ElementTree.SubElement(case, "failure", message=v.verdict).text = v.line()
                elif v.verdict in OPEN:
                    ElementTree.SubElement(case, "skipped", message=v.verdict)
        return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _counts(verdicts, names: tuple[str, ...]) -> dict[str, int]:
    found = Counter(v.verdict for v in verdicts)
    return {v: found[v] for v in names}


def _said(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {v}" for v, n in counts.items())


def comparable_counts(counts: dict[str, int]) -> tuple[int, int]:
    """(replicated, close or better; all that were run and can be compared)."""
    comparable = sum(n for v, n in counts.items() if v not in (*OPEN, "not comparable"))
    return sum(counts[v] for v in GOOD), comparable


def check(dirs: list[str | Path | ResultsTable]) -> Check:
    """Compare results folders with all five papers; CheckError if nothing could be compared."""
    results = [d if isinstance(d, ResultsTable) else load(d) for d in dirs]
    evidence = gather(results)
    twins = evidence.with_standins()
    cells = tuple(judge_cell(cell, evidence) for cell in printed_numbers.cells())
    claims = tuple(judge_claim(claim, evidence, twins) for claim in printed_numbers.claims())
    compared = [c for c in cells if c.n and not c.description]  # sizes of data alone are no comparison
    if not compared and all(c.verdict == "not run" for c in claims):
        where = ", ".join(str(r.path) for r in results)
        raise CheckError(
            f"{where}: nothing compared; `published: {{paper: ..., item: ...}}` in the config says which printed "
            f"numbers a folder stands for, and simulated stand-ins never count{_told(claims)}"
        )
    asked = {paper for r in results for paper, _ in r.published} | {c.paper for c in compared}
    papers = tuple(p for p in printed_numbers.PAPERS if p in asked) or printed_numbers.PAPERS
    found = {r.id: r for r in ranges(evidence, cells)}
    return Check(tuple(_placed(c, found.get(c.id)) for c in cells), claims, papers, tuple(found.values()))


def _placed(cell: CellVerdict, found: Range | None) -> CellVerdict:
    """The cell with the range of our means at other protocols, and the cause of a difference."""
    cause = cause_of(cell.paper, cell.id, cell.verdict)
    if found is None:
        return replace(cell, cause=cause)
    return replace(cell, place=found.place, low=found.low, high=found.high, cause=cause)


def _told(claims) -> str:
    """Results of the claims on stand-in data, for information only."""
    told = {"holds": "hold", "fails": "fail"}
    found = {
        text: [c.id for c in claims if c.numbers.startswith(f"{STANDIN}, where it {v}")] for v, text in told.items()
    }
    parts = [f"{', '.join(ids)} {text}" for text, ids in found.items() if ids]
    return f" (on them {'; '.join(parts)}; check.json of a larger check has the numbers)" if parts else ""


def compared_items(results: ResultsTable) -> list[tuple[Printed, CellVerdict]]:
    """The printed numbers that one folder has a value for."""
    evidence, here = gather([results]), set(results.ok["dataset"])
    papers = {paper for paper, _ in results.published}
    likely = [cell for cell in printed_numbers.cells() if cell.paper in papers and cell.key in here]
    judged = ((cell, judge_cell(cell, evidence)) for cell in likely)
    return [(cell, v) for cell, v in judged if v.n]


def gather(results: list[ResultsTable]) -> Evidence:
    """Finished rows and curves of several folders; a trial that two folders hold counts once per folder's items.

    Rows of folders that try what a paper leaves open are kept apart.
    """
    rows = pd.concat([r.ok for r in results], ignore_index=True)
    curves = pd.concat([r.curves for r in results], ignore_index=True).drop_duplicates()
    tries = rows["open"].map(bool).to_numpy(dtype=bool)
    return Evidence(rows[~tries], curves, open=rows[tries])


def read_baseline(file: str | Path) -> dict:
    return read_json(Path(file), "baseline ", ConfigError)

"""What the scoreboard counts: for each paper its result cells and claims by verdict, and its folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from gpbench.analysis.results_table import ResultsTable
from gpbench.papers import printed_numbers
from gpbench.papers.check import Check, gather
from gpbench.papers.claims.judging import CLAIM_VERDICTS, ClaimVerdict
from gpbench.papers.headline import Headline, claims_sentence
from gpbench.papers.verdicts.cells import CellVerdict
from gpbench.papers.verdicts.method_order import Order
from gpbench.papers.verdicts.rule import VERDICTS


@dataclass(frozen=True)
class Score:
    """Counts by verdict, in the order of the verdicts; those that a label or stand-in data set apart are left out."""

    cells: dict[str, int]
    claims: dict[str, int]
    apart: int
    headline: Headline
    claims_told: str

    @classmethod
    def of(cls, cells: Iterable[dict], claims: Iterable[dict]) -> Score:
        """From the entries of a check.json."""
        cells, claims = [c for c in cells if not c["description"]], list(claims)
        mine = Counter(c["verdict"] for c in cells if not c["label"])
        said = Counter(c["verdict"] for c in claims if not c["stands_for"])
        apart = sum(bool(c["label"]) for c in cells) + sum(bool(c["stands_for"]) for c in claims)
        counts = {v: mine[v] for v in VERDICTS}, {v: said[v] for v in CLAIM_VERDICTS}
        return cls(*counts, apart, Headline.of(cells), claims_sentence(claims))

    def sentence(self) -> str:
        parts = (self.headline.sentence(), self.headline.tuned_sentence(), self.claims_told)
        return ". ".join(f"{part[0].upper()}{part[1:]}" for part in parts if part)


@dataclass(frozen=True)
class PaperBoard:
    paper: str
    cells: list[CellVerdict]  # results, not descriptions of data
    claims: list[ClaimVerdict]
    orders: list[Order]
    folders: list[ResultsTable]
    source: dict[str, str]  # id of a cell -> name of the folder that ours is from

    @property
    def title(self) -> str:
        return printed_numbers.TITLES[self.paper]

    @property
    def score(self) -> Score:
        return Score.of([c.to_json() for c in self.cells], [c.to_json() for c in self.claims])


def boards(found: Check, results: list[ResultsTable]) -> list[PaperBoard]:
    source = _sources(results)
    return [
        PaperBoard(
            paper,
            [c for c in found.cells if c.paper == paper and not c.description],
            [c for c in found.claims if c.paper == paper],
            [o for o in found.orders if o.paper == paper],
            [r for r in results if paper in {p for p, _ in r.published}],
            source,
        )
        for paper in printed_numbers.PAPERS
    ]


def _sources(results: list[ResultsTable]) -> dict[str, str]:
    evidence, name = gather(results), {str(r.path): r.path.resolve().name for r in results}
    found = {}
    for cell in printed_numbers.cells():
        rows = printed_numbers.of_cell(evidence.on(cell.key), cell)
        if len(rows) and not cell.descriptive:
            found[cell.id] = name[rows["folder"].iloc[0]]
    return found

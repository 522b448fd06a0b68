"""What `check` says of one folder: every compared number with its verdict, what differs first, and the claims."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pandas as pd
from scipy import stats

from gpbench.analysis.drawing.axes import safe
from gpbench.analysis.table import Table, TableCell
from gpbench.analysis.traces import last_of
from gpbench.errors import CheckError
from gpbench.html.bars import counted
from gpbench.papers import printed_numbers
from gpbench.papers.check import check, comparable_counts, compared_items
from gpbench.papers.printed_numbers import Printed
from gpbench.papers.remarks import explanations
from gpbench.papers.verdicts.cells import CellVerdict
from gpbench.papers.verdicts.rule import VERDICTS

from .charts.printed_chart import Pair, Panel
from .trial_data import TrialBook

ORDER = ("worse", "different", "inconclusive", "close", "better", "replicated", "not comparable")
OPEN = ("undecided", "not run")


@dataclass(frozen=True)
class Seen:
    """A printed number, its verdict and the trials behind ours."""

    cell: Printed
    verdict: CellVerdict
    trials: tuple[str, ...]
    quantity: str

    @property
    def name(self) -> str:
        variant = self.cell.variant
        return f"{self.cell.method} ({variant})" if variant else self.cell.method

    @property
    def remark(self) -> str:
        """What sets the cell apart, what limits it, and why it came out so, where a remark gives it."""
        limits, why = self._remarks
        return "; ".join([*limits, *why])

    @property
    def reason(self) -> str:
        """The remark as sentences, the reason first."""
        limits, why = self._remarks
        return ". ".join(p[0].upper() + p[1:] for p in (text.rstrip(".") for text in (*why, *limits)))

    @property
    def _remarks(self) -> tuple[list[str], list[str]]:
        """What sets the cell apart or limits it, and why it came out so."""
        v = self.verdict
        stands = f"on data that stands in: {v.stands_for}" if v.stands_for else ""
        why = [e.why for e in explanations(v.paper) if e.fits(v.id, v.verdict)]
        return list(filter(None, [v.label, stands, v.note])), why


def seen(book: TrialBook) -> list[Seen]:
    """The printed numbers that the folder has a value for, what differs most first; descriptions of data left out."""
    found = []
    for cell, verdict in compared_items(book.results):
        if not cell.descriptive:
            rows = printed_numbers.of_cell(book.results.ok, cell)
            quantity = printed_numbers.COLUMN[cell.metric]
            book.remember(quantity, _values(quantity, rows, book.results.curves))
            found.append(Seen(cell, verdict, tuple(rows["trial_id"]), quantity))
    return in_order(found)


def in_order(found: list[Seen]) -> list[Seen]:
    """What differs most first."""
    return sorted(found, key=lambda s: ORDER.index(s.verdict.verdict) if s.verdict.verdict in ORDER else len(ORDER))


def _values(quantity: str, rows: pd.DataFrame, curves: pd.DataFrame) -> pd.Series:
    """By trial id: of results.csv, else of the traces."""
    if quantity in rows:
        return rows.drop_duplicates("trial_id").set_index("trial_id")[quantity]
    if quantity == "fill_ratio":
        return last_of(curves, "fill_L", rows) / last_of(curves, "fill_K", rows)
    return last_of(curves, quantity, rows)


def cells_table(found: list[Seen], sources: dict[str, tuple[str, str]] | None = None) -> Table:
    """`sources`: id of a cell -> name and address of the report that its number is from."""
    sources = sources or {}
    rows = [(s.cell.dataset or s.cell.metric, _cells(s, *sources.get(s.cell.id, ("", "")))) for s in found]
    kept = [i for i in range(len(CELLS)) if any(r[i].text or r[i].verdict for _, r in rows)]
    rows = [(first, [cells[i] for i in kept]) for first, cells in rows]
    lines = ["d = ours − printed, in the printed unit; SE: its standard error; margin: what is called small. "
             "range: of our means over protocols that the paper allows. runs: ours / the paper's."]  # fmt: skip
    return Table(
        "cells", "Printed numbers beside ours", ["data set", *(CELLS[i] for i in kept)], rows, notes=lines,
        below=("variant", "note"),
        minor=("method", "quantity", "d", "SE", "margin", "range", "runs", "printed in", "folder"),
        told_narrow=("method", "quantity"),
    )  # fmt: skip


CELLS = ("method", "ours", "printed", "verdict", "quantity", "d", "SE", "margin", "range", "runs", "printed in",
         "variant", "note", "folder")  # fmt: skip


def _cells(s: Seen, folder: str, address: str) -> list[TableCell]:
    v, cell = s.verdict, s.cell
    return [
        TableCell(cell.method),
        TableCell(_ours(s), trials=s.trials, quantity=s.quantity),
        TableCell(_printed(cell)),
        TableCell(verdict=v.verdict),
        TableCell(_measured(cell)),
        TableCell(_signed(v.d)),
        TableCell(_or_empty(v.se)),
        TableCell(_or_empty(v.margin)),
        TableCell(v.span if v.low is not None else ""),
        TableCell(f"{v.r1 or ''} / {'?' if v.r0 is None else v.r0}" if v.r1 else ""),
        TableCell(f"{cell.paper} {cell.item}"),
        TableCell(cell.variant),
        TableCell(s.remark),
        TableCell(folder, link=address),
    ]


def _printed(cell: Printed) -> str:
    return cell.text + (f" ± {cell.std_text}" if cell.std_text else "")


def _measured(cell: Printed) -> str:
    """The quantity with its unit, where that says something."""
    return cell.metric + (f" ({cell.unit})" if cell.unit not in ("", "1") else "")


def _ours(s: Seen) -> str:
    if s.verdict.ours is None:
        return ""
    decimals = len(s.cell.text.partition(".")[2]) + 1
    spread = f" ± {s.verdict.ours_std:.{decimals}f}" if s.verdict.ours_std else ""
    return f"{s.verdict.ours:.{decimals}f}{spread}"


def _signed(d: float | None) -> str:
    return "" if d is None else f"{d:+.3g}".replace("-", "−")


def _or_empty(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}"


def panels(book: TrialBook, found: list[Seen]) -> list[Panel]:
    """One for each printed item, data set and quantity; its methods in the order of print."""
    groups: dict[tuple, list[Seen]] = {}
    for s in found:
        groups.setdefault((s.cell.paper, s.cell.item, s.cell.dataset, s.cell.metric), []).append(s)
    place = {c.id: i for i, c in enumerate(printed_numbers.cells())}
    out = []
    for key in sorted(groups, key=lambda k: min(place[s.cell.id] for s in groups[k])):
        paper, item, dataset, metric = key
        mine = sorted(groups[key], key=lambda s: place[s.cell.id])
        twice = len({s.cell.method for s in mine}) < len(mine)  # then the variant or the size tells them apart
        variants, sizes = ({getattr(s.cell, key) for s in mine} for key in ("variant", "n_train"))
        pairs = [_pair(book, s, twice and len(variants) > 1, twice and len(sizes) > 1) for s in mine]
        caption = f"{dataset}: {_measured(mine[0].cell)}, {item} of {paper}. Bars: 95 % intervals of the means."
        name = safe("-".join(["cells", *key]).lower())
        out.append(Panel(name, f"{dataset}, {metric}", mine[0].cell.key, mine[0].quantity, caption, pairs))
    return out


def _pair(book: TrialBook, s: Seen, variants: bool, sizes: bool) -> Pair:
    short = [_abridged(s.cell.variant)] if variants else []
    short += [f"n = {s.cell.n_train:.0f}"] if sizes and pd.notna(s.cell.n_train) else []
    name = " ".join(filter(None, [s.cell.method, *short]))
    tip = f"{s.name}: printed {s.cell.text}{f' ± {s.cell.std_text}' if s.cell.std_text else ''}, ours {_ours(s)}, "
    tip += f"{s.verdict.r1} run{'' if s.verdict.r1 == 1 else 's'}: {s.verdict.verdict}"
    return Pair(
        name, s.cell.value, half_width(s.cell.std, s.cell.runs), s.verdict.ours,
        half_width(s.verdict.ours_std, s.verdict.r1), s.verdict.verdict, book.ranges(s.trials), tip,
    )  # fmt: skip


def _abridged(variant: str) -> str:
    return "no cache" if "no cache" in variant else "cache" if "cache" in variant else variant


def half_width(std: float | None, n: float) -> float:
    """Half the width of the 95 % interval of a mean of n runs; 0 if it is unknown."""
    if std is None or pd.isna(std) or pd.isna(n) or n < 2:
        return 0.0
    return float(stats.t.ppf(0.975, n - 1) * std / n**0.5)


FIRST = 5  # differences that the first screen names


@dataclass(frozen=True)
class Difference:
    """A printed number that came out otherwise, and why."""

    where: str
    ours: str
    printed: str
    verdict: str
    why: str


@dataclass(frozen=True)
class Compared:
    """The first screen's answer to: which numbers differ from the paper, and why?"""

    sentence: str
    bar: str  # counts of verdicts
    apart: str
    differences: list[Difference]
    more: int


def compared(found: list[Seen]) -> Compared:
    """Counts; then what differs most for its standard error. Numbers that a label sets apart are counted apart."""
    mine = [s for s in found if not s.verdict.label]
    counts, labels = Counter(s.verdict.verdict for s in mine), Counter(s.verdict.label for s in found)
    apart = "; ".join(f"{n} {label}" for label, n in labels.items() if label)
    differ = sorted((s for s in mine if s.verdict.verdict in DIFFER), key=_size, reverse=True)
    differences = [
        Difference(
            ", ".join(filter(None, (s.cell.dataset, s.name, s.cell.metric))), _ours(s), _printed(s.cell),
            s.verdict.verdict, s.reason or "No reason is known",
        )
        for s in differ[:FIRST]
    ]  # fmt: skip
    good, all_ = comparable_counts(counts)
    sentence = f"{good} of {all_} printed numbers are replicated, close or better"
    sentence += f"; {len(differ)} differ{'s' * (len(differ) == 1)}" if differ else ""
    bar = counted({v: counts[v] for v in VERDICTS}, "printed numbers compared")
    return Compared(sentence, bar, apart, differences, len(differ) - len(differences))


DIFFER = ("worse", "different")


def _size(s: Seen) -> float:
    """The difference in standard errors; without one, in margins."""
    v = s.verdict
    return abs(v.d or 0.0) / (v.se or v.margin or 1.0)


@dataclass(frozen=True)
class Claims:
    """Claims of the folder's papers: those that it decides, and those that it alone cannot."""

    bar: str = ""
    decided: Table | None = None
    open: Table | None = None
    problem: str = ""


def claims(book: TrialBook) -> Claims:
    papers = {paper for paper, _ in book.results.published}
    if not papers:
        return Claims()
    try:
        found = check([book.results])
    except CheckError as e:
        return Claims(problem=str(e).rpartition(": ")[2])
    mine = [c for c in found.claims if c.paper in papers]
    decided, open_ = [c for c in mine if c.verdict not in OPEN], [c for c in mine if c.verdict in OPEN]
    return Claims(
        counted(Counter(c.verdict for c in decided), "claims decided here"),
        claims_table("claims", "Claims of the paper", decided) if decided else None,
        claims_table("claims-open", "Not decided by this folder", open_) if open_ else None,
    )


def claims_table(name: str, title: str, found) -> Table:
    """What fails first; the verdict before its check was revised, where it was another."""
    rows = []
    for c in sorted(found, key=lambda c: c.verdict != "fails"):
        before = c.earlier_verdict if c.revised else ""
        cells = [TableCell(verdict=c.verdict), TableCell(c.runs), TableCell(before), TableCell(c.text)]
        rows.append((c.id, [*cells, TableCell(c.numbers)]))
    columns = ["claim", "verdict", "trials", "earlier check", "statement", "numbers"]
    if not any(cells[2].text for _, cells in rows):
        columns.remove("earlier check")
        rows = [(first, [*cells[:2], *cells[3:]]) for first, cells in rows]
    return Table(name, title, columns, rows, below=("statement", "numbers"), minor=("trials", "earlier check"))

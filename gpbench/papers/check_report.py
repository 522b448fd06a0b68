"""`gpbench check --report FILE`: how far the papers' numbers have come out, written from the check alone.

Counts, what differs and why. The reasons are those of published/<paper>.yaml; one is printed only while the verdict
that it explains stands, and what has no reason is listed as such.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gpbench.analysis.results_table import load
from gpbench.analysis.table import markdown_code

from . import printed_numbers
from .check import Check
from .claims.judging import CLAIM_VERDICTS
from .remarks import LABELS, TUNED, explanations, labels, observations
from .sensitivity.items import items
from .sensitivity.ranges import STRENGTHS, missing, sentences
from .verdicts.cells import CellVerdict
from .verdicts.method_order import histograms
from .verdicts.rule import VERDICTS

FIGURES = "open"  # folder beside the page
APART = ("better", "worse", "different")  # cells that ask for a reason
HEAD = """# How far the papers' numbers have come out

Written by `gpbench check results/*-*/ --report docs/results/reproduction.md`; do not edit. Verdicts are explained in
[check.md](../explanations/check.md). `results/check.json` holds every cell and claim with its numbers. The reasons
come from `gpbench/published/<paper>.yaml`; a test ties each to the verdict it explains.
"""


def reproduction(found: Check, folders: list[Path]) -> str:
    """The page as Markdown."""
    middle = [_counts(found), _open(found), _folders(folders), _apart(found), _cells(found), _drawn()]
    parts = [HEAD, *middle, _claims(found), _columns(found)]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _table(head: tuple[str, ...], rows) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", str(c)) for c in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _counts(found: Check) -> str:
    rows = []
    for paper in printed_numbers.PAPERS:
        counts = Counter(c.verdict for c in found.headline if c.paper == paper)
        if counts:
            rows.append((f"[{paper}]", *(counts[v] or "" for v in VERDICTS)))
    rows.append(("all", *(found.cell_counts[v] for v in VERDICTS)))
    lines = [f"{line[0].upper()}{line[1:]}." for line in found.summary()[1:]]
    return (
        "## Counts\n\n" + _table(("result cells", *VERDICTS), rows) + "\n" + "\n".join(f"- {x}" for x in lines) + "\n"
    )


def _open(found: Check) -> str:
    """What the papers leave open: a sentence for each, what was not run, and the cells that were."""
    lines = [f"- {line}." for line in (*sentences(found.ranges), *missing(found.ranges))]
    rows = []
    for item in items():
        mine = [r for r in found.ranges if r.item == item.name and r.run]
        if mine:
            places, strengths = Counter(r.place for r in mine), Counter(r.strength for r in mine)
            numbers = (len(mine), places["inside"], places["outside"], *(strengths[s] for s in STRENGTHS))
            rows.append((f"[{item.paper}] {item.title}", item.choice, *numbers))
    head = ("item", "open choice", "numbers", "inside", "outside", *STRENGTHS)
    text = "## What the papers leave open\n\n" + "\n".join(lines) + "\n"
    drawn = [i for i in items() if any(r.item == i.name and r.run for r in found.ranges)]
    figures = "".join(f"\n![{i.title}: {i.choice}]({FIGURES}/open-{i.name}.svg)\n" for i in drawn)
    return text + ("\n" + _table(head, rows) + figures if rows else "")


def _drawn() -> str:
    """What was found about figures, which have no printed numbers."""
    lines = [f"- [{p}] {about}: {what}" for p in printed_numbers.PAPERS for about, what in observations(p)]
    return "## Figures\n\n" + "\n".join(lines) + "\n" if lines else ""


def _folders(folders: list[Path]) -> str:
    """What was run: trials done of those that the config has."""
    rows = []
    for folder in folders:
        results = load(folder)
        items = ", ".join(f"[{paper}] {item}" for paper, item in results.published)
        per = results.ok.groupby(["dataset", "label"], dropna=False)["trial"].nunique()
        runs = "-" if per.empty else f"{per.min()}" if per.min() == per.max() else f"{per.min()} to {per.max()}"
        rows.append((markdown_code(results.path.name), items, f"{results.done} of {results.planned}", runs))
    return "## What was run\n\n" + _table(("folder", "stands for", "trials done", "trials a method and data set"), rows)


def _apart(found: Check) -> str:
    lines = [f"- {entry.label}: {entry.why}" for paper in printed_numbers.PAPERS for entry in labels(paper)]
    assert all(entry.label in LABELS for paper in printed_numbers.PAPERS for entry in labels(paper))
    kinds = sorted({(c.dataset, c.label) for c in found.cells if c.label == "suspected misprint"})
    lines += [f"- suspected misprint: {', '.join(dict.fromkeys(d for d, _ in kinds))}."] if kinds else []
    return "## Set apart\n\n" + "\n".join(lines) + "\n"


def _cells(found: Check) -> str:
    """The cells that are not replicated, by reason."""
    out = ["## Cells that came out otherwise", ""]
    for paper in printed_numbers.PAPERS:
        judged = [c for c in found.cells if c.paper == paper and not c.description and c.label in ("", TUNED)]
        mine = [c for c in judged if c.verdict in APART or _explained(c)]
        if not mine:
            continue
        out += [f"### [{paper}]", ""]
        for why, cells in _by_reason(paper, mine):
            out += [f"{why}", "", _lines(cells)]
    few = [c for c in found.headline if c.needed is not None]
    noisy = [c for c in found.headline if c.verdict == "inconclusive" and c.needed is None]
    out += [
        f"{len(few)} cells are inconclusive for lack of runs (`gpbench check --needed` lists the trials they want), "
        f"{len(noisy)} because the print is too noisy.",
        "",
    ]
    return "\n".join(out)


def _explained(c: CellVerdict) -> bool:
    return any(e.fits(c.id, c.verdict) for e in explanations(c.paper))


def _by_reason(paper: str, cells: list[CellVerdict]) -> Iterator[tuple[str, list[CellVerdict]]]:
    """(reason, its cells), then those without one."""
    left = list(cells)
    for e in explanations(paper):
        mine = [c for c in left if e.fits(c.id, c.verdict)]
        left = [c for c in left if c not in mine]
        if mine:
            yield e.text, mine
    if left:
        yield "No reason known:", left


def _lines(cells: list[CellVerdict]) -> str:
    rows = []
    for c in cells:
        what = ", ".join(filter(None, (c.item, c.dataset, c.variant, _size(c))))
        printed = c.printed + (f" ± {c.printed_std}" if c.printed_std else "")
        ours = f"{c.ours:.4g}" + (f" ± {c.ours_std:.2g}" if c.ours_std else "")
        se = "?" if c.se is None else f"{c.se:.2g}"
        rows.append(
            (what, c.method, c.quantity, ours, printed, f"{c.d:+.2g}", se, c.r0 or "?", c.r1, _verdict(c), c.span)
        )
    head = ("where", "method", "quantity", "ours", "printed", "d", "SE", "R0", "R1", "verdict", "range of protocols")
    return _table(head, rows)


def _verdict(c: CellVerdict) -> str:
    return f"{c.verdict} ({c.label})" if c.label else c.verdict


def _size(c: CellVerdict) -> str:
    return f"n = {c.n_train:.0f}" if c.paper == "vanhatalo" and c.item == "Table 1" else ""


def _claims(found: Check) -> str:
    """Every claim with its sentence, by verdict; failing ones with the reason we have."""
    out = ["## Claims", ""]
    for verdict in CLAIM_VERDICTS:
        mine = [c for c in found.claims if c.verdict == verdict]
        if not mine:
            continue
        rows = []
        for c in mine:
            remarks = [f"earlier check: {c.earlier_verdict}"] if c.revised else []
            remarks += [f"on stand-ins ({c.stands_for})"] if c.stands_for else []
            remarks += [e.text for e in explanations(c.paper) if e.fits(c.id, c.verdict)]
            numbers = c.decisive(160) if verdict in ("fails", "undecided", "not run") else ""
            rows.append((c.id, c.text, c.runs, numbers, "; ".join(remarks)))
        out += [f"### {verdict.capitalize()} ({len(mine)})", ""]
        out += [_table(("claim", "sentence", "trials", "numbers", "remarks"), rows)]
    return "\n".join(out)


def _columns(found: Check) -> str:
    """Does the order of the methods come out, and how is d/SE spread?"""
    rows = []
    for (paper, item), mine in _grouped(found.orders):
        taus = sorted(o.tau for o in mine)
        agree = sum(o.p < 0.05 for o in mine)
        rows.append((f"[{paper}] {item}", len(mine), f"{taus[len(taus) // 2]:.2f}", agree, sum(t < 0 for t in taus)))
    head = ("table", "columns", "median tau", "columns with p < .05", "columns with tau < 0")
    out = (
        "## Order of the methods\n\nKendall's tau between the printed and our order of methods, per column of a table "
    )
    out += "(three methods cannot reach p < .05).\n\n" + _table(head, rows)
    cells = ("paper", "< -3", "-3..-2", "-2..-1", "-1..0", "0..1", "1..2", "2..3", "> 3")
    spread = []
    for paper, h in histograms(found.cells).items():
        spread.append((f"[{paper}]", *(f"{n} ({e:.0f})" for n, e in zip(h["counts"], h["expected"]))))
    return (
        out + "\n## d/SE\n\nNumber of cells, and (in brackets) how many N(0, 1) would give.\n\n" + _table(cells, spread)
    )


def _grouped(orders) -> list:
    found: dict[tuple, list] = {}
    for o in orders:
        found.setdefault((o.paper, o.item), []).append(o)
    return list(found.items())

"""The first thing a reader sees: per data set and metric the best method and those not significantly worse."""

from __future__ import annotations

import html
from collections import Counter
from dataclasses import dataclass

import pandas as pd

from gpbench.analysis.numbers import mean_std
from gpbench.analysis.ranking import Group, Mark, metrics_of
from gpbench.analysis.results_table import ResultsTable
from gpbench.metrics import AIM

from ..tables import TITLES
from .trial_data import TrialBook

AT_ONCE = 4  # data sets whose answer stands on the first screen; the others are folded


@dataclass(frozen=True)
class Answer:
    """One sentence. `trials` are those of the best method, for the number in it."""

    metric: str
    best: str
    score: str
    trials: str
    rest: str
    where: str
    limits: tuple[str, ...]  # what the tests could not have found


@dataclass(frozen=True)
class Block:
    title: str
    dataset: str
    answers: list[Answer]


def blocks(book: TrialBook) -> list[Block]:
    """One for each data set and number of training rows, the largest number first."""
    by_data: dict[tuple, list[tuple]] = {}
    for group, marks in book.groups:
        by_data.setdefault((group.dataset, group.n_train), []).append((group, marks))
    several = Counter(dataset for dataset, _ in by_data)
    order = list(dict.fromkeys(dataset for dataset, _ in by_data))
    keys = sorted(
        by_data, key=lambda k: (-_or_zero(k[1]) != -_largest(by_data, k[0]), order.index(k[0]), -_or_zero(k[1]))
    )
    found = []
    for dataset, n in keys:
        title = f"{dataset}, n = {n:.0f}" if several[dataset] > 1 and pd.notna(n) else dataset
        answers = [_answer(book, by_data[dataset, n], metric) for metric in book.metrics]
        found.append(Block(title, dataset, [a for a in answers if a]))
    return [b for b in found if b.answers]


def _or_zero(n: float) -> float:
    return 0.0 if pd.isna(n) else n


def _largest(by_data: dict, dataset: str) -> float:
    return max(_or_zero(n) for d, n in by_data if d == dataset)


def _answer(book: TrialBook, found: list[tuple], metric: str) -> Answer | None:
    """At the largest size that most methods reached; and at how many sizes the same method leads."""
    marked = [(group, marks[metric]) for group, marks in found if marks[metric]]
    if not marked:
        return None
    sized = [pair for pair in marked if pd.notna(pair[0].d_max)] or marked
    most = max(len(marks) for _, marks in sized)
    group, marks = [pair for pair in sized if len(pair[1]) == most][-1]
    best = _leader(marks)
    rows = group.rows[group.rows["series"] == best.series]
    where = _where(marked, group, best, metric)
    score, limits = mean_std(rows[metric]), tuple(dict.fromkeys(m.note for m in marks.values() if m.note))
    return Answer(metric, best.series, score, book.ranges(rows["trial_id"]), _rest(marks, best), where, limits)


def _where(marked: list[tuple[Group, dict[str, Mark]]], group: Group, best: Mark, metric: str) -> str:
    """Of a grid of sizes: which one is told, where the same method leads, and what has no size at all."""
    if pd.isna(group.d_max):
        return ""
    leaders = [_leader(m).series for g, m in marked if pd.notna(g.d_max)]
    told = [f"at d_max {group.d_max:.0f}"]
    if len(leaders) > 1:
        told.append(f"{best.series} leads at {leaders.count(best.series)} of {len(leaders)} sizes")
    for other, marks in marked:
        if pd.isna(other.d_max):
            scores = [mean_std(other.rows.loc[other.rows["series"] == s, metric]) for s in marks]
            told += [f"{s}, which has no size: {score}" for s, score in zip(marks, scores)]
    return "; ".join(told)


def _leader(marks: dict[str, Mark]) -> Mark:
    """The best, or the only one."""
    return next((m for m in marks.values() if m.best), next(iter(marks.values())))


def _rest(marks: dict[str, Mark], best: Mark) -> str:
    others = [m for m in marks.values() if m.series != best.series]
    if not others:
        return "the only method"
    short = "".join(f"; {m.series} has {m.few}" for m in marks.values() if m.few)
    return _beside(marks, best, others) + short


def _beside(marks: dict[str, Mark], best: Mark, others: list[Mark]) -> str:
    if best.n < 2:
        return f"best of {len(marks)}; {'one' if best.n else 'no'} shared trial, so no test"
    as_good = [m.series for m in others if not m.worse]
    if not as_good:
        return f"significantly better than {others[0].series if len(others) == 1 else 'all others'}"
    if len(as_good) == len(others) > 3:
        return f"best mean, but none of the {len(others)} others is significantly worse"
    return f"best mean; not significantly worse: {', '.join(as_good)}"


def shown(book: TrialBook) -> str:
    """The sentences as HTML, the first few open."""
    found = blocks(book)
    if not found:
        return '<p class="lead">No trial has finished yet: there is nothing to compare.</p>'
    first, rest = found[:AT_ONCE], found[AT_ONCE:]
    out = "".join(map(_block, first))
    if rest:
        out += f"<details><summary>{len(rest)} more</summary>{''.join(map(_block, rest))}</details>"
    limits = Counter(note for block in found for a in block.answers for note in a.limits)
    told = "".join(f" {note[0].upper()}{note[1:]}." for note in limits)
    return out + f'<p class="note">{html.escape(_test(book.results) + told)}</p>'


def _block(block: Block) -> str:
    lines = "".join(_sentence(a) for a in block.answers)
    return f'<div class="said" data-d="{_text(block.dataset)}"><h2><bdi>{_text(block.title)}</bdi></h2>{lines}</div>'


def _sentence(a: Answer) -> str:
    where = f" <small>({_text(a.where)})</small>" if a.where else ""
    return (
        f'<p data-q="{a.metric}"><span class="metric">{TITLES[a.metric]}</span> <b><bdi>{_text(a.best)}</bdi></b> '
        f'<span class="number" data-t="{a.trials}" data-q="{a.metric}">{_text(a.score)}</span>: '
        f"<bdi>{_text(a.rest)}</bdi>.{where}</p>"
    )


def _test(results: ResultsTable) -> str:
    compare = results.config.get("compare") or {}
    holm = ", Holm-corrected" if compare.get("correction") == "holm" else ""
    test = f"{compare.get('test', 'paired-t')} at {compare.get('alpha', 0.05):g}{holm}"
    aims = "".join(f", of {TITLES[m]} nearer to {AIM[m]:g}" for m in metrics_of(results) if m in AIM)
    return f"Lower is better{aims}. Tests: {test}, on shared trials."


def _text(value: str) -> str:
    return html.escape(str(value), quote=True)

"""The first screen: which method is best over all data sets and on each, and how sure that is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pandas as pd

from gpbench.analysis.numbers import mean_std
from gpbench.analysis.ranking import FEW_POINTS, Group, Mark, few_test_points, metrics_of, ranking
from gpbench.analysis.results_table import ResultsTable
from gpbench.analysis.significance import FEW, Ranking
from gpbench.analysis.table import Table, TableCell
from gpbench.metrics import METRICS
from gpbench.text import counted

from ..tables import test_note
from .trial_data import TrialBook


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
        few = set(_few_test_points(book))
        found.append(Block(title, dataset, [a for a in answers if a and not (a.metric == "nmse" and dataset in few)]))
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
    """Text about a grid of sizes: the size shown, the sizes at which the same method leads, methods without a size."""
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
    few = f" (few: {counted(best.n, 'repetition')})" if 1 < best.n < FEW else ""
    return _beside(marks, best, others) + few + short


def _beside(marks: dict[str, Mark], best: Mark, others: list[Mark]) -> str:
    if best.n < 2:
        return f"best of {len(marks)}; {'one' if best.n else 'no'} shared trial, so no test"
    as_good = [m.series for m in others if not m.worse]
    if not as_good:
        return f"significantly better than {others[0].series if len(others) == 1 else 'all others'}"
    if len(as_good) == len(others) > 3:
        return f"best mean, but none of the {len(others)} others is significantly worse"
    return f"best mean; not significantly worse: {', '.join(as_good)}"


MOST_RANKED = 12  # methods that the ranking of the first screen names


@dataclass(frozen=True)
class Summary:
    """`over_all`: (metric, best, what else is to be said); `blocks`: the answers of each data set."""

    over_all: list[tuple[str, str, str]]
    ranking: Table | None
    blocks: list[Block]
    key: list[str]


def summary(book: TrialBook) -> Summary:
    found = blocks(book)
    ranks = {m: r for m in book.metrics if (r := ranking(book.results, m))}
    leads = _leads(found)
    over_all = [(m, *(_ranked(ranks[m]) if m in ranks else leads[m])) for m in book.metrics if m in ranks or m in leads]
    limits = [note for block in found for a in block.answers for note in a.limits]
    told = [f"{note[0].upper()}{note[1:]}." for note in dict.fromkeys(limits)]
    if small := _few_test_points(book):
        told.append(f"No headline: the NMSE on {', '.join(small)} rests on fewer than {FEW_POINTS} test points.")
    missing = f"No result: {', '.join(without)}." if (without := _without_result(book)) else ""
    key = [*filter(None, [missing]), _test(book.results), *told]
    return Summary(over_all, _ranking_table(ranks) if ranks else None, found, key)


def _without_result(book: TrialBook) -> list[str]:
    """Methods none of whose trials finished, with the data sets where they have a result elsewhere."""
    done = book.rows.assign(ok=book.rows["status"] == "ok").groupby(["label", "dataset"], sort=False)["ok"].any()
    found = []
    for label, part in done.groupby(level="label", sort=False):
        lost = [dataset for (_, dataset), ok in part.items() if not ok]
        if lost:
            found.append(str(label) if len(lost) == len(part) else f"{label} on {', '.join(lost)}")
    return found


def _ranked(r: Ranking) -> tuple[str, str]:
    """The best mean rank, and the methods whose ranks are too near to tell apart."""
    order = sorted(range(len(r.methods)), key=lambda i: r.ranks[i])
    best = r.methods[order[0]]
    rank = f"mean rank {r.ranks[order[0]]:.1f} among {len(order)} on {r.datasets} data sets"
    if not r.p < 0.05:
        return "no method", f"ranks do not differ significantly (Friedman p = {r.p:.2g}); {best} leads with {rank}"
    near = [r.methods[i] for i in order[1:] if r.ranks[i] - r.ranks[order[0]] < r.critical_difference]
    rest = f"not significantly worse: {', '.join(near)}" if near else "significantly better than every other method"
    return best, f"{rank}; {rest} (critical difference {r.critical_difference:.1f})"


def _ranking_table(ranks: dict[str, Ranking]) -> Table:
    """Methods by their mean rank in the first metric; a star for those that are told apart from the best."""
    first = next(iter(ranks.values()))
    where = {m: dict(zip(r.methods, r.ranks)) for m, r in ranks.items()}
    rows = []
    for method in sorted(first.methods, key=where[next(iter(ranks))].get)[:MOST_RANKED]:
        cells = []
        for m, r in ranks.items():
            rank, best = where[m].get(method), min(r.ranks)
            worse = rank is not None and r.p < 0.05 and rank - best >= r.critical_difference
            cells.append(TableCell("" if rank is None else f"{rank:.1f}", rank == best, worse))
        rows.append((method, cells))
    distances = ", ".join(f"{METRICS[m].title} {r.critical_difference:.2f}" for m, r in ranks.items())
    left = len(first.methods) - len(rows)
    notes = [f"1 is best. Bold: best. *: worse than the best by the critical difference ({distances})."]
    notes += [f"{left} more methods have higher ranks."] if left > 0 else []
    columns = ["method", *(METRICS[m].title for m in ranks)]
    return Table("ranking", f"Mean ranks over {first.datasets} data sets", columns, rows, notes=notes)


def _leads(found: list[Block]) -> dict[str, tuple[str, str]]:
    """With fewer than five data sets: which method has the best mean on how many of them; no test joins them."""
    out = {}
    for metric in dict.fromkeys(a.metric for block in found for a in block.answers):
        best = Counter(a.best for block in found for a in block.answers if a.metric == metric)
        (_, count), total = best.most_common(1)[0], sum(best.values())
        level = [name for name, n in best.items() if n == count]
        name, each = (level[0], "") if len(level) == 1 else ("no single method", f"{' and '.join(level)} each: ")
        out[metric] = name, f"{each}best mean on {count} of {total} data sets, too few for a test over data sets"
    return out if len(found) > 1 else {}


def _few_test_points(book: TrialBook) -> list[str]:
    """Data sets whose NMSE divides by a variance of few test points."""
    ok = book.results.ok
    return list(dict.fromkeys(ok.loc[few_test_points(ok, "nmse"), "dataset"]))


def _test(results: ResultsTable) -> str:
    """What bold and star mean on the whole page."""
    others = [METRICS[m] for m in metrics_of(results) if METRICS[m].better != "lower"]
    aims = "".join(f", of {metric.title} {metric.best}" for metric in others)
    return f"{test_note(results)} Lower is better{aims}."

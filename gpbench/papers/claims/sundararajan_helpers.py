"""What the claims about [sundararajan] share: names of data sets, halves of its tables, comparisons of algorithms."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gpbench.analysis.significance import paired_t

from ..printed_numbers import ALGORITHMS, LOO, runs_of
from .evidence import Evidence, together
from .findings import Finding, Missing, at_most, between, both, each, every, within

FRIEDMAN = ("friedman2", "friedman3")
SIX = ("boston", "abalone", "bank8fm", "cpusmall", "cpuact", "bank32nh")
ALL = (*SIX, *FRIEDMAN)
LEFT = {"item": "Table", "adapted": False, "cached": False}  # left halves of Tables 2-3
RIGHT = {"item": "Table", "adapted": False, "cached": True}
OPTIMISED = {"item": "Table", "adapted": True}  # Tables 4-5
PATH = {"item": "Figure", "adapted": False, "cached": False}  # Figures 2-4: always to d_max, no cache
FIRST = {"item": "Figure 1", "cached": False}  # the whole path on Friedman3; of selection in rounds the last one


def means(e: Evidence, metric: str, dataset: str, half: dict, of=ALGORITHMS) -> dict[str, float]:
    """Means over the repetitions that these algorithms share."""
    return e.shared_means(metric, dataset, of, **half)


def best(scores: dict[str, float]) -> str:
    return min(scores, key=scores.get)


def starred(e: Evidence, metric: str, dataset: str, a: str, winner: str, half: dict) -> bool:
    """a is worse than the winner by the paired t test at .05 on the trials both have."""
    x, y = (column for _, column in e.shared(metric, dataset, (a, winner), **half).items())
    return bool(paired_t(x.to_numpy(), y.to_numpy()).p < 0.05 and x.mean() > y.mean())


def worse_than_nlgpp(e, dataset, half):
    worse = [a for a in ALGORITHMS if a != "NLGPP" and starred(e, "nlpd", dataset, a, "NLGPP", half)]
    return bool(worse), f"worse: {', '.join(worse) or 'none'}"


def difference(e: Evidence, metric: str, dataset: str, a: str, winner: str, half: dict) -> tuple[float, int]:
    """(p of the paired t test that a differs from the winner, pairs); p is 1 where there is no variation."""
    x, y = (column for _, column in e.shared(metric, dataset, (a, winner), **half).items())
    p = paired_t(x.to_numpy(), y.to_numpy()).p
    return 1.0 if np.isnan(p) else p, len(x)


def both_tables(e: Evidence, metric: str, dataset: str, a: str, halves=(OPTIMISED, LEFT)) -> pd.DataFrame:
    """An algorithm in two halves of the tables (columns 0 and 1), on the repetitions that both have."""
    wide = together({k: e.by_index(metric, dataset, a, **half) for k, half in enumerate(halves)})
    e.enough(len(wide), dataset, "Table", f"both tables have of {a}")
    return wide


def change(e, metric, dataset, a, halves=(OPTIMISED, LEFT)):
    """(optimised, fixed): Tables 4-5 against the left halves of Tables 2-3."""
    wide = both_tables(e, metric, dataset, a, halves)
    return float(wide[0].mean()), float(wide[1].mean())


def lowered(e: Evidence, metric: str, dataset: str, a: str):
    """(True, p of the one-sided paired t test that Tables 4-5 are below the left half of Tables 2-3)."""
    wide = both_tables(e, metric, dataset, a)
    after, before = wide[0], wide[1]
    p = paired_t(after.to_numpy(), before.to_numpy()).p
    p = 1.0 if np.isnan(p) else p / 2 if after.mean() < before.mean() else 1 - p / 2
    return True, repr(p)


def significant(p: float, e: Evidence, dataset: str, a: str):
    """Lower at .05; where it is not, fewer trials than the paper's leave it open."""
    few = len(e.by_index("nmse", dataset, a, **OPTIMISED)) < runs_of(dataset)
    return True if p < 0.05 else None if few else False, f"p {p:.2g}"


def excellent(e: Evidence) -> Finding:
    def excels(d):
        leads = best(means(e, "nlpd", d, RIGHT)) == "NLGPP"
        worse, text = worse_than_nlgpp(e, d, RIGHT)
        return leads and worse, f"{'best' if leads else 'not best'}, {text}"

    def near(d):
        scores = means(e, "nlpd", d, RIGHT)
        return at_most(scores["NLGPP"] - min(scores.values()), 0.03, "gap")

    parts = each(ALL, excels)
    others = [d for d, (ok, _) in parts.items() if ok is not True]
    return both(between(parts, 6), every(each(others, near)))


def time_ratio(e: Evidence) -> Finding:
    def ratio(a):
        ratios = []
        for d in ALL:
            try:
                slow, fast = e.shared_curves("fit_seconds", d, (a, "NLML"), **PATH)
            except Missing:
                continue
            ratios.append(slow.iloc[-1] / fast.iloc[-1])
        if not ratios:
            raise Missing(f"times of {a} and NLML at three or more equal d_max (a Figure folder)")
        return within(float(np.median(ratios)), 1.2, 4)

    return every(each(LOO, ratio))

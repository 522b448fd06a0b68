"""Over many cells: does the paper's order of methods come out, and is d/SE spread as it should be?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import permutations

import numpy as np
from scipy import stats

from .cells import CellVerdict
from .rule import TIMES

FEWEST = 3  # methods that make an order
EXACT = 7  # methods up to which every permutation is counted
DRAWS = 5000
EDGES = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)


@dataclass(frozen=True)
class Order:
    """Kendall's tau-b between the printed and our means of one column; p: share of orders at least as concordant."""

    paper: str
    item: str
    dataset: str
    variant: str
    quantity: str
    methods: int
    tau: float
    p: float

    def line(self) -> str:
        what = ", ".join(filter(None, (f"{self.paper} {self.item}", self.dataset, self.variant, self.quantity)))
        return f"order of the {self.methods} methods, {what}: Kendall's tau {self.tau:.2f}, p {self.p:.2g}"

    def to_json(self) -> dict:
        return {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(self).items()}


def kendall(printed, ours) -> tuple[float, float]:
    """(tau-b, one-sided permutation p); nan where all of one side are tied. Exact for up to seven methods."""
    x, y = np.asarray(printed, dtype=float), np.asarray(ours, dtype=float)
    signs = [np.sign(v[:, None] - v[None, :]) for v in (x, y)]
    size = np.sqrt((signs[0] ** 2).sum() * (signs[1] ** 2).sum())
    if size == 0:
        return np.nan, np.nan
    observed = (signs[0] * signs[1]).sum()
    if len(x) <= EXACT:
        orders = map(list, permutations(range(len(x))))
    else:
        rng = np.random.default_rng(0)
        orders = (rng.permutation(len(x)) for _ in range(DRAWS))
    found = [(signs[0] * signs[1][np.ix_(o, o)]).sum() for o in orders]
    return float(observed / size), float(np.mean(np.array(found) >= observed - 1e-9))


def orders(cells: Iterable[CellVerdict]) -> list[Order]:
    """One per column of a printed table: a data set, a quantity, and a variant where the methods share one."""
    columns: dict[tuple, list[CellVerdict]] = {}
    for c in cells:
        if c.ours is not None and c.method and not c.label and c.quantity not in TIMES:
            variant = "" if c.paper == "keerthi" else c.variant  # there the variant is part of the method
            columns.setdefault((c.paper, c.item, c.dataset, variant, c.quantity, c.n_train), []).append(c)
    found = []
    for (paper, item, dataset, variant, quantity, _), column in columns.items():
        if len(column) >= FEWEST:
            tau, p = kendall([float(c.printed) for c in column], [c.ours for c in column])
            if not np.isnan(tau):
                found.append(Order(paper, item, dataset, variant, quantity, len(column), tau, p))
    return found


def histograms(cells: Iterable[CellVerdict]) -> dict[str, dict]:
    """paper -> counts of d/SE between the edges (open at both ends) and what N(0, 1) would give."""
    ratios: dict[str, list[float]] = {}
    for c in cells:
        if c.se and not c.apart and c.verdict != "not comparable":
            ratios.setdefault(c.paper, []).append(c.d / c.se)
    edges = np.array([-np.inf, *EDGES, np.inf])
    share = np.diff(stats.norm.cdf(edges))
    return {
        paper: {
            "edges": list(EDGES),
            "counts": np.histogram(x, edges)[0].tolist(),
            "expected": [round(float(e), 2) for e in len(x) * share],
        }
        for paper, x in ratios.items()
    }


def histogram_lines(found: dict[str, dict]) -> list[str]:
    lines = []
    for paper, h in found.items():
        parts = " ".join(f"{n}({e:.0f})" for n, e in zip(h["counts"], h["expected"]))
        lines.append(f"{paper}: d/SE below -3, between -3 .. 3 in steps of 1, above 3, and (under N(0, 1)): {parts}")
    return lines

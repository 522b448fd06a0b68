"""Tests that two methods differ, on the trials they share.

[sundararajan] stars by the paired t test at .05, [keerthi] by the Wilcoxon rank sum at .01, each against the best mean.
Random resplits of one data set overlap, so the plain paired t is too optimistic; `corrected-t` widens its variance by
1/n + n_test/n_train in place of 1/n (Nadeau and Bengio 2003).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np
from scipy import stats

ROUNDING = 1e-9  # differences below this share of the values are none: two ways to the same model differ by last bits
FEW = 6  # with fewer pairs a rank test cannot reach the usual levels


@dataclass(frozen=True)
class Tested:
    """What a test says of two methods."""

    p: float  # nan where the test says nothing
    n: int  # pairs used
    note: str = ""
    smallest: float = 0.0  # p that the most extreme case would give


def paired_t(x, y, **_) -> Tested:
    """Two-sided t test of mean(x - y) = 0."""
    d = _differences(x, y)
    if note := _flat(d):
        return Tested(np.nan, len(d), note)
    t = d.mean() / (d.std(ddof=1) / np.sqrt(len(d)))
    return Tested(float(2 * stats.t.sf(abs(t), len(d) - 1)), len(d), _few_for_t(len(d)))


def corrected_t(x, y, test_share: float = 0.0, **_) -> Tested:
    """Corrected resampled t; test_share = n_test / n_train."""
    d = _differences(x, y)
    if note := _flat(d):
        return Tested(np.nan, len(d), note)
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / len(d) + test_share))
    return Tested(float(2 * stats.t.sf(abs(t), len(d) - 1)), len(d), _few_for_t(len(d)))


def rank_sum(x, y, **_) -> Tested:
    """Wilcoxon rank sum (Mann-Whitney), two-sided: exact for small samples without ties."""
    x, y = np.asarray(x), np.asarray(y)
    both = np.concatenate([x, y])
    if np.ptp(both) <= ROUNDING * np.abs(both).max():
        return Tested(np.nan, len(x), "no variation: all values are equal")
    smallest = 2 / comb(len(x) + len(y), len(x))
    p = float(stats.mannwhitneyu(x, y, alternative="two-sided").pvalue)
    return Tested(p, len(x), _few(len(x), smallest), smallest)


def signed_rank(x, y, **_) -> Tested:
    """Wilcoxon signed rank of the paired differences, two-sided."""
    d = _differences(x, y)
    if not np.any(d):
        return Tested(np.nan, len(d), "no variation: the differences are all zero")
    smallest = 2 / 2 ** len(d)
    return Tested(float(stats.wilcoxon(d).pvalue), len(d), _few(len(d), smallest), smallest)


def _differences(x, y) -> np.ndarray:
    """x - y, zero where two ways to compute the same thing differ by rounding."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    d = x - y
    d[np.abs(d) <= ROUNDING * np.maximum(np.abs(x), np.abs(y))] = 0.0
    return d


def _flat(d) -> str:
    if len(d) < 2:
        return f"{len(d)} pair: no test"
    if np.ptp(d) <= 1e-12 * max(np.abs(d).max(), np.finfo(float).tiny):
        return (
            "no variation: the differences are all zero" if not np.any(d) else "no variation: one constant difference"
        )
    return ""


def _few(n: int, smallest: float) -> str:
    return f"{n} pairs: a rank test cannot give p below {smallest:.3g}" if n < FEW else ""


def _few_for_t(n: int) -> str:
    """A t test always finds a p; what the pairs themselves can say is what a signed-rank test could reach."""
    rank = "a signed-rank test, which assumes no normal distribution,"
    return f"{n} pairs are few: {rank} cannot give p below {2 / 2**n:.3g}" if n < FEW else ""


def out_of_reach(outcome: Tested, alpha: float, tests: int = 1) -> str:
    """Said of a test that no data could bring below alpha; Holm multiplies the smallest of `tests` p-values by them."""
    smallest = min(1.0, outcome.smallest * tests)
    if smallest <= alpha:
        return ""
    corrected = f" after Holm's correction for {tests} tests" if tests > 1 else ""
    return f"{outcome.n} pairs: p cannot fall below {smallest:.3g}{corrected}, so {alpha:g} is out of reach"


TESTS: dict[str, Callable[..., Tested]] = {
    "paired-t": paired_t,
    "corrected-t": corrected_t,
    "wilcoxon-rank-sum": rank_sum,
    "wilcoxon-signed-rank": signed_rank,
}


def holm(p) -> np.ndarray:
    """Adjusted p-values: the k-th smallest times (m - k + 1), made monotone, at most 1; nan stays nan."""
    p = np.asarray(p, dtype=float)
    out = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    scaled = p[order] * (len(order) - np.arange(len(order)))
    out[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return out


@dataclass(frozen=True)
class Ranking:
    """Methods over data sets: average ranks (1 is best), Friedman's p and Nemenyi's critical difference."""

    methods: tuple[str, ...]
    ranks: np.ndarray
    p: float
    critical_difference: float
    datasets: int


MIN_DATASETS = 5


def friedman(scores: np.ndarray, methods: list[str], alpha: float = 0.05) -> Ranking | None:
    """scores (data sets, methods), lower is better; None with fewer than five data sets or two methods."""
    N, k = scores.shape
    if N < MIN_DATASETS or k < 2:
        return None
    ranks = np.apply_along_axis(stats.rankdata, 1, scores)
    ties = sum((c**3 - c).sum() for c in (np.unique(row, return_counts=True)[1] for row in ranks))
    spread = 1 - ties / (N * (k**3 - k))
    R = ranks.mean(0)
    chi2 = 12 * N / (k * (k + 1)) * ((R - (k + 1) / 2) ** 2).sum()
    p = float(stats.chi2.sf(chi2 / spread, k - 1)) if spread > 0 else np.nan
    q = stats.studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2)
    return Ranking(tuple(methods), R, p, float(q * np.sqrt(k * (k + 1) / (6 * N))), N)

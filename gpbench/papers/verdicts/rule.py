"""The strict verdict on one printed number (docs/explanations/check.md).

d = ours - printed. s0, R0: printed spread and number of runs; s1, R1: ours; u: unit of the last printed digit.
SE^2 = s0^2/R0 + s1^2/R1 + u^2/12 with Welch's degrees of freedom, t their 97.5 % point, D the margin of the quantity.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan, nan, sqrt

from scipy import stats

from ..printed_numbers import LOWER_IS_BETTER, Printed

VERDICTS = (
    "replicated",
    "close",
    "inconclusive",
    "better",
    "worse",
    "different",
    "not comparable",
    "not run",
    "no data",
)
GOOD = ("replicated", "close", "better")
TIMES = ("optimisation time", "single EP run time")  # seconds of another decade's machine
RELATIVE, NATS, LATENT_NATS = 0.10, 0.05, 0.25  # margins; 10 % in squared error is 0.05 nat
ROUNDING = 1 + 1e-9
NORMAL = 1.96  # both spreads zero: only the last digit is uncertain
FIRST_REPEATS = 3  # runs that give a first idea of a spread that the paper does not print


@dataclass(frozen=True)
class Sample:
    """Our runs of one printed number, in its unit: mean and spread over n runs (folds count once per repetition)."""

    mean: float
    std: float  # nan: one run has no spread
    n: int


@dataclass(frozen=True)
class Judgement:
    """`needed`: runs in all after which the cell would be decided; None where it is, or where no number decides."""

    verdict: str
    d: float
    se: float
    t: float
    margin: float
    reason: str = ""
    needed: int | None = None


def margin(cell: Printed) -> float:
    """The largest difference that is called small, fixed before looking; in the printed unit."""
    nats = 100.0 if cell.unit == "x1e-2" else 1.0
    if cell.metric in ("NPDL", "nlpd"):
        D = NATS * nats
    elif cell.metric == "NLPD":  # [keerthi] latent: it hangs on the nugget
        D = LATENT_NATS
    elif cell.metric == "negative log likelihood":  # summed over the points
        D = NATS * cell.n_train
    else:
        D = RELATIVE * abs(cell.value)
    return max(D, cell.half_digit)


def standard_error(cell: Printed, std: float, n: int) -> tuple[float, float]:
    """(SE of the difference, t) for n runs of ours with that spread."""
    rounding = (2 * cell.half_digit) ** 2 / 12
    if isnan(cell.std):  # the print is one run like ours
        s1 = 0.0 if isnan(std) else std
        return sqrt(s1**2 * (1 + 1 / n) + rounding), _t(s1 > 0 and n > 1, n - 1)
    s1 = cell.std if isnan(std) else std
    v0, v1 = cell.std**2 / cell.runs, s1**2 / n
    se2 = v0 + v1 + rounding
    weight = v0**2 / (cell.runs - 1) + (v1**2 / (n - 1) if n > 1 else 0.0)
    return sqrt(se2), _t(weight > 0, se2**2 / weight if weight else inf)


def _t(varies: bool, df: float) -> float:
    return float(stats.t.ppf(0.975, df)) if varies else NORMAL


def judge(cell: Printed, ours: Sample) -> Judgement:
    d, D = ours.mean - cell.value, margin(cell)
    se, t = standard_error(cell, ours.std, ours.n)
    found = Judgement("", d, se, t, D)
    if cell.metric in TIMES:
        return _as(found, "not comparable")
    small, noise = abs(d) <= D * ROUNDING, abs(d) <= t * se * ROUNDING
    if isnan(cell.std):
        if small:
            return _as(found, "close")
        if noise:
            return _as(found, "inconclusive", "no spread is printed and runs of ours differ as much")
        return _as(found, _side(cell, d))
    if small and not noise:
        return _as(found, "close")
    if small and (t * se <= D * ROUNDING or ours.n >= cell.runs):
        return _as(found, "replicated")
    if not noise:
        return _as(found, _side(cell, d))
    if ours.n >= cell.runs:
        return _as(found, "inconclusive", "the print itself is too noisy")
    wanted = runs_needed(cell, ours, max(D, abs(d)))
    return _as(found, "inconclusive", f"{wanted} runs are needed", wanted)


def runs_needed(cell: Printed, ours: Sample, width: float) -> int:
    """The fewest runs for which t SE <= width if our spread stays, at most the paper's own number."""
    low, high = ours.n + 1, int(cell.runs)

    def sharp(n: int) -> bool:
        se, t = standard_error(cell, ours.std, n)
        return t * se <= width * ROUNDING

    while low < high:  # t SE falls with n
        middle = (low + high) // 2
        low, high = (low, middle) if sharp(middle) else (middle + 1, high)
    return high


def unrepeated(cell: Printed, ours: Sample, folds: int) -> Judgement:
    """One cross-validation has a mean and no spread: outside the margin nothing can be said before it is repeated."""
    found = judge(cell, ours)
    if found.verdict not in ("better", "worse", "different"):
        return found
    reason = f"one cross-validation has no spread; {FIRST_REPEATS} repetitions of its {folds} folds are needed"
    return Judgement("inconclusive", found.d, nan, nan, found.margin, reason, FIRST_REPEATS)


def _side(cell: Printed, d: float) -> str:
    if cell.metric not in LOWER_IS_BETTER:
        return "different"
    return "better" if d < 0 else "worse"


def _as(found: Judgement, verdict: str, reason: str = "", needed: int | None = None) -> Judgement:
    return Judgement(verdict, found.d, found.se, found.t, found.margin, reason, needed)

"""Inputs that give the target away: the target, its exponential or its logarithm is linear in one or two of them.

The search is general: it looks at every input and every pair of inputs, whatever they are called. One matrix of
correlations costs n D^2; every single input and every pair is judged from it, so that rows are read few times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

LIMIT = 1e-6  # share of the variance that a linear function may leave and still be the same information
FEWEST_ROWS = 10  # fewer rows are fitted by some pair of many inputs by chance
CENTRE = (0.05, 0.95)  # quantiles of the target: a relation must hold between them, too, not for a few outliers alone
LARGEST_RANGE = 36.0  # -log of the double precision: in a wider one the smallest exponentials are lost in rounding
COLLINEAR = 1e-10  # of 1 - r^2: a pair nearer to a line adds nothing to one of its inputs but rounding


@dataclass(frozen=True)
class Leak:
    columns: tuple[int, ...]  # of the inputs, from 0
    transform: str  # "target", "exp(target)" or "log(target)"
    nmse: float  # share of the transformed target's variance over all rows that the least-squares line leaves


def search(X: np.ndarray, y: np.ndarray) -> list[Leak]:
    """Every input or pair of inputs that gives the target away, singles first; finite numbers are expected."""
    if len(y) < FEWEST_ROWS or not np.ptp(y):
        return []
    central = _central(y)
    Z, varies = standardised(X[central])
    R = Z.T @ Z
    left, found = varies.copy(), []
    for transform, t in transforms(y):
        z, (spread,) = standardised(t[central, None])
        if not spread:
            continue
        r = Z.T @ z[:, 0]
        for candidates in (_singles, _pairs):
            for leak in _confirmed(candidates(R, r), X, t, transform, left):
                found.append(leak)
                left[list(leak.columns)] = False
    return sorted(found, key=lambda leak: len(leak.columns))


def _central(y: np.ndarray) -> np.ndarray:
    """Rows whose target is no outlier; all of them where those have one target."""
    low, high = np.quantile(y, CENTRE)
    rows = (y >= low) & (y <= high)
    return rows if np.ptp(y[rows]) else np.ones(len(y), dtype=bool)


def standardised(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns of mean 0 and norm 1, zeros where a column is constant; and which columns vary."""
    varies = X.max(0) > X.min(0)
    Z = X - X.mean(0)
    Z /= np.where(varies, np.abs(Z).max(0), 1.0)  # no overflow of the squares
    Z /= np.where(varies, np.sqrt(np.einsum("ij,ij->j", Z, Z)), 1.0)
    Z[:, ~varies] = 0.0
    return Z, varies


def transforms(y: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """The target and what it may have been before its logarithm or exponential was taken."""
    yield "target", y
    if len(np.unique(y)) == 2:
        return  # of two values every transform is linear in the target itself
    if np.ptp(y) < LARGEST_RANGE:
        yield "exp(target)", np.exp(y - y.max())  # a factor changes no linear relation
    if y.min() > 0:
        yield "log(target)", np.log(y)


def _singles(R: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Unexplained share of the target for each input, on the diagonal; elsewhere infinity   (D, D)."""
    share = np.full(R.shape, np.inf)
    np.fill_diagonal(share, 1 - r**2)
    return share


def _pairs(R: np.ndarray, r: np.ndarray) -> np.ndarray:
    """The same for pairs of inputs, above the diagonal."""
    apart = 1 - R**2
    explained = r[:, None] ** 2 + r**2 - 2 * R * r[:, None] * r
    share = np.full(R.shape, np.inf)
    above = np.triu(apart > COLLINEAR, 1)
    share[above] = 1 - explained[above] / apart[above]
    return share


def _confirmed(share: np.ndarray, X: np.ndarray, t: np.ndarray, transform: str, left: np.ndarray) -> Iterator[Leak]:
    """The candidates whose least-squares line on all rows leaves less than LIMIT, the best first.

    Inputs that are not `left` are passed over. At most D candidates are looked at on the rows.
    """
    share[~left] = share[:, ~left] = np.inf
    for _ in range(len(share)):
        i, j = np.unravel_index(np.argmin(share), share.shape)
        if not share[i, j] < LIMIT:
            return
        columns = tuple(sorted({int(i), int(j)}))
        if (nmse := _left_by_line(X[:, columns], t)) < LIMIT:
            share[list(columns)] = share[:, list(columns)] = np.inf
            yield Leak(columns, transform, nmse)
        else:
            share[i, j] = np.inf


def _left_by_line(X: np.ndarray, t: np.ndarray) -> float:
    Z, _ = standardised(X)
    centred = t - t.mean()
    residual = centred - Z @ np.linalg.lstsq(Z, centred, rcond=None)[0]
    return float(residual @ residual / (centred @ centred))

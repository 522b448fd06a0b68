"""Find inputs that leak the target: the target, its exponential or its logarithm is linear in one or two of them.

The search covers every input and every pair of inputs. It computes one matrix of correlations, O(n D^2), and tests
all inputs and pairs with it, so it reads the rows few times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

LIMIT = 1e-6  # largest unexplained share of the variance that counts as a leak
FEWEST_ROWS = 10  # some pair of many inputs fits fewer rows by chance
CENTRE = (0.05, 0.95)  # quantiles of the target: a relation must also hold between them, not only for a few outliers
LARGEST_RANGE = 36.0  # -log of the double precision: in a wider range the smallest exponentials are lost in rounding
NEARLY, RANKS = 1e-3, 0.9995  # one input predicts the target almost exactly: share left, or correlation of ranks
FEWEST_SINGLE = 30  # rows from which on that is no chance
COLLINEAR = 1e-10  # of 1 - r^2: the second input of a more collinear pair adds only rounding errors


@dataclass(frozen=True)
class Leak:
    columns: tuple[int, ...]  # of the inputs, from 0
    transform: str  # "target", "exp(target)" or "log(target)"
    nmse: float  # share of the transformed target's variance over all rows that the least-squares line leaves


def search(X: np.ndarray, y: np.ndarray) -> list[Leak]:
    """Every input and pair of inputs that leaks the target, single inputs first; X and y must be finite."""
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
    """Rows whose target is not an outlier; all rows if those have a single target."""
    low, high = np.quantile(y, CENTRE)
    rows = (y >= low) & (y <= high)
    return rows if np.ptp(y[rows]) else np.ones(len(y), dtype=bool)


def standardised(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns with mean 0 and norm 1 (zeros if constant), and which columns vary."""
    varies = X.max(0) > X.min(0)
    Z = X - X.mean(0)
    Z /= np.where(varies, np.abs(Z).max(0), 1.0)  # no overflow of the squares
    Z /= np.where(varies, np.sqrt(np.einsum("ij,ij->j", Z, Z)), 1.0)
    Z[:, ~varies] = 0.0
    return Z, varies


def transforms(y: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """The target, and its exponential and logarithm if they are defined."""
    yield "target", y
    if len(np.unique(y)) == 2:
        return  # every transform of two values is linear in the target itself
    if np.ptp(y) < LARGEST_RANGE:
        yield "exp(target)", np.exp(y - y.max())  # a factor does not change a linear relation
    if y.min() > 0:
        yield "log(target)", np.log(y)


def _singles(R: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Unexplained share of the target for each input, on the diagonal; infinity elsewhere   (D, D)."""
    share = np.full(R.shape, np.inf)
    np.fill_diagonal(share, 1 - r**2)
    return share


def _pairs(R: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Unexplained share of the target for pairs of inputs, above the diagonal   (D, D)."""
    apart = 1 - R**2
    explained = r[:, None] ** 2 + r**2 - 2 * R * r[:, None] * r
    share = np.full(R.shape, np.inf)
    above = np.triu(apart > COLLINEAR, 1)
    share[above] = 1 - explained[above] / apart[above]
    return share


def _confirmed(share: np.ndarray, X: np.ndarray, t: np.ndarray, transform: str, left: np.ndarray) -> Iterator[Leak]:
    """The candidates whose least-squares fit to all rows leaves less than LIMIT, best first.

    Skips inputs that are not `left`. Tests at most D candidates on the rows.
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


def single_leaks(X: np.ndarray, y: np.ndarray, columns) -> list[int]:
    """The columns that alone predict the target almost exactly, by one straight or monotone line.

    X may have NaN, whose rows do not count. Costs one pass over each column.
    """
    if len(y) < FEWEST_SINGLE or len(np.unique(y)) < 3:
        return []
    targets = [y] + ([np.log(y)] if y.min() > 0 else [])
    found, order = [], _ranks(y)
    for j in columns:
        seen = np.isfinite(X[:, j])
        x = X[seen, j]
        if len(x) < FEWEST_SINGLE or not np.ptp(x):
            continue
        linear = max(abs(_correlation(x, t[seen])) for t in targets)
        if 1 - linear**2 < NEARLY or (linear > 0.7 and abs(_correlation(_ranks(x), order[seen])) > RANKS):
            found.append(int(j))
    return found


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a - a.mean(), b - b.mean()
    norm = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / norm if norm > 0 else 0.0


def _ranks(x: np.ndarray) -> np.ndarray:
    found = np.empty(len(x))
    found[np.argsort(x, kind="stable")] = np.arange(len(x))
    return found

"""Whether what a fit tells besides its predictions can be kept: sizes, evidence, seconds, rows, parameters, trace."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real

import numpy as np

from gpbench.errors import InvalidPrediction

LARGEST = 2**31 - 1  # of a basis without pivots, which may have more functions than there are rows
DEEPEST = 6  # lists in lists of a trace


def refuse_impossible(fitted, n: int) -> None:
    """InvalidPrediction names the first figure of the fit to n rows that cannot be."""
    _count("n_basis", fitted.n_basis, LARGEST if fitted.pivots is None else n)
    _count("kernel_rows", fitted.kernel_rows, 2**63 - 1)
    _number("log_evidence", fitted.log_evidence)
    if not isinstance(fitted.seconds, dict):
        raise InvalidPrediction(f"seconds is a {type(fitted.seconds).__name__}, expected a mapping of parts to numbers")
    for part, value in fitted.seconds.items():
        _number(f"seconds of {part}", value, lowest=0.0)
    if fitted.pivots is not None:
        _pivots(np.asanyarray(fitted.pivots), n)
    if fitted.inducing is not None:
        _inducing(np.asanyarray(fitted.inducing))
    if fitted.gp is not None:
        for name, value in fitted.gp.values().items():
            for one in np.ravel(value).tolist():
                _number(f"hyperparameter {name}", one, lowest=0.0)
    _trace(fitted.trace)


def refuse_masked(name: str, values) -> None:
    """A masked entry is no number; what lies in memory under it must not be taken for one."""
    if isinstance(values, np.ma.MaskedArray) and (hidden := int(np.ma.getmaskarray(values).sum())):
        raise InvalidPrediction(f"{name} is masked at {hidden} of {values.size} points, expected a number at each")


def _plain(value):
    """A Python number of an array without dimensions."""
    return value.item() if isinstance(value, np.ndarray) and not value.ndim else value


def _number(name: str, value, lowest: float = -np.inf) -> None:
    if value is None and lowest < 0:
        return
    refuse_masked(name, value)
    value = _plain(value)
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise InvalidPrediction(f"{name} is a {type(value).__name__}, expected a number")
    if not isinstance(value, Integral) and not np.isfinite(float(value)):
        raise InvalidPrediction(f"{name} is {value!s:.20}, expected a finite number")
    if value < lowest:
        raise InvalidPrediction(f"{name} is {value!s:.20}, expected at least {lowest:g}")


def _count(name: str, value, most: int) -> None:
    if value is None:
        return
    _number(name, value)
    value = _plain(value)
    if value != int(value):
        raise InvalidPrediction(f"{name} is {value!s:.20}, expected a whole number")
    if not 0 <= value <= most:
        raise InvalidPrediction(f"{name} is {int(value)!s:.20}, expected a number from 0 to {most}")


def _pivots(pivots: np.ndarray, n: int) -> None:
    refuse_masked("pivots", pivots)
    if pivots.ndim != 1 or pivots.dtype.kind not in "iuf" or (pivots != np.floor(pivots)).any():
        raise InvalidPrediction(f"pivots has shape {pivots.shape} of {pivots.dtype}, expected a list of row numbers")
    if pivots.size and not (0 <= pivots.min() and pivots.max() < n):
        raise InvalidPrediction(f"pivots has row numbers from {pivots.min()} to {pivots.max()}, expected 0 to {n - 1}")


def _inducing(Z: np.ndarray) -> None:
    refuse_masked("inducing", Z)
    if Z.dtype == object:
        return  # inputs of a kernel on molecules and the like
    if Z.ndim != 2 or Z.dtype.kind not in "fiu":
        raise InvalidPrediction(f"inducing has shape {Z.shape} of {Z.dtype}, expected a table of numbers (m, D)")
    if bad := int(np.sum(~np.isfinite(Z).all(1))):
        raise InvalidPrediction(f"inducing is not finite at {bad} of {len(Z)} inputs")


def _trace(trace: Iterable) -> None:
    """Rows of plain numbers, texts and lists; one that is not finite is kept as null."""
    for i, row in enumerate(trace):
        if not isinstance(row, dict):
            raise InvalidPrediction(f"row {i} of the trace is a {type(row).__name__}, expected a mapping")
        for key, value in row.items():
            if (odd := _odd(value)) is not None:
                what = f"row {i} of the trace: {key!s:.40} holds {odd}"
                raise InvalidPrediction(f"{what}, expected numbers, texts or lists of them")


def _odd(value, depth: int = 0) -> str | None:
    """What in a value of the trace no file can keep."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.getmaskarray(value).any():
        return "masked entries"
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if value is None or isinstance(value, (str, bool, int, float)):
        return None
    if depth == DEEPEST:
        return f"lists nested more than {DEEPEST} deep"
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return next((odd for v in value if (odd := _odd(v, depth + 1)) is not None), None)
    return f"a {type(value).__name__}"

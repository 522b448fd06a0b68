"""What users hand over, as the methods take it; what cannot be used is named by row and column, in one sentence."""

from __future__ import annotations

import numpy as np

from gpbench.data.shards import LARGEST
from gpbench.errors import BadInput, NotNumbers

DATE = "a date or a time; make it a number first, for example the days since a date"


def vectors(X) -> np.ndarray:
    """(n, D) doubles, row by row in memory, from an array, nested lists, a data frame or a sparse matrix."""
    refuse_repeated_names(X)
    names = [str(c) for c in X.columns] if hasattr(X, "columns") else None
    if hasattr(X, "toarray"):
        X = X.toarray()
    refuse_masked(X)
    try:
        A = np.asarray(X)
    except ValueError as e:
        raise BadInput(f"X: the rows have different lengths ({e})") from e
    if A.ndim != 2:
        raise BadInput(
            f"X: expected a table of rows and columns, got an array of {A.ndim} dimension(s), shape {A.shape}. "
            "Reshape your data: X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row"
        )
    if len(A) == 0 or A.shape[1] == 0:
        missing = "sample(s)" if len(A) == 0 else "feature(s)"
        raise BadInput(f"X: 0 {missing} (shape={A.shape}) while a minimum of 1 is required.")
    return np.ascontiguousarray(finite(numbers(A, names), names))  # sums in another order round in another way


def refuse_repeated_names(X) -> None:
    names = list(getattr(X, "columns", ()))
    if again := [name for i, name in enumerate(names) if name in names[:i]]:
        count = names.count(again[0])
        raise BadInput(f"X: {count} columns have the name '{again[0]}'; give each column a name of its own")


def refuse_masked(X) -> None:
    for row, *rest in _masked(X):
        column = f"column {rest[0]}, " if rest else ""
        raise BadInput(f"X: {column}row {row}: missing value (masked); drop the row or fill it in")


def _masked(values) -> list[tuple]:
    """Places of masked entries: numpy hands on what lies under a mask as if it were a value."""
    if isinstance(values, (list, tuple)):  # rows with masks of their own
        return [(i, *place) for i, row in enumerate(values) if np.ma.is_masked(row) for place in _masked(row)]
    return [tuple(place) for place in np.argwhere(np.ma.getmaskarray(values))] if np.ma.is_masked(values) else []


def numbers(A: np.ndarray, names: list[str] | None) -> np.ndarray:
    if np.iscomplexobj(A):
        raise BadInput("X: Complex data not supported; give real and imaginary parts as columns of their own")
    if A.dtype.kind in "buif":
        return np.asarray(A, dtype=float)
    if A.dtype.kind in "mM":
        raise NotNumbers(f"X: {_column(0, names)}, row 0: {A[0, 0]} is {DATE}")
    for j in range(A.shape[1]):  # one column at a time: the first that is not of numbers is named
        try:
            A[:, j].astype(float)
        except (ValueError, TypeError):
            i = next(i for i, value in enumerate(A[:, j]) if not _is_number(value))
            where, value = f"X: {_column(j, names)}, row {i}", A[i, j]
            if is_missing(value):
                raise BadInput(f"{where}: missing value; drop the row or fill it in") from None
            if isinstance(value, str):
                what = f"{value[:40]!r} is text; encode the column first (OneHotEncoder), or use gpbench fit"
                raise BadInput(f"{where}: {what}") from None
            if hasattr(value, "isoformat"):
                raise NotNumbers(f"{where}: {value} is {DATE}") from None
            kind = type(value).__name__
            raise NotNumbers(f"{where}: the argument must be a string or a number, not a {kind}") from None
    return A.astype(float)


def _is_number(value) -> bool:
    try:
        float(value)
    except (ValueError, TypeError):
        return False
    return True


def finite(A: np.ndarray, names: list[str] | None) -> np.ndarray:
    bad = np.argwhere(~(np.abs(A) <= LARGEST))
    if len(bad):
        i, j = bad[0]
        what = "NaN" if np.isnan(A[i, j]) else "infinity" if np.isinf(A[i, j]) else f"{A[i, j]:g}, which is too large"
        more = f" ({len(bad)} such entries in all)" if len(bad) > 1 else ""
        raise BadInput(f"X: {_column(j, names)}, row {i} is {what}{more}; drop the row or fill it in")
    return A


def _column(j: int, names: list[str] | None) -> str:
    return f"column {j}" if names is None else f"column '{names[j]}'"


def objects(X) -> np.ndarray:
    """(n,) objects from a sequence of molecules and the like, or one column of them."""
    values = X.to_numpy() if hasattr(X, "to_numpy") else X
    refuse_masked(values)
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise BadInput(f"X: expected a sequence of inputs, got {type(values).__name__}")
    if isinstance(values, np.ndarray) and values.ndim == 2:
        if values.dtype == object:
            raise BadInput(f"X: expected one input per row, got {values.shape[1]} columns")
        return finite(np.ascontiguousarray(values, dtype=float), None)
    found = np.empty(len(values), dtype=object)
    found[:] = list(values)
    if not len(found):
        raise BadInput("X: 0 sample(s) while a minimum of 1 is required")
    for i, value in enumerate(found):
        if is_missing(value):
            raise BadInput(f"X: row {i} is missing; drop it")
    return found


def is_missing(value) -> bool:
    """None, NaN, and what pandas has in their place."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def targets(y, n: int) -> np.ndarray:
    """(n,) doubles."""
    y = column(y, n)
    try:
        values = np.asarray(y, dtype=float)
    except (ValueError, TypeError) as e:
        i = next(i for i, value in enumerate(y) if not _is_number(value))
        if is_missing(y[i]):
            raise BadInput(f"Input y contains a missing value in row {i}; drop the row") from e
        raise BadInput(f"y: row {i}: {str(y[i])[:40]!r} is not a number; for classes use SparseGPClassifier") from e
    if not (fit := np.abs(values) <= LARGEST).all():
        i = int(np.argmin(fit))
        what = f"{values[i]:g}, whose square is too large to compute with,"
        if not np.isfinite(values[i]):  # the words are those that scikit-learn's own checks look for
            what = "NaN" if np.isnan(values[i]) else "infinity or a value too large for dtype('float64')"
        raise BadInput(f"Input y contains {what} in row {i}; drop the row")
    return np.ascontiguousarray(values)


def column(y, n: int) -> np.ndarray:
    """(n,) values of any kind."""
    if y is None:
        raise BadInput("this estimator requires y to be passed, but the target y is None")
    if hasattr(y, "toarray"):
        raise BadInput("y: sparse targets are not supported; give an array")
    if gaps := _masked(y):
        raise BadInput(f"Input y contains a missing value (masked) in row {gaps[0][0]}; drop the row")
    y = np.asarray(y)
    if np.iscomplexobj(y):
        raise BadInput("y: Complex data not supported")
    if y.ndim == 2 and y.shape[1] == 1:
        _warn_column()
        y = y[:, 0]
    if y.ndim != 1:
        raise BadInput(f"y should be a 1d array, got an array of shape {y.shape} instead; fit one model per column")
    if len(y) != n:
        raise BadInput(f"X has {n} rows and y has {len(y)}: they must belong to each other row by row")
    return y


def of_rows(weight, variance, n: int) -> tuple[np.ndarray | None, np.ndarray | None]:
    """(weights, noise variances) of n rows, each >= 0; None where not given, and where every weight is 1."""
    found = []
    for name, given in (("sample_weight", weight), ("noise_variance", variance)):
        if given is None:
            found.append(None)
            continue
        try:
            values = np.asarray(given, dtype=float)
            values = values if values.ndim else np.full(n, float(values))
        except (ValueError, TypeError) as e:
            raise BadInput(f"{name}: expected {n} numbers, one for each row ({e})") from e
        if values.shape != (n,):
            raise BadInput(f"{name}: expected {n} numbers, one for each row, got shape {values.shape}")
        if not (sound := (values >= 0) & (values <= LARGEST)).all():
            i = int(np.argmin(sound))
            raise BadInput(f"{name}: row {i} is {values[i]:g}, expected a number >= 0")
        found.append(values)
    if found[0] is not None and not found[0].any():
        raise BadInput("sample_weight: every weight is zero: no row is left to fit to")
    return None if found[0] is not None and (found[0] == 1).all() else found[0], found[1]


def _warn_column() -> None:
    import warnings

    try:
        from sklearn.exceptions import DataConversionWarning as Kind
    except ImportError:
        Kind = UserWarning
    warnings.warn("A column-vector y was passed when a 1d array was expected; it is taken as one.", Kind, stacklevel=5)

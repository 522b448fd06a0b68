"""Split rows into training and test part. A split is a function of (data set, rule, rng, repetition).

Rules as in a config: {kind: random, n_train: N, n_test: T}, {kind: published}, {kind: folds, k: K} and
{kind: first, n_train: N, n_test: T}; without `n_test` all other rows are test rows.
"""

from __future__ import annotations

import numpy as np

from gpbench.errors import DataError
from gpbench.text import counted

from .dataset import Dataset, Split

KINDS = ("random", "published", "folds", "first")


def default(dataset: Dataset) -> dict:
    """The rule if a config gives none: the published split, else 90 % of the rows at random."""
    if dataset.published_splits:
        return {"kind": "published"}
    n_train = round(0.9 * dataset.n)
    return {"kind": "random", "n_train": n_train, "n_test": dataset.n - n_train}


def make_split(dataset: Dataset, split: dict | None, rng: np.random.Generator, index: int) -> Split:
    """The split of one repetition.

    For `folds`, repetitions 0 to k-1 use one permutation, so the caller's `rng` must then be the same for every index
    (`depends_on_index`). The next k repetitions use a new permutation.
    """
    split = split or default(dataset)
    kind = split.get("kind", "random")
    if kind == "random":
        n_train, n_test = _sizes(dataset, split)
        order = rng.permutation(dataset.n)
        return Split(order[:n_train], order[n_train : n_train + n_test], index)
    if kind == "first":
        n_train, n_test = _sizes(dataset, split)
        return Split(np.arange(n_train), np.arange(n_train, n_train + n_test), index)
    if kind == "published":
        return Split(*_published(dataset, index), index)
    if kind == "folds":
        return _fold(dataset, split.get("k", 10), rng, index)
    raise DataError(f"split kind '{kind}' is not one of {', '.join(KINDS)}")


def _published(dataset: Dataset, index: int) -> tuple[np.ndarray, np.ndarray]:
    """The mask of this repetition; a single published split is used by every repetition."""
    found = dataset.published_splits
    if not found:
        raise DataError(f"{dataset.name} has no published split: use {{kind: random, n_train: ...}} or folds")
    if dataset.test_masks is None:
        return found[0]
    if index >= len(found):
        raise DataError(too_few(dataset.name, len(found), index + 1))
    return found[index]


def too_few(name: str, published: int, trials: int) -> str:
    """The error message for more repetitions than published splits."""
    wanted = f"`trials: {trials}` asks for more; write at most {published}, or `split: {{kind: random, n_train: ...}}`"
    return f"{name} has {published} published splits, one a trial: {wanted}"


def depends_on_index(split: dict | None) -> bool:
    """False if every repetition must use the same random stream (folds)."""
    return (split or {}).get("kind") != "folds"


def _sizes(dataset: Dataset, split: dict) -> tuple[int, int]:
    n, n_train, n_test = dataset.n, split.get("n_train"), split.get("n_test")
    if n_train is None:
        n_train = round(0.9 * n) if n_test is None else n - n_test
    if n_test is None:
        n_test = n - n_train
    if n_train >= n:
        raise DataError(f"{dataset.name} has {counted(n, 'row')}: with {n_train} for training none is left for testing")
    if n_train < 1 or n_test < 1 or n_train + n_test > n:
        raise DataError(
            f"{dataset.name} has {n} rows: a split into {n_train} training and {n_test} test rows does not fit"
        )
    return n_train, n_test


def _fold(dataset: Dataset, k: int, rng: np.random.Generator, index: int) -> Split:
    if not 2 <= k <= dataset.n:
        raise DataError(f"{dataset.name} has {dataset.n} rows: {k} folds are not between 2 and that")
    repetition, fold = divmod(index, k)
    for _ in range(repetition + 1):
        order = rng.permutation(dataset.n)
    parts = np.array_split(order, k)
    return Split(np.concatenate(parts[:fold] + parts[fold + 1 :]), parts[fold], index)

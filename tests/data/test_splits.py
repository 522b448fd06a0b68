"""Splits: sizes, disjointness, pairing, folds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpbench.data import splits
from gpbench.data.dataset import Dataset
from gpbench.errors import DataError


def data(n, published=None):
    return Dataset("toy", np.arange(n, dtype=float)[:, None], np.zeros(n), published_split=published)


@given(st.integers(2, 60), st.integers(0, 2**32 - 1), st.data())
def test_random_split_has_the_asked_sizes_and_no_row_twice(n, seed, source):
    n_train = source.draw(st.integers(1, n - 1))
    n_test = source.draw(st.integers(1, n - n_train))
    s = splits.make_split(
        data(n), {"kind": "random", "n_train": n_train, "n_test": n_test}, np.random.default_rng(seed), 3
    )
    assert (len(s.train), len(s.test), s.index) == (n_train, n_test, 3)
    assert len(set(s.train) | set(s.test)) == n_train + n_test
    assert set(s.train) | set(s.test) <= set(range(n))


def test_the_same_stream_gives_the_same_split_and_another_one_another():
    rule = {"kind": "random", "n_train": 70}
    a, b, c = (splits.make_split(data(100), rule, np.random.default_rng(seed), 0) for seed in (1, 1, 2))
    assert np.array_equal(a.train, b.train) and len(a.test) == 30
    assert not np.array_equal(a.train, c.train)


@given(st.integers(2, 50), st.data())
def test_folds_test_every_row_exactly_once(n, source):
    k = source.draw(st.integers(2, n))
    parts = [splits.make_split(data(n), {"kind": "folds", "k": k}, np.random.default_rng(5), i) for i in range(k)]
    assert sorted(np.concatenate([p.test for p in parts])) == list(range(n))
    assert all(sorted([*p.train, *p.test]) == list(range(n)) for p in parts)
    assert max(len(p.test) for p in parts) - min(len(p.test) for p in parts) <= 1


def test_a_second_round_of_folds_has_its_own_permutation():
    rule = {"kind": "folds", "k": 5}
    first, second = (splits.make_split(data(40), rule, np.random.default_rng(0), i) for i in (0, 5))
    assert set(first.test) != set(second.test)
    assert not splits.depends_on_index(rule) and splits.depends_on_index({"kind": "random"})


def test_first_takes_the_rows_in_their_order():
    s = splits.make_split(data(10), {"kind": "first", "n_train": 6, "n_test": 3}, np.random.default_rng(0), 0)
    assert list(s.train) == [0, 1, 2, 3, 4, 5] and list(s.test) == [6, 7, 8]


def test_without_a_rule_the_published_split_is_used_else_ninety_per_cent():
    mine = (np.array([3, 1]), np.array([0]))
    s = splits.make_split(data(10, mine), None, np.random.default_rng(0), 0)
    assert list(s.train) == [3, 1] and list(s.test) == [0]
    s = splits.make_split(data(10), {}, np.random.default_rng(0), 0)
    assert (len(s.train), len(s.test)) == (9, 1)


@pytest.mark.parametrize(
    "rule",
    [
        {"kind": "random", "n_train": 90, "n_test": 11},
        {"kind": "random", "n_train": 0, "n_test": 5},
        {"kind": "random", "n_train": 100},
        {"kind": "first", "n_train": 101},
        {"kind": "folds", "k": 1},
        {"kind": "folds", "k": 101},
        {"kind": "published"},
        {"kind": "sorted"},
    ],
)
def test_a_split_that_does_not_fit_is_one_sentence(rule):
    with pytest.raises(DataError) as e:
        splits.make_split(data(100), rule, np.random.default_rng(0), 0)
    assert "\n" not in str(e.value) and len(str(e.value)) < 160

"""Significance tests against scipy, textbook formulas and hand-made cases."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from gpbench.analysis import significance
from gpbench.analysis.ranking import against_best, said_of_trials
from gpbench.analysis.series import paired


@pytest.fixture
def pair(rng):
    x = rng.normal(1.0, 0.3, 12)
    return x, x + rng.normal(0.1, 0.2, 12)


def student_tail(t, df):
    """P(T > t) through the incomplete beta function."""
    return 0.5 * special.betainc(df / 2, 0.5, df / (df + t * t))


def test_paired_t_equals_scipy_and_the_formula(pair):
    x, y = pair
    d = x - y
    t = d.mean() / np.sqrt(((d - d.mean()) ** 2).sum() / (len(d) - 1) / len(d))
    found = significance.paired_t(x, y)
    assert found.p == pytest.approx(stats.ttest_rel(x, y).pvalue, rel=1e-12)
    assert found.p == pytest.approx(2 * student_tail(abs(t), len(d) - 1), rel=1e-9)
    assert (found.n, found.note) == (12, "")


@pytest.mark.parametrize("name", sorted(significance.TESTS))
def test_differences_of_rounding_are_none(rng, name):
    x = np.full(8, 0.0089) if name == "wilcoxon-rank-sum" else rng.uniform(0.1, 1.0, 8)
    found = significance.TESTS[name](x, x * (1 + 1e-13 * rng.uniform(0.5, 1.0, 8)))
    assert np.isnan(found.p)
    assert "no variation" in found.note


def test_corrected_t_widens_the_variance_by_the_test_share(pair):
    x, y = pair
    d = x - y
    t = d.mean() / np.sqrt((1 / 12 + 25 / 481) * d.var(ddof=1))  # Nadeau and Bengio's correction
    found = significance.corrected_t(x, y, test_share=25 / 481)
    assert found.p == pytest.approx(2 * student_tail(abs(t), 11), rel=1e-9)
    assert found.p > significance.paired_t(x, y).p
    assert significance.corrected_t(x, y, test_share=0.0).p == pytest.approx(significance.paired_t(x, y).p, rel=1e-12)


def test_rank_sum_equals_the_count_of_all_arrangements(rng):
    x, y = rng.normal(0, 1, 5), rng.normal(1.2, 1, 6)
    ranks = stats.rankdata(np.concatenate([x, y]))
    observed, centre = ranks[:5].sum(), 5 * 12 / 2
    sums = np.array([sum(c) for c in itertools.combinations(range(1, 12), 5)])
    exact = np.mean(np.abs(sums - centre) >= abs(observed - centre) - 1e-9)
    assert significance.rank_sum(x, y).p == pytest.approx(exact, rel=1e-9)


def test_signed_rank_equals_the_count_of_all_signs(pair):
    x, y = (v[:9] for v in pair)
    ranks = stats.rankdata(np.abs(x - y))
    observed = ranks[x > y].sum()
    sums = np.array([np.dot(signs, ranks) for signs in itertools.product([0, 1], repeat=9)])
    centre = ranks.sum() / 2
    exact = np.mean(np.abs(sums - centre) >= abs(observed - centre) - 1e-9)
    assert significance.signed_rank(x, y).p == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("name", ["paired-t", "corrected-t", "wilcoxon-signed-rank", "wilcoxon-rank-sum"])
def test_no_variation_is_said_and_gives_no_p(name):
    x = np.full(8, 0.25)
    found = significance.TESTS[name](x, x)
    assert np.isnan(found.p)
    assert found.note.startswith("no variation")


def test_a_constant_difference_is_no_variation_for_the_t_test():
    x = np.array([0.1, 0.4, 0.2, 0.9, 0.5, 0.7, 0.3])
    found = significance.paired_t(x, x + 0.125)
    assert np.isnan(found.p)
    assert found.note == "no variation: one constant difference"


@pytest.mark.parametrize(
    ("name", "smallest"),
    [("wilcoxon-signed-rank", 2 / 2**5), ("wilcoxon-rank-sum", 2 / 252), ("paired-t", 2 / 2**5)],
)
def test_five_pairs_name_the_smallest_p_that_ranks_can_reach(name, smallest):
    x = np.array([1.0, 2.0, 3.5, 4.0, 5.2])
    y = x + np.array([10.0, 11.0, 12.5, 13.0, 14.2])
    found = significance.TESTS[name](x, y)
    assert f"{smallest:.3g}" in found.note
    if name != "paired-t":
        assert found.p == pytest.approx(smallest, rel=1e-9)  # this is the most extreme case there is
    assert significance.TESTS[name](np.r_[x, 6], np.r_[y, 22]).note == ""


def test_one_pair_is_no_test():
    assert significance.paired_t([1.0], [2.0]).note == "1 pair: no test"


def test_holm_equals_the_step_down_rule_by_hand():
    assert significance.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert significance.holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert np.isnan(significance.holm([np.nan, 0.01])[0])
    assert significance.holm([np.nan, 0.01])[1] == pytest.approx(0.01)  # a test that says nothing is not counted


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_never_lowers_p_keeps_the_order_and_rejects_as_step_down_does(ps):
    ps, adjusted = np.array(ps), significance.holm(ps)
    assert (adjusted >= ps).all()
    assert (np.diff(adjusted[np.argsort(ps, kind="stable")]) >= 0).all()
    rejected, left = set(), len(ps)
    for i in np.argsort(ps, kind="stable"):  # the definition at level .05
        if not ps[i] * left < 0.05:
            break
        rejected.add(int(i))
        left -= 1
    assert {int(i) for i in np.flatnonzero(adjusted < 0.05)} == rejected


def test_friedman_equals_scipy_with_and_without_ties(rng):
    scores = rng.normal(0, 1, (7, 4)) + np.array([0, 0.4, 0.8, 1.2])
    found = significance.friedman(scores, list("abcd"))
    assert found.p == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue, rel=1e-10)
    tied = np.round(scores)
    assert significance.friedman(tied, list("abcd")).p == pytest.approx(
        stats.friedmanchisquare(*tied.T).pvalue, rel=1e-10
    )
    assert found.ranks.sum() == pytest.approx(4 * 5 / 2)


def studentized_range(q, k):
    """P(range of k standard normals < q)."""
    inner = lambda z: stats.norm.pdf(z) * (stats.norm.cdf(z) - stats.norm.cdf(z - q)) ** (k - 1)  # noqa: E731
    return k * integrate.quad(inner, -8, 8 + q)[0]


def test_the_critical_difference_is_nemenyis(rng):
    found = significance.friedman(rng.normal(0, 1, (10, 4)), list("abcd"))
    q = found.critical_difference / np.sqrt(4 * 5 / (6 * 10)) * np.sqrt(2)
    assert studentized_range(q, 4) == pytest.approx(0.95, abs=1e-6)
    assert found.critical_difference == pytest.approx(2.569 * np.sqrt(20 / 60), abs=1e-3)  # the tables' q_.05 for k = 4


def test_ranks_need_five_data_sets(rng):
    assert significance.friedman(rng.normal(0, 1, (4, 3)), list("abc")) is None
    assert significance.friedman(rng.normal(0, 1, (5, 3)), list("abc")) is not None


# ---- against the best mean --------------------------------------------------------------------------------------


def frame(values: dict[str, list]):
    rows = [
        {"series": s, "trial": t, "nmse": v, "n_test": 25, "n_train": 481}
        for s, column in values.items()
        for t, v in enumerate(column)
    ]
    return pd.DataFrame(rows)


def test_missing_trials_leave_the_shared_ones_and_say_how_many():
    rows = frame({"a": [1.0, 2.0, 3.0, None], "b": [2.0, None, 4.0, 5.0]})
    shared, left_out = paired(rows, "nmse")
    assert list(shared.index) == [0, 2]
    assert left_out == 2
    marks = against_best(rows, "nmse")
    assert {m.n for m in marks.values()} == {2}
    assert marks["a"].best and marks["a"].mean == 2.0  # over the shared trials 0 and 2


def test_a_method_with_one_trial_leaves_the_best_mean_where_it_is():
    """On the trial that it has, b leads; over all six a does."""
    rows = frame(
        {"a": [3.0, 1.0, 1.1, 1.2, 1.0, 1.1], "b": [2.0, 2.1, 2.0, 2.2, 2.0, 2.1], "fails": [1.5, *[None] * 5]}
    )
    marks = against_best(rows, "nmse")
    assert [s for s, m in marks.items() if m.best] == ["a"]
    assert (marks["a"].few, marks["fails"].few) == ("", "1 of 6 trials")
    assert said_of_trials("friedman3", marks) == [
        "friedman3: tests use the 1 of 6 trials that all methods share.",
        "friedman3: fails (1 of 6 trials); "
        "with fewer trials than others a method is called best only where the test finds it better.",
    ]


def test_a_method_that_lacks_a_trial_is_best_where_the_test_finds_it_better(rng):
    base = rng.normal(1, 0.3, 8)
    near = base + rng.normal(0.01, 0.1, 8)
    rows = frame({"a": base, "b": near, "far": [*(base - 0.8 + rng.normal(0, 0.01, 8))[:7], None]})
    marks = against_best(rows, "nmse")
    assert marks["far"].best and marks["far"].few == "7 of 8 trials"
    assert marks["a"].worse and marks["b"].worse


def test_the_best_of_the_complete_is_marked_where_no_trial_is_shared_by_all():
    rows = frame({"a": [1.0, 1.1], "b": [2.0, 2.2], "c": [0.5, None], "d": [None, 0.5]})
    marks = against_best(rows, "nmse", {"test": "wilcoxon-rank-sum"})
    assert [s for s, m in marks.items() if m.best] == ["a"]
    assert marks["c"].note == "no trial that all methods share: no test"


def test_only_the_significantly_worse_are_starred(rng):
    base = rng.normal(1, 0.3, 20)
    rows = frame({"best": base, "near": base + rng.normal(0.001, 0.2, 20), "far": base + 0.5 + rng.normal(0, 0.1, 20)})
    marks = against_best(rows, "nmse", {"test": "paired-t", "alpha": 0.05})
    winner = min(("best", "near"), key=lambda s: rows[rows["series"] == s]["nmse"].mean())
    assert [s for s, m in marks.items() if m.best] == [winner]
    assert [s for s, m in marks.items() if m.worse] == ["far"]
    assert marks["far"].p == pytest.approx(
        stats.ttest_rel(*(rows[rows["series"] == s]["nmse"] for s in ("far", winner))).pvalue, rel=1e-10
    )


def test_holm_can_take_a_star_away(rng):
    base = rng.normal(1, 0.3, 10)
    shift = rng.normal(0, 0.1, 10)
    shift = (shift - shift.mean()) / shift.std(ddof=1)
    values = {"best": base}
    for k in range(4):  # each alone has t = 2.5, p = .034
        values[f"m{k}"] = base + 2.5 / np.sqrt(10) + np.roll(shift, k)
    rows = frame(values)
    assert sum(m.worse for m in against_best(rows, "nmse", {"alpha": 0.05}).values()) == 4
    assert sum(m.worse for m in against_best(rows, "nmse", {"alpha": 0.05, "correction": "holm"}).values()) == 0


def test_a_series_alone_is_not_called_best():
    assert not against_best(frame({"a": [1.0, 2.0]}), "nmse")["a"].best


def test_a_test_that_cannot_reach_its_level_says_so_holm_included(rng):
    """Six pairs give a signed rank of .031 at best, and four rivals make .125 of it."""
    base = rng.normal(1, 0.3, 6)
    rows = frame({"best": base} | {f"m{k}": base + 1 + 0.1 * k + rng.uniform(0, 0.1, 6) for k in range(4)})
    marks = against_best(rows, "nmse", {"test": "wilcoxon-signed-rank", "alpha": 0.05, "correction": "holm"})
    assert not any(m.worse for m in marks.values())
    assert marks["m0"].note == (
        "6 pairs: p cannot fall below 0.125 after Holm's correction for 4 tests, so 0.05 is out of reach"
    )
    alone = against_best(rows, "nmse", {"test": "wilcoxon-signed-rank", "alpha": 0.05})
    assert alone["m0"].worse and alone["m0"].note == ""
    three = frame({"best": base[:3], "m": base[:3] + rng.uniform(1, 2, 3)})
    found = against_best(three, "nmse", {"test": "wilcoxon-rank-sum", "alpha": 0.01})
    assert found["m"].note == "3 pairs: p cannot fall below 0.1, so 0.01 is out of reach"

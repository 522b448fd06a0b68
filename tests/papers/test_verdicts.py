"""The strict verdict: by hand on committed cells, at its edges, on another method's numbers, over folds and columns."""

import json
from collections import Counter
from itertools import permutations
from math import nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gpbench.data.standins import kind_of, stands_for, twin_of
from gpbench.papers import printed_numbers
from gpbench.papers.verdicts import cells, method_order, rule
from gpbench.papers.verdicts.rule import Sample, judge
from tests.helpers.printed_folders import printed_number
from tests.oracles import verdicts as by_hand

TABLES = ("sundararajan", "keerthi")  # folds of the other paper are judged by repetitions


@pytest.fixture(scope="module")
def committed(repo):
    return json.loads((repo / "results" / "check.json").read_text())


def test_ten_committed_cells_of_each_kind_are_what_the_definition_says(repo, committed):
    """Ten of each verdict, or all there are, spread over the tables of both papers with printed spreads."""
    verdicts = {c["id"]: c for c in committed["cells"]}
    rows = [r for paper in TABLES for r in by_hand.printed_rows(repo / "gpbench" / "published", paper)]
    by_kind: dict[str, list] = {}
    for row, cell in zip(rows, (c for p in TABLES for c in printed_numbers.cells(p) if c.method)):
        by_kind.setdefault(verdicts[cell.id]["verdict"], []).append((row, cell))
    checked = Counter()
    for kind in ("replicated", "close", "inconclusive", "better", "worse", "different"):
        found = by_kind.get(kind, [])
        for row, cell in found[:: max(1, len(found) // 10)][:10]:
            ours = by_hand.our_values(repo / "results", row)
            assert ours, cell.id
            assert by_hand.verdict(row, ours) == kind, cell.id
            checked[kind] += 1
    assert checked["replicated"] == checked["close"] == 10
    assert checked.total() >= 30


# ---- the rule ---------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=200)
@given(
    value=st.floats(0.5, 90), std=st.floats(0, 20), runs=st.integers(2, 100), ours=st.floats(0.1, 150),
    s1=st.floats(0, 20), n=st.integers(1, 120), metric=st.sampled_from(["NMSE", "NPDL", "n_basis", "NLPD"]),
)  # fmt: skip
def test_the_rule_equals_the_definition(value, std, runs, ours, s1, n, metric):
    cell = printed_number(text=f"{value:.2f}", std_text=f"{std:.2f}", runs=float(runs), metric=metric, unit="1")
    row = {"value": cell.text, "std": cell.std_text, "runs": runs, "metric": metric, "unit_scale": "1"}
    z = np.resize([1.0, -1.0], n) if n % 2 == 0 else np.r_[np.resize([1.0, -1.0], n - 1), 0.0]
    z = z / z.std(ddof=1) if n > 1 else np.zeros(1)
    x = ours + s1 * z
    sample = Sample(float(x.mean()), float(x.std(ddof=1)) if n > 1 else nan, n)
    found = judge(cell, sample)
    edge = min(abs(abs(found.d) - w) / w for w in (found.margin, found.t * found.se))
    if edge > 1e-6:  # on the edge rounding decides
        assert found.verdict == by_hand.verdict(row, list(x))


@pytest.mark.parametrize(
    ("changes", "ours", "verdict"),
    [
        ({"text": "42.0", "std_text": "1.0"}, Sample(42.1, 1.0, 20), "replicated"),
        ({"text": "42.0", "std_text": "1.0"}, Sample(44.0, 1.0, 20), "close"),  # real, but within 10 %
        ({"text": "42.0", "std_text": "1.0"}, Sample(50.0, 1.0, 20), "worse"),
        ({"text": "42.0", "std_text": "1.0"}, Sample(30.0, 1.0, 20), "better"),
        ({"text": "42.0", "std_text": "1.0", "metric": "n_basis"}, Sample(30.0, 1.0, 20), "different"),
        ({"text": "42.0", "std_text": "30.0"}, Sample(43.0, 30.0, 3), "inconclusive"),
        ({"text": "42.0", "std_text": "30.0"}, Sample(43.0, 30.0, 20), "replicated"),  # as long as the paper's
        ({"text": "42.0", "std_text": "30.0"}, Sample(48.0, 30.0, 20), "inconclusive"),  # the print is too noisy
        ({"text": "42.0"}, Sample(42.0, 0.1, 20), "close"),  # no printed spread: never replicated
        ({"text": "42.0"}, Sample(48.0, 5.0, 20), "inconclusive"),
        ({"text": "42.0"}, Sample(48.0, nan, 1), "worse"),
        ({"text": "42.0", "metric": "single EP run time"}, Sample(0.1, nan, 1), "not comparable"),
    ],
)
def test_the_verdicts_one_by_one(changes, ours, verdict):
    assert judge(printed_number(**changes), ours).verdict == verdict


@pytest.mark.parametrize(
    ("changes", "margin"),
    [
        ({"metric": "NMSE", "text": "42.0"}, 4.2),
        ({"metric": "NPDL", "text": "2.64", "unit": "1"}, 0.05),
        ({"metric": "NPDL", "text": "94.69", "unit": "x1e-2"}, 5.0),  # the same 0.05 nat
        ({"metric": "NLPD", "text": "-0.88", "unit": "1"}, 0.25),  # latent
        ({"metric": "negative log likelihood", "text": "11.34", "n_train": 20.0}, 1.0),  # 0.05 nat a point
        ({"metric": "err", "text": ".01", "unit": "1"}, 0.005),  # half the last digit
    ],
)
def test_margins_were_fixed_before_looking(changes, margin):
    assert rule.margin(printed_number(**changes)) == pytest.approx(margin)


def test_one_run_takes_its_spread_from_the_print():
    cell = printed_number(std_text="2.0")
    se, t = rule.standard_error(cell, nan, 1)
    assert se == pytest.approx(np.sqrt(4 / 20 + 4 + 0.1**2 / 12))
    assert t == pytest.approx(stats.t.ppf(0.975, se**4 / ((4 / 20) ** 2 / 19)))


def test_no_spread_at_all_leaves_the_last_digit():
    se, t = rule.standard_error(printed_number(std_text="0.0"), 0.0, 5)
    assert (se, t) == (pytest.approx(0.1 / np.sqrt(12)), 1.96)


def test_the_runs_said_to_be_needed_decide_and_one_fewer_does_not():
    cell = printed_number(text="42.0", std_text="8.0", runs=200.0)
    ours = Sample(42.5, 8.0, 5)
    found = judge(cell, ours)
    assert found.verdict == "inconclusive" and 5 < found.needed < 200
    assert judge(cell, Sample(42.5, 8.0, found.needed)).verdict == "replicated"
    assert judge(cell, Sample(42.5, 8.0, found.needed - 1)).verdict == "inconclusive"


def test_another_methods_numbers_are_told_apart():
    """Means of [sundararajan] that differ by more than 3 SE and 10 % are never taken for each other."""
    columns: dict[tuple, list] = {}
    for c in printed_numbers.cells("sundararajan"):
        if c.std_text and c.metric in ("NMSE", "n_basis"):
            columns.setdefault((c.item, c.dataset, c.variant, c.metric), []).append(c)
    apart = 0
    for column in columns.values():
        for a, b in permutations(column, 2):
            se = np.sqrt(a.std**2 / a.runs + b.std**2 / b.runs + (2 * a.half_digit) ** 2 / 12)
            if abs(a.value - b.value) > max(3 * se, 0.1 * abs(a.value)):
                verdict = judge(a, Sample(b.value, b.std, int(b.runs))).verdict
                assert verdict in ("better", "worse", "different"), (a.id, b.id)
                apart += 1
    assert apart > 100


# ---- folds, spent trials, stand-ins -----------------------------------------------------------------------------


def test_folds_count_once_per_complete_repetition():
    values = pd.Series(np.arange(25.0))
    found = cells.repetitions(values, pd.Series(np.arange(25)), 10)
    assert found.tolist() == [4.5, 14.5]  # the third repetition has five of ten folds
    assert cells.repetitions(values[:4], pd.Series(np.arange(4)), 10).tolist() == [1.5]


def test_one_cross_validation_says_nothing_beyond_the_margin():
    cell = printed_number(metric="err", text=".04", std_text="", unit="1", runs=10.0)
    found = rule.unrepeated(cell, Sample(0.09, nan, 1), 10)
    assert (found.verdict, found.needed) == ("inconclusive", 3)
    assert rule.unrepeated(cell, Sample(0.041, nan, 1), 10).verdict == "close"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("synth2", ("synth2", "own recipe")),
        ("synth8", ("synth8", "own recipe")),
        ("snelson-noise", ("snelson-noise", "own recipe")),
        ("sarcos", ("sarcos", "subset")),
        ("thrombin", ("bindingdb", "own recipe")),
        ("hog-sim", ("hog", "simulated")),
        ("kin40k-sim", ("kin40k", "simulated")),
        ("pumadyn32nm-sim", ("pumadyn32nm", "simulated")),
        ("kin40k", ("kin40k", "same rows")),
        ("a-users-own-file", ("a-users-own-file", "same rows")),
    ],
)
def test_data_that_is_not_the_papers_own_says_so_at_its_source(name, found):
    assert stands_for(name) == found
    assert kind_of(name) == ("" if found[1] == "same rows" else found[1])
    assert twin_of(name) == ("" if found[0] == name else found[0])


# ---- columns ----------------------------------------------------------------------------------------------------


def test_kendall_equals_scipy_and_its_p_the_count_of_all_orders(rng):
    x, y = rng.normal(size=5), rng.normal(size=5)
    tau, p = method_order.kendall(x, y)
    assert tau == pytest.approx(stats.kendalltau(x, y).statistic)
    every = [stats.kendalltau(x, y[list(o)]).statistic for o in permutations(range(5))]
    assert p == pytest.approx(np.mean(np.array(every) >= tau - 1e-12))


def test_kendall_handles_ties_and_says_nothing_of_a_constant():
    tau, _ = method_order.kendall([1, 1, 2, 3], [1, 2, 3, 4])
    assert tau == pytest.approx(stats.kendalltau([1, 1, 2, 3], [1, 2, 3, 4]).statistic)
    assert np.isnan(method_order.kendall([1, 1, 1], [1, 2, 3])[0])


def test_the_committed_orders_are_those_of_the_committed_cells(committed):
    column = [
        c for c in committed["cells"]
        if (c["item"], c["dataset"], c["variant"], c["quantity"], c["paper"])
        == ("Table 2", "Boston housing", "fixed hyperparameters, no cache", "NMSE", "sundararajan")
    ]  # fmt: skip
    assert len(column) == 5
    expected = stats.kendalltau([float(c["printed"]) for c in column], [c["ours"] for c in column]).statistic
    found = next(
        o for o in committed["orders"]
        if (o["item"], o["dataset"], o["variant"], o["quantity"])
        == ("Table 2", "Boston housing", "fixed hyperparameters, no cache", "NMSE")
    )  # fmt: skip
    assert found["tau"] == pytest.approx(expected, abs=1e-3)


def test_the_histogram_counts_every_comparable_cell_once(committed):
    for paper, h in committed["histograms"].items():
        mine = [
            c for c in committed["cells"]
            if c["paper"] == paper and c["se"] and not c["label"] and c["verdict"] != "not comparable"
        ]  # fmt: skip
        assert sum(h["counts"]) == len(mine) == pytest.approx(sum(h["expected"]), abs=0.1)

"""Means are compared on the repetitions that the compared methods share, and on enough of them."""

import numpy as np
import pandas as pd
import pytest

from gpbench.papers import claims, printed_numbers
from gpbench.papers.claims.evidence import Evidence
from gpbench.papers.claims.findings import Missing
from gpbench.papers.claims.snelson import STARTS

SOURCES = {"keerthi": (("keerthi", "Table 1"),), "snelson": (("snelson", "Figure 3"),)}


def rows_of(paper, dataset, label, method, trials, metric, values, **more):
    base = {
        "dataset": dataset, "label": label, "method": method, "sources": SOURCES[paper], "n_train": 4500.0,
        "d_max": 500.0, "folder": "here",
    } | more  # fmt: skip
    return [base | {"trial_id": f"{label}-{base['d_max']}-{t}", "trial": t, metric: v} for t, v in zip(trials, values)]


def three_methods(n_adapt, n_fixed=20, on=("bank8fm", "bank32nh", "cpusmall", "cpuact")):
    """FIXED-SB is ten per cent worse, but only in repetitions that the others lack."""
    rows = []
    for d in on:
        fixed = np.where(np.arange(n_fixed) < n_adapt, 1.0, 1.5)
        rows += rows_of("keerthi", d, "FIXED-SB", "sb", range(n_fixed), "nmse", fixed, adapted=False)
        rows += rows_of("keerthi", d, "ADAPT-INFO", "info", range(n_adapt), "nmse", np.ones(n_adapt), adapted=True)
        rows += rows_of("keerthi", d, "ADAPT-DMAX", "dmax", range(n_adapt), "nmse", np.ones(n_adapt), adapted=True)
    return Evidence(pd.DataFrame(rows), pd.DataFrame(), "keerthi")


def claim(id):
    return next(c for c in printed_numbers.claims() if c.id == id)


def test_means_leave_out_the_repetitions_that_one_method_lacks():
    found = claims.evaluate(claim("K13a"), three_methods(n_adapt=10))
    assert found.holds is True, found.numbers
    means = three_methods(10).shared_means("nmse", "bank8fm", ("FIXED-SB", "ADAPT-INFO"), item="Table", d_max=500)
    assert means == {"FIXED-SB": 1.0, "ADAPT-INFO": 1.0}


def test_nine_shared_repetitions_are_too_few_where_the_paper_has_twenty():
    found = claims.evaluate(claim("K13a"), three_methods(n_adapt=9))
    assert found.holds is None
    assert "needs 10 repetitions that FIXED-SB, ADAPT-INFO, ADAPT-DMAX share on bank8fm (there are 9)" in found.numbers


def test_a_paper_with_fewer_runs_than_ten_asks_for_as_many_as_it_has():
    assert printed_numbers.printed_runs("sundararajan", "bank8fm", "Figure") == 5
    assert printed_numbers.printed_runs("sundararajan", "bank8fm", "Table") == 20
    assert printed_numbers.printed_runs("sundararajan", "boston") == 100
    assert printed_numbers.printed_runs("snelson", "pumadyn32nm") == 0  # it does not say
    e = Evidence(pd.DataFrame({"dataset": []}), pd.DataFrame(), "sundararajan")
    e.enough(5, "bank8fm", "Figure", "all share")
    for n, item in ((4, "Figure"), (9, "Table")):
        with pytest.raises(Missing, match=f"there are {n}"):
            e.enough(n, "bank8fm", item, "all share")
    with pytest.raises(Missing):
        e.enough(0, "friedman3", "section 9")  # none at all is never enough


def test_curves_average_at_each_size_over_the_repetitions_that_all_have_there():
    rows = []
    for d_max, mine, theirs in ((100.0, (0, 1, 2), (0, 1)), (200.0, (0, 1), (0, 1, 2)), (300.0, (0,), (0,))):
        for label, trials in (("random", mine), ("info-gain", theirs)):
            rows += rows_of("snelson", "kin40k", label, "m", trials, "nmse", [float(t) for t in trials], d_max=d_max)
    e = Evidence(pd.DataFrame(rows), pd.DataFrame(), "snelson")
    a, b = e.shared_curves("nmse", "kin40k", ("random", "info-gain"))
    assert a.to_dict() == b.to_dict() == {100.0: 0.5, 200.0: 0.5, 300.0: 0.0}
    with pytest.raises(Missing, match="4 or more sizes"):
        e.shared_curves("nmse", "kin40k", ("random", "info-gain"), points=4)


def starts(evaluations, restarts, evidence):
    rows = []
    for label, n, k, value in zip(STARTS, evaluations, restarts, evidence):
        settings = {"evaluations": n, "restarts": k, "d_max": 25.0}
        rows += rows_of("snelson", "pumadyn32nm", label, "fitc", range(5), "log_evidence", [value] * 5, **settings)
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("evaluations", "restarts", "holds"),
    [((300, 500), (1, 1), None), ((500, 500), (1, 5), None), ((300, 300), (1, 1), None), ((500, 500), (1, 1), True)],
)
def test_likelihoods_are_compared_only_at_equal_evaluations_and_starts(evaluations, restarts, holds):
    e = Evidence(starts(evaluations, restarts, (2.0, 1.0)), pd.DataFrame(), "snelson")
    found = claims.evaluate(claim("N12"), e)
    assert found.holds is holds
    assert (holds is not None) or "evaluations x starts: SPGP-init" in found.numbers


def test_the_runs_at_equal_evaluations_decide_where_they_were_made():
    open_ = starts((500, 500), (1, 1), (2.0, 1.0)).assign(sources=[()] * 10)
    e = Evidence(starts((300, 500), (1, 1), (1.0, 2.0)), pd.DataFrame(), open=open_)
    assert claims.evaluate(claim("N12"), e.of("snelson")).holds is True

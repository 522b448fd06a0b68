"""Claims as code: one function each, three-valued truth, and the papers tried on their own printed numbers."""

import ast
import inspect
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench.analysis.results_table import load
from gpbench.papers import claims, printed_numbers
from gpbench.papers.check import check, gather
from gpbench.papers.claims import cao, keerthi, snelson, sundararajan, vanhatalo
from gpbench.papers.claims.evidence import Evidence, slope
from gpbench.papers.claims.findings import Missing, at_most, between, each, every, less, within
from gpbench.papers.claims.judging import CLAIM_VERDICTS
from tests.helpers import printed_folders
from tests.helpers.paths import FILES

MODULES = {m.__name__.rpartition(".")[2]: m for m in (cao, keerthi, snelson, sundararajan, vanhatalo)}
PREFIX = {"cao": "C", "keerthi": "K", "snelson": "N", "sundararajan": "S", "vanhatalo": "V"}


def test_every_claim_has_its_function_and_every_function_its_claim():
    for paper, module in MODULES.items():
        tree = ast.parse(Path(module.__file__).read_text())
        defined = [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name[0] == PREFIX[paper]]
        assert defined == [c.id for c in printed_numbers.claims() if c.paper == paper]


def test_every_claim_says_in_its_docstring_what_it_claims():
    for claim in printed_numbers.claims():
        text = inspect.getdoc(claims.function(claim))
        ours, theirs = (set(t.lower().replace(",", " ").replace(".", " ").split()) for t in (text, claim.text))
        assert len(ours & theirs) >= 0.4 * len(theirs), claim.id


def test_nothing_is_decided_without_rows():
    empty = gather([load(FILES / "results-small")])
    evidence = type(empty)(empty.rows.iloc[:0], empty.curves.iloc[:0])
    for claim in printed_numbers.claims():
        assert claims.evaluate(claim, evidence.of(claim.paper)).holds is None, claim.id


# ---- three-valued truth -----------------------------------------------------------------------------------------

truths = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=8)


@settings(deadline=None)
@given(truths, st.integers(0, 8), st.integers(0, 8))
def test_a_count_is_decided_exactly_when_the_open_parts_cannot_change_it(parts, low, extra):
    high = low + extra
    named = {str(i): (ok, "") for i, ok in enumerate(parts)}
    open_ = parts.count(None)
    outcomes = {low <= parts.count(True) + k <= high for k in range(open_ + 1)}  # every way the open ones may fall
    expected = outcomes.pop() if len(outcomes) == 1 else None
    assert between(named, low, high).holds is expected


@settings(deadline=None)
@given(truths)
def test_every_is_a_count_of_all(parts):
    named = {str(i): (ok, "") for i, ok in enumerate(parts)}
    expected = False if False in parts else None if None in parts else True
    assert every(named).holds is expected


def test_a_part_without_rows_is_open():
    def judge(name):
        if name == "b":
            raise Missing("b")
        return True, "yes"

    assert each(["a", "b"], judge) == {"a": (True, "yes"), "b": (None, "needs b")}


def test_comparisons_allow_for_rounding_but_not_more():
    assert at_most(2.64 - 2.59, 0.05)[0]
    assert not at_most(0.0501, 0.05)[0]
    assert within(0.1 + 0.2, 0.3, 0.3)[0]
    assert not less(1.0, 1.0)[0]


def test_folders_that_share_a_trial_are_read_once():
    row = {"trial_id": "a", "dataset": "clusters5d", "label": "k_pp3", "method": "ep-sparse", "n_train": 500.0}
    rows = pd.DataFrame([row | {"sources": (("vanhatalo", item),)} for item in ("Table 1", "Figure 3")])
    curves = pd.DataFrame([("a", 1.0, "fill_L", 0.5)] * 2, columns=["trial_id", "step", "key", "value"])
    found = Evidence(rows, curves, "vanhatalo").final_by("n_train", "fill_L", "clusters5d", "k_pp3", "Table 1")
    assert found.to_dict() == {500.0: 0.5}


def test_a_shared_trial_has_one_vote_in_a_mean():
    row = {"trial_id": "a", "dataset": "clusters5d", "label": "k_pp3", "method": "ep-sparse", "n_train": 500.0}
    rows = [row | {"sources": (("vanhatalo", item),), "err": 0.1} for item in ("Table 1", "Figure 3")]
    rows.append(rows[1] | {"trial_id": "b", "err": 0.4})
    e = Evidence(pd.DataFrame(rows), pd.DataFrame(), "vanhatalo")
    assert e.by("n_train", "err", "clusters5d", "k_pp3").to_dict() == {500.0: 0.25}
    assert e.mean("err", "clusters5d", "k_pp3") == 0.25


def test_slope_recovers_an_exponent():
    n = np.array([100.0, 200, 400, 800])
    assert slope(pd.Series(3e-7 * n**2.7, index=n)) == pytest.approx(2.7)


# ---- the papers on themselves -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """The check when the results are the printed numbers."""
    return check(printed_folders.write_all(tmp_path_factory.mktemp("printed")))


@pytest.fixture
def on_paper(printed):
    return {c.id: c for c in printed.claims}


def test_a_printed_table_fed_back_is_replicated_and_close_where_no_spread_is_printed(printed):
    by_id = {v.id: v for v in printed.cells}
    for c in printed_numbers.cells():
        if not c.method:
            continue
        expected = "replicated" if c.std_text else "not comparable" if "time" in c.metric else "close"
        expected = "no data" if c.key == "outaouais" else expected
        assert by_id[c.id].verdict == expected, by_id[c.id].line()


def test_a_reduced_run_leaves_claims_undecided(tmp_path):
    """But for those that rest on one run in the paper, too."""
    reduced = check(printed_folders.write_all(tmp_path, runs=2))
    single = {c.id for c in printed_numbers.claims() if c.least_trials == 1}
    decided = [c.line() for c in reduced.claims if c.id not in single and c.verdict not in ("undecided", "not run")]
    assert decided == []
    assert sum(c.verdict == "undecided" for c in reduced.claims) > 15


@pytest.mark.parametrize(
    "claim",
    ["S03b", "S10", "S11", "S12", "S13", "S14", "S15", "S16", "S18", "S20", "S21", "S22", "V11", "V13", "V14",
     "V17", "V18", "V20", "K13a", "K13b", "K13c"],
)  # fmt: skip
def test_statements_about_tables_hold_on_the_printed_tables(on_paper, claim):
    assert on_paper[claim].verdict == "holds", on_paper[claim].numbers


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("V12", "clusters5d"),  # fill-L falls from 83 to 72
    ],
)
def test_statements_that_the_printed_tables_contradict_fail(on_paper, claim, why):
    assert on_paper[claim].verdict == "fails"
    assert why in on_paper[claim].numbers


def test_the_cache_claim_failed_by_its_earlier_check_and_holds_by_the_revised_one(on_paper):
    """Two rises are printed where the text has one exception; neither is significant."""
    s17 = on_paper["S17"]
    assert (s17.verdict, s17.earlier_verdict, s17.revised) == ("holds", "fails", True)
    assert "earlier check: fails" in s17.line() and s17.text in s17.line()


def test_every_claim_line_has_its_sentence_and_its_trials(printed):
    for claim in printed.claims:
        assert claim.text in claim.line()
        assert claim.runs in claim.line()


def test_claims_true_by_construction_say_so():
    assert [c.id for c in printed_numbers.claims() if c.by_construction] == ["S02", "V01", "C02", "C24", "N04"]


def test_every_revised_check_keeps_the_earlier_one_in_words_with_its_verdict_and_commit():
    rows = printed_numbers.read("claims")
    revised = rows[rows["earlier_check"] != ""]
    assert len(revised) == 60
    assert set(revised["earlier_verdict"]) <= set(CLAIM_VERDICTS)
    assert revised["at_commit"].str.fullmatch("[0-9a-f]{7}").all() and (revised["why_revised"] != "").all()
    assert not rows.loc[rows["earlier_check"] == "", ["earlier_verdict", "at_commit"]].any(axis=None)


def test_statements_about_figures_are_not_decided_on_tables(on_paper):
    figures = {c.id for c in printed_numbers.claims() if c.where.startswith("Fig") and ";" not in c.where}
    decided = {i for i in figures if on_paper[i].verdict not in ("undecided", "not run")}
    assert decided <= {"S07", "C15"}  # C15's two numbers are printed in the text


def test_the_two_likelihoods_of_fitc_hold_on_print(on_paper):
    assert on_paper["C15"].verdict == "holds"
    assert on_paper["K14"].verdict == "not run"

"""What a candidate is expected to take on more rows, from what it took on fewer."""

import pytest

from gpbench.estimators.advise.candidates import Candidate, candidates
from gpbench.estimators.advise.cost import operations, work
from gpbench.estimators.advise.halving import Search
from gpbench.experiment.results.summary import Summary
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.methods.auto import EXACT
from tests.helpers.driver import trial

AUTO, FITC, INFO = Candidate("auto", 0, {}), Candidate("fitc", 500, {}), Candidate("info", 200, {})


def took(fit: float, predict: float = 0.0, learn: float = 0.0) -> TrialResult:
    return TrialResult(trial(), "ok", seconds={"fit": fit, "predict": predict, "learn": learn})


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_auto_is_tried_first_and_chooses_its_size(task):
    first = candidates(task, 3000)[0]
    assert first == AUTO and first.entry() == {"method": "auto", "label": "auto"}


def test_an_exact_model_is_known_to_be_cubic_before_a_second_number_of_rows_tells():
    seconds, _ = work(AUTO, 12_000, {(AUTO, 400, 0): took(0.05)})
    assert seconds > 60  # in proportion to the rows it would be 1.5
    cheap, _ = work(FITC, 12_000, {(FITC, 400, 0): took(0.05)})
    assert cheap < 0.1 * seconds


def test_two_numbers_of_rows_tell_what_is_cubic_of_a_time():
    a, b = 2e-5, 3e-10  # seconds for each row, and for each of the n^3 operations

    def true(n):
        return took(a * n + b * n**3)

    found, _ = work(AUTO, 12_000, {(AUTO, 2000, 0): true(2000), (AUTO, 4000, 0): true(4000)})
    assert found == pytest.approx(a * 12_000 + b * 12_000**3, rel=1e-6)


def test_a_linear_method_takes_longer_in_proportion_to_its_rows_and_to_the_square_of_its_size():
    seen = {(Candidate("info", 100, {}), 1000, 0): took(1.0, 1.0)}
    assert work(INFO, 4000, seen)[0] == pytest.approx(2.0 * 4 * 4)
    assert work(INFO, 500, {(INFO, 1000, 0): took(1.0, 1.0)})[0] == 2.0  # fewer rows are no reason to expect less


def test_beyond_the_rows_of_an_exact_model_auto_counts_what_it_compares():
    assert operations(AUTO, EXACT + 1) < operations(AUTO, EXACT)
    assert operations(AUTO, 45_000) > 10 * operations(FITC, 45_000)


def test_one_candidate_of_several_does_not_take_all_of_the_time(tmp_path, monkeypatch):
    given = []

    def stand_in(name, text, trials, folder, options, planned):
        given.append((options.seconds, options.timeout))
        return Summary()

    monkeypatch.setattr("gpbench.estimators.advise.halving.run", stand_in)
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{i * 0.37 % 1},{i}\n" for i in range(1000)))
    source = {"csv": str(tmp_path / "t.csv"), "target": "y", "task": "regression"}
    every = candidates("regression", 80, methods=("auto", "sod"))
    search = Search(source, "regression", 1000, "nmse", 60.0, tmp_path / "out", every)
    for live, rows in ((every, 700), (every[:1], 700), (every, 80)):  # the first rung is not shortened
        search.rung(live, rows, 0)
    assert [each / limit for limit, each in given] == pytest.approx([0.6, 1.0, 1.0])


def test_hyperparameters_that_were_not_ready_in_time_are_no_failure(tmp_path):
    search = Search({"csv": "a.csv"}, "regression", 900, "nmse", 20.0, tmp_path, [AUTO])
    reason = "full-GP hyperparameters: timeout: over the time limit of 9 s"
    search.results[AUTO, 400, 0] = TrialResult(trial(), "failed", reason)
    assert search.failure() == "" and "the budget of 20 s is too small" in search.nothing()
    search.results[FITC, 400, 0] = TrialResult(trial(), "failed", "out of memory")
    assert search.failure() == "out of memory"

"""The page of a folder with classes: a reliability diagram for each data set, a confusion matrix of the best method."""

import pytest

from gpbench.analysis.results_table import load
from gpbench.report.page import page
from gpbench.report.page.charts import class_charts
from gpbench.report.page.trial_data import TrialBook
from tests.helpers.driver import run_here, trial

LEARNED = {"schedule": "joint", "evaluations": 3, "optimiser": "lbfgs", "restarts": 1}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    pytest.importorskip("sklearn")  # whose package data hold the set
    folder = tmp_path_factory.mktemp("classes")
    common = {"dataset": {"name": "iris"}, "hyperparameters": LEARNED, "split": {"kind": "folds", "k": 3}}
    run_here(folder, [trial(m, index=i, d_max=None, **common) for m in ("dirichlet", "one-vs-rest") for i in range(2)])
    return load(folder)


def test_lines_and_counts_are_sums_over_trials(results):
    book = TrialBook.of(results)
    (chart,) = class_charts.reliability(book)
    assert [line.label for line in chart.lines] == ["dirichlet", "one-vs-rest", "as sure as right"]
    assert all(0 <= v <= 1 for line in chart.lines for v in (*line.x, *line.y))
    (table,) = class_charts.confusions(book)
    assert table.columns == ["class", "setosa", "versicolor", "virginica"]
    assert sum(float(cell.text) for _, cells in table.rows for cell in cells) == 100  # two folds of 50 rows


def test_the_page_has_both(results):
    text = page(results)
    assert "Confusion matrix of" in text and "reliability. Rows of all trials in 15 bins" in text

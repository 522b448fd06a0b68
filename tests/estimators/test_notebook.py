"""What a notebook shows of estimators, results and comparisons."""

import numpy as np

from gpbench import SparseGPRegressor
from gpbench.analysis.compare import compare
from gpbench.analysis.results_table import load
from gpbench.analysis.table import Table, TableCell
from tests.helpers.made_folders import folder_of

FIXED = {"schedule": "fixed", "values": {"variance": 1.0, "lengthscale": 1.0, "noise": 0.1}}


def shown(thing) -> str:
    return thing._repr_mimebundle_()["text/html"] if hasattr(thing, "_repr_mimebundle_") else thing._repr_html_()


def test_an_estimator_shows_its_fit_and_its_scores_once_they_are_known(rng):
    X = rng.uniform(0, 5, (60, 1))
    model = SparseGPRegressor("fitc", 10, learn=FIXED, random_state=0)
    assert "Fitted model" not in shown(model) and "SparseGPRegressor" in shown(model)
    model.fit(X, np.sin(X[:, 0]))
    assert "Fitted model" in shown(model) and "lengthscale" in shown(model) and "RMSE" not in shown(model)
    lines = model.quality().lines()
    assert lines[0].split()[2] in shown(model) and "ridge regression" in shown(model)
    assert shown(model.quality()).count("<tr>") == 4


def test_texts_are_escaped_and_sections_span():
    table = Table(
        "t", "<b>title</b>", ["a", "b"], [("part", None), ("x<y", [TableCell("1", worse=True, verdict="close")])]
    )
    text = shown(table)
    assert "<b>title" not in text and "x&lt;y" in text and "1* close" in text and 'colspan="2"' in text


def test_results_and_comparisons(tmp_path):
    first, second = folder_of(tmp_path / "a"), folder_of(tmp_path / "b")
    results = load(first)
    text = shown(results)
    assert f"{results.done} of {results.planned} trials are done" in text and "±" in text
    mean = results.ok.groupby(["dataset", "label", "d_max"], sort=False)["nmse"].mean().iloc[0]
    assert f"{mean:.4g}" in text
    assert "difference" in shown(compare(first, second))

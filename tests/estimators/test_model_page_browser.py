"""The page of a model in a real Chromium: complete, self-contained, by keyboard, in the dark and on a phone."""

import numpy as np
import pytest

from gpbench import SparseGPClassifier, SparseGPRegressor, load
from gpbench.errors import BadInput
from tests.helpers.chromium import Visit, browser  # noqa: F401

pytestmark = pytest.mark.timeout(180)
pd = pytest.importorskip("pandas")

NASTY = '<script>alert("x")</script> & "quoted"'
FEW = {"schedule": "fixed", "from": "full-gp", "subset": 150}
SHORT = {"schedule": "joint", "evaluations": 5}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 220
    frame = pd.DataFrame(rng.uniform(0, 5, (n, 7)), columns=[NASTY, "b", "c", "d", "e", "f", "g"])
    frame["city"] = rng.choice(["Berlin", "Paris", "Rome"], n)
    frame["when"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    y = 10 * np.sin(frame[NASTY]) + 3 * (frame["city"] == "Paris") + rng.normal(size=n)
    return frame, y.to_numpy()


@pytest.fixture(scope="module")
def regression(table, tmp_path_factory):
    file = tmp_path_factory.mktemp("model") / "model.html"
    SparseGPRegressor("fitc", 60, learn=FEW, random_state=0).fit(*table).report(file)
    return file


@pytest.fixture(scope="module")
def classes(table, tmp_path_factory):
    X, y = table
    file = tmp_path_factory.mktemp("classes") / "classes.html"
    named = np.where(y > 5, "high", np.where(y < 0, NASTY, "middle"))
    SparseGPClassifier("dirichlet", learn=SHORT, random_state=0).fit(X, named).report(file)
    return file


@pytest.fixture(params=["regression", "classes"])
def any_page(request, regression, classes):
    return {"regression": regression, "classes": classes}[request.param]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_no_request_no_complaint_no_violation_and_nothing_sideways(browser, any_page, scheme, width):  # noqa: F811
    with Visit(browser, any_page, color_scheme=scheme, viewport={"width": width, "height": 800}) as view:
        assert view.page.locator("h1").is_visible()
        assert view.left == [] and view.complaints == [] and view.sideways == 0
        assert view.violations() == []
    assert any_page.stat().st_size < 500_000


def test_every_part_is_there(browser, regression):  # noqa: F811
    with Visit(browser, regression) as view:
        sections = view.page.locator("main > section h2").all_inner_texts()
        for name in ("How good is it?", "Which columns matter?", "What next?", "Predictions and residuals", "Effects"):
            assert name in sections
        assert view.page.locator("figure.chart").count() == 4 + 6
        rows = view.page.locator("#scores tbody tr").all_inner_texts()
        assert [row.split("\t")[0] for row in rows] == ["fitc", "mean of the target", "ridge regression"]
        columns = view.page.locator("#columns-table tbody th").all_inner_texts()
        assert columns[0] == NASTY and "city" in columns and "when" in columns
        assert view.page.locator("script", has_text="alert").count() == 0


def test_points_tell_by_keyboard(browser, regression):  # noqa: F811
    with Visit(browser, regression) as view:
        point = view.page.locator("#calibration circle").first
        point.focus()
        assert "% intervals hold" in view.page.locator(".tip").inner_text()
        view.page.keyboard.press("ArrowRight")
        assert view.page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("15% intervals")
        view.page.locator("#scores th button.sort").nth(1).press("Enter")
        first = view.page.locator("#scores tbody th").first.inner_text()
        assert first == "fitc"


def test_a_chart_can_be_taken_along(browser, regression):  # noqa: F811
    with Visit(browser, regression) as view, view.page.expect_download() as download:
        view.page.locator("#predicted button.take").click()
    assert download.value.suggested_filename == "predicted.svg"


def test_rows_of_the_classes(browser, classes):  # noqa: F811
    with Visit(browser, classes) as view:
        assert view.page.locator("#scores tbody th").all_inner_texts() == ["dirichlet", "shares of the classes"]
        assert view.page.locator("#classes [role=group] rect.column").count() == 3


def test_a_loaded_model_reports_on_given_rows(table, tmp_path):
    X, y = table
    model = SparseGPRegressor("fitc", 60, learn=FEW, random_state=0).fit(X[:150], y[:150])
    model.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    with pytest.raises(BadInput, match="report takes rows as X and y"):
        again.report(tmp_path / "no.html")
    again.report(tmp_path / "page.html", X[150:], y[150:])
    text = (tmp_path / "page.html").read_text()
    assert "70 rows that the fit did not see" in text
    error = np.sqrt(np.mean((again.predict(X[150:]) - y[150:]) ** 2))
    assert f"{error:.4g}" in text

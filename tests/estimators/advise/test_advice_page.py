"""The page of advice in a real Chromium."""

from types import SimpleNamespace

import pytest

from gpbench.estimators.advise.candidates import Candidate
from gpbench.estimators.advise.choose import recommend
from gpbench.estimators.advise.halving import Search
from gpbench.estimators.advise.recommendation_text import cost
from gpbench.estimators.pages import advice_page
from tests.helpers.chromium import Visit, browser  # noqa: F401

NASTY = "<b>price & 'more'</b>"


@pytest.fixture
def written(tmp_path):
    few, many, other = Candidate("fitc", 100, {}), Candidate("fitc", 200, {}), Candidate("vecchia", 20, {})
    errors = {few: [0.2, 0.22], many: [0.1, 0.12], other: [0.3, 0.31]}

    def result(c, error):
        seconds = {"fit": c.size / 50, "predict": 0.1}
        return SimpleNamespace(metrics={"nmse": error, "nlpd": 1.0}, seconds=seconds, peak_mb=150.0)

    found = {c: [result(c, error) for error in values] for c, values in errors.items()}
    search = Search({"csv": "a b.csv", "target": NASTY}, "regression", 5000, "nmse", 60.0, tmp_path, [few, many, other])
    search.dropped = {Candidate("sod", 500, {}): "no time for it on all rows"}
    verdict = recommend(errors, {c: cost(rs) for c, rs in found.items()}, "nmse")
    file = tmp_path / "advice.html"
    file.write_text(advice_page.html(search, found, verdict, 1000, "a b.csv"), encoding="utf-8")
    return file


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_first_screen_answers_and_nothing_breaks(browser, written, scheme, width):  # noqa: F811
    with Visit(browser, written, color_scheme=scheme, viewport={"width": width, "height": 800}) as view:
        assert view.left == [] and view.complaints == [] and view.sideways == 0
        assert view.violations() == []
        answer = view.page.locator("#answer").inner_text()
        assert "fitc 200: it has the lowest nmse" in answer
        assert "It rests on 1,000 of 4,000 training rows, 1,000 test rows, and 2 splits." in answer
        assert "gpbench fit 'a b.csv' --target '<b>price" in answer and "first guess" in answer


def test_candidates_and_what_was_left_out(browser, written):  # noqa: F811
    with Visit(browser, written) as view:
        rows = view.page.locator("#candidates tbody th").all_inner_texts()
        assert rows == ["fitc 200", "fitc 100", "vecchia 20"]
        assert view.page.locator("#candidates thead th").count() == view.page.locator("#candidates tr").nth(1).locator(
            "th, td").count()  # fmt: skip
        assert "sod 500: no time for it on all rows" in view.page.locator("#left-out").inner_text()
        view.page.locator("#sizes [data-tip]").first.focus()
        assert view.page.locator(".tip").inner_text().startswith("fitc 100: 0.21")

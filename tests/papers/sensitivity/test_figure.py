"""Figures and listing of the open choices, on the committed runs of [cao]'s text."""

import pandas as pd
import pytest

from gpbench.papers.check import check
from gpbench.papers.sensitivity import figure, listing
from tests.helpers.driver import gpbench
from tests.helpers.paths import REPO

FOLDER = REPO / "results" / "cao-figure4-every10"


@pytest.fixture(scope="module")
def found():
    return check([FOLDER])


def test_a_figure_and_its_numbers_for_every_choice_with_runs(found, tmp_path):
    names = {file.name for file in figure.draw(found, tmp_path)}
    assert names == {"open-cao-inducing-points.svg", "open-cao-inducing-points.csv"}
    numbers = pd.read_csv(tmp_path / "open-cao-inducing-points.csv")
    assert len(numbers) == 2 and (numbers["low"] <= numbers["high"]).all() and (numbers["run"] == 14).all()
    svg = (tmp_path / "open-cao-inducing-points.svg").read_text()
    assert "standard error of the print" in svg and "frozen protocol" in svg


def test_the_same_numbers_give_the_same_figure(found, tmp_path):
    for name in ("a", "b"):
        figure.draw(found, tmp_path / name)
    assert len({(tmp_path / n / "open-cao-inducing-points.svg").read_bytes() for n in ("a", "b")}) == 1


def test_the_listing_has_the_range_of_every_number_and_what_is_missing(found):
    text = "\n".join(listing.lines(found, 140))
    assert "14 of 14" not in text.split("[cao]")[0]
    for r in (r for r in found.ranges if r.run):
        assert f"{r.low:.4g} to {r.high:.4g}" in text and f"{r.holds} of {r.run}" in text
    assert "gpbench run --whole-paths configs/sundararajan/table2-open.yaml" in text


def test_figures_ask_for_sensitivity(tmp_path):
    done = gpbench("check", FOLDER, "--figures", tmp_path)
    assert done.returncode == 2 and "--figures belongs to --sensitivity" in done.stderr

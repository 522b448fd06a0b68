"""The papers' figures: every drawn row has its panel, with the paper's axes, series and order, and its numbers kept."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gpbench.report import figures
from gpbench.report.figures.panel import KEY, drawn_rows, mapped
from gpbench.report.frame import load
from gpbench.report.looks import of_methods
from gpbench.report.style import house_style

RESULTS = Path(__file__).parents[1] / "results"


def drawn(folder: str) -> dict:
    with house_style():
        return {panel.name: panel for panel in figures.panels(load(RESULTS / folder))}


def test_every_drawn_row_but_chems_is_mapped_to_a_panel():
    rows = drawn_rows().merge(mapped()[[*KEY, "panel"]].drop_duplicates(KEY), on=KEY, how="left")
    assert len(rows) == 74
    assert set(rows.loc[rows["panel"].isna(), "dataset"]) == {"CHEM"}


def test_every_mapped_panel_stands_for_a_printed_row():
    known = set(drawn_rows()[KEY].itertuples(index=False, name=None))
    assert set(mapped()[KEY].itertuples(index=False, name=None)) <= known


def test_every_mapped_panel_has_a_committed_drawing_of_moderate_size_and_its_numbers():
    for row in mapped().itertuples():
        svg = RESULTS / row.folder / "plots" / f"{row.panel}.svg"
        assert svg.is_file(), svg
        assert svg.stat().st_size < 150_000, svg
        numbers = pd.read_csv(RESULTS / row.folder / "figures" / f"{row.panel}.csv")
        assert len(numbers) and numbers["y"].notna().all(), row.panel

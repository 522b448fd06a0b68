"""The papers' figures: every drawn row has its panel, with the paper's axes, series and order, and its numbers kept."""

import pandas as pd
import pytest

from gpbench.analysis.drawing.style import house_style
from gpbench.analysis.results_table import load
from gpbench.papers import figures
from gpbench.papers.figures.method_styles import of_methods
from gpbench.papers.figures.panel import KEY, drawn_rows, mapped
from tests.helpers.paths import REPO

RESULTS = REPO / "results"


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


@pytest.mark.parametrize("folder", ["snelson-figure2", "vanhatalo-figure1", "cao-figure1"])
def test_committed_numbers_are_those_that_are_drawn_now(folder, tmp_path):
    for panel in drawn(folder).values():
        kept = RESULTS / folder / "figures" / f"{panel.name}.csv"
        assert panel.save_numbers(tmp_path).read_text() == kept.read_text()


def test_boxes_of_keerthi_stand_in_the_papers_order_and_colours():
    panels = drawn("keerthi-figure1")
    assert list(panels) == ["figure-1-kin40k-nmse", "figure-1-kin40k-nlpd", "figure-1-kin40k-training-time"]
    nmse, time = panels["figure-1-kin40k-nmse"], panels["figure-1-kin40k-training-time"]
    names = [t.get_text() for t in nmse.ax.get_legend().get_texts()]
    assert names == ["RAND", "INFO", "KAPPA", "DMAX", "SB"]
    assert (time.ax.get_xscale(), time.ax.get_yscale()) == ("log", "log")
    assert of_methods(load(RESULTS / "keerthi-figure1"))["DMAX"]["color"] == "#000000"


def test_figures_6_and_7_of_cao_have_the_scales_that_the_captions_state():
    for folder, scale in (("cao-figure6", "log"), ("cao-figure7", "linear")):
        found = drawn(folder)
        assert len(found) == 6
        assert {(p.ax.get_xscale(), p.ax.get_yscale()) for p in found.values()} == {("log", scale)}


def test_drawn_numbers_are_the_means_of_the_trials():
    rows = load(RESULTS / "cao-figure5").ok
    numbers = drawn("cao-figure5")["figure-5-kin40k-smse"].numbers
    mine = numbers[(numbers["series"] == "FITC") & (numbers["x"] == 64)].iloc[0]
    theirs = rows.loc[(rows["label"] == "FITC") & (rows["d_max"] == 64), "smse"]
    assert mine["y"] == pytest.approx(theirs.mean()) and mine["trials"] == len(theirs)
    assert list(dict.fromkeys(numbers["series"])) == ["CholQR-VAR", "CholQR-MLE", "FITC", "IVM"]


def test_length_scale_and_density_are_drawn_against_the_d_of_the_kernel():
    found = drawn("vanhatalo-figure2-pp0")
    assert list(found) == ["figure-2-pp0-length-scale", "figure-2-pp0-fill-k"]
    for panel in found.values():
        numbers = panel.numbers
        assert numbers["x"].tolist() == [2, *range(5, 71, 5)]
        assert (numbers["low"] <= numbers["y"]).all() and (numbers["y"] <= numbers["high"]).all()
        assert numbers["y"].iloc[-1] > numbers["y"].iloc[0]


def test_a_caption_names_stand_ins_sizes_and_runs_that_differ():
    caption = drawn("cao-figure2-thrombin")["figure-2-bindingdb-smse"].caption
    assert caption.startswith("As Figure 2 of Cao")
    assert "2754 molecules of ChEMBL" in caption
    assert "2617 training rows, the paper has 3660" in caption
    assert "the paper has 150" in caption
    assert "CholQR-z16 at 256, 512" in caption


def test_normalised_measures_run_from_one_to_zero_over_the_whole_path():
    numbers = drawn("sundararajan-figure4")["figure-4-friedman2-measure"].numbers
    assert list(dict.fromkeys(numbers["series"])) == ["NLPP", "NLML", "LOO-CVE", "NLGPP", "GPE"]
    assert numbers["y"].between(0, 1).all() and numbers["x"].max() == 100


def test_inducing_inputs_stand_at_the_top_where_they_began_and_at_the_bottom_where_they_ended():
    panel = drawn("snelson-figure1")["figure-1-snelson1d-prediction"]
    assert [ax.get_title(loc="left") for ax in panel.axes.flat] == ["(a) full GP", "(b) SPGP", "(c) PLV likelihood"]
    numbers = panel.numbers[panel.numbers["axis"] == "(b) SPGP"].set_index("series")
    start, end = numbers.loc["initial inducing inputs"], numbers.loc["final ones"]
    assert len(start) == len(end) == 20 and start["y"].min() > 0.9 and end["y"].max() < 0.1
    assert start["x"].max() < numbers.loc["training data", "x"].quantile(0.2)  # the adversarial start at the left


def test_the_prior_of_plv_falls_to_the_noise_away_from_its_pseudo_inputs_and_spgps_does_not():
    numbers = drawn("snelson-figure2")["figure-2-prior-samples"].numbers
    width = {axis: part["high"].dropna() for axis, part in numbers.groupby("axis")}
    assert width["(b) SPGP"].max() == pytest.approx(width["(b) SPGP"].min())
    assert (
        width["(c) PLV"].min() < 0.5 * width["(c) PLV"].max() == pytest.approx(0.5 * width["(b) SPGP"].max(), rel=0.05)
    )


def test_measures_are_drawn_for_every_round_of_learning():
    numbers = drawn("sundararajan-figure1")["figure-1-friedman3-measure"].numbers
    assert list(dict.fromkeys(numbers["axis"])) == ["NLPP", "NLML", "LOO-CVE", "NLGPP", "GPE"]
    nlgpp = numbers[numbers["axis"] == "NLGPP"]
    for _, path in nlgpp.groupby("series"):  # first falls, then rises
        lowest = path["y"].to_numpy().argmin()
        assert 0 < lowest < len(path) - 1
    assert nlgpp["series"].nunique() > 5


@pytest.mark.parametrize("folder", ["cao-figure3", "snelson-figure3-kin40k", "vanhatalo-figure3a", "keerthi-figure1"])
def test_no_two_methods_of_a_folder_look_alike(folder):
    results = load(RESULTS / folder)
    found = of_methods(results)
    assert set(results.rows["label"]) <= set(found)
    shown = [(found[label]["color"], found[label]["marker"]) for label in results.rows["label"].unique()]
    assert len(set(shown)) == len(shown)


def test_a_folder_that_stands_for_no_figure_has_no_panel():
    assert drawn("keerthi-table1") == {}


def test_pseudo_inputs_outside_the_axes_stand_at_the_border_and_are_counted_in_the_caption():
    (panel,) = drawn("snelson-figure1").values()
    assert "arrows at the border" in panel.caption
    numbers = panel.numbers
    final = numbers[(numbers["series"] == "final ones") & (numbers["axis"] == "(b) SPGP")]["x"]
    axes = panel.axes[0, 1]
    low, high = axes.get_xlim()
    out = int(((final < low) | (final > high)).sum())
    assert f"(b) {out} of {len(final)}" in panel.caption and out > 0
    arrows = [line for line in axes.get_lines() if line.get_marker() in ("<", ">")]
    assert {x for line in arrows for x in line.get_xdata()} <= {low, high}
    assert sum(int(text.get_text()) for text in axes.texts) == out


def test_k_se_is_extrapolated_by_a_line_of_its_own_that_the_caption_names():
    panel = drawn("vanhatalo-figure3a")["figure-3-clusters2d-ep-time"]
    numbers = panel.numbers
    line = numbers[numbers["series"] == "k_se, extrapolated"]
    measured = numbers[numbers["series"] == "k_se"]
    assert list(line["x"]) == [5000, 10000] and measured["x"].max() == 5000
    assert line["y"].iloc[0] == measured["y"].iloc[-1] and line["y"].iloc[1] > line["y"].iloc[0]
    assert "k_se at n = 10000 is extrapolated" in panel.caption and "Not run: k_se at n = 10000" in panel.caption

"""Figures: which folder gets which, the same bytes every time."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib.colors import to_hex

from gpbench.analysis.drawing.axes import plain_number
from gpbench.analysis.pareto_front import pareto_front
from gpbench.analysis.results_table import load
from gpbench.papers.figures.method_styles import of_methods
from gpbench.report import plots
from tests.helpers.made_folders import folder_of


def drawn(folder, out):
    return {f.stem for f in plots.draw(load(folder), out)}


def test_a_grid_of_sizes_gets_curves_boxes_and_times(tmp_path):
    found = drawn(folder_of(tmp_path / "f"), tmp_path / "out")
    assert found == {"curve-kin40k-sim-nmse", "box-kin40k-sim-nmse", "time-kin40k-sim", "trade-off-kin40k-sim-nmse"}


def test_several_training_sizes_get_times_and_scores_against_n(tmp_path):
    folder = folder_of(tmp_path / "f", sizes=(100, 200, 400))
    rows = pd.read_csv(folder / "results.csv", keep_default_na=False)
    rows.assign(n_train=rows["d_max"], d_max="").to_csv(folder / "results.csv", index=False)
    with plots.house_style():
        found = dict(plots.training_sizes(load(folder)))
    assert set(found) == {"size-time-kin40k-sim", "size-kin40k-sim-nmse"}
    [ax] = found["size-time-kin40k-sim"].axes
    assert ax.get_lines()[0].get_label() == "RAND: n^2.00"
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), [1e-2, 4e-2, 16e-2])


def test_a_long_legend_stands_in_columns(tmp_path):
    results = load(folder_of(tmp_path / "f", labels=[f"m{k}" for k in range(23)], trials=1))
    with plots.house_style():
        _, figure = next(plots.trade_off(results))
    figure.canvas.draw()
    legend = figure.axes[1].get_legend()
    assert len(legend.get_texts()) == 23 + 1 and legend._ncols == 2  # and the front
    assert legend.get_window_extent().y0 >= figure.bbox.y0


def test_two_sizes_are_too_few_for_an_exponent(tmp_path):
    found = drawn(folder_of(tmp_path / "f", sizes=(100, 200), trials=2), tmp_path / "out")
    assert found == {"curve-kin40k-sim-nmse"}


def test_ranks_are_drawn_from_five_data_sets_on(tmp_path):
    four, five = (
        drawn(folder_of(tmp_path / f"f{n}", datasets=[f"d{i}" for i in range(n)], sizes=(100,)), tmp_path / f"out{n}")
        for n in (4, 5)
    )
    assert "ranks-nmse" not in four
    assert "ranks-nmse" in five


def test_the_time_figure_names_the_fitted_exponent(tmp_path):
    results = load(folder_of(tmp_path / "f", sizes=(100, 200, 400, 800)))
    with plots.house_style():
        (name, figure), *_ = plots.times(results)
        [ax] = figure.axes
        assert [t.get_text() for t in ax.get_legend().get_texts()] == ["RAND: d^2.00", "SB: d^2.00"]
        assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert name == "time-kin40k-sim"


def test_every_axis_is_named_and_lines_differ_without_colour(tmp_path):
    results = load(folder_of(tmp_path / "f", labels=[f"m{i}" for i in range(6)]))
    with plots.house_style():
        for plot in (plots.learning_curves, plots.times):
            for _, figure in plot(results):
                [ax] = figure.axes
                assert ax.get_xlabel() and ax.get_ylabel() and "stand-in for kin40k" in ax.get_title()
                styles = [(str(line.get_linestyle()), line.get_marker()) for line in ax.get_lines()]
                assert len(set(styles)) == len(styles) == 6


def test_curves_show_mean_and_one_standard_deviation(tmp_path):
    results = load(folder_of(tmp_path / "f"))
    with plots.house_style():
        _, figure = next(plots.learning_curves(results))
    [ax] = figure.axes
    values = np.array([40 / 100 * (1 + t / 10) for t in range(3)])
    assert ax.get_lines()[0].get_ydata()[0] == pytest.approx(values.mean())
    band = ax.collections[0].get_paths()[0].vertices
    low, high = band[band[:, 0] == 100][:, 1].min(), band[band[:, 0] == 100][:, 1].max()
    assert (low, high) == pytest.approx((values.mean() - values.std(ddof=1), values.mean() + values.std(ddof=1)))


def test_a_method_at_one_size_beyond_the_grid_is_a_level(tmp_path):
    folder = folder_of(tmp_path / "f", labels=("RAND", "full"))
    rows = pd.read_csv(folder / "results.csv", keep_default_na=False)
    rows = rows[(rows["label"] == "RAND") | (rows["d_max"] == 400)]
    rows.loc[rows["label"] == "full", "d_max"] = 2000
    rows.to_csv(folder / "results.csv", index=False)
    with plots.house_style():
        _, figure = next(plots.learning_curves(load(folder)))
    [ax] = figure.axes
    level = ax.get_lines()[1]
    assert level.get_label() == "full (d = 2000)"
    assert len(set(level.get_ydata())) == 1 and ax.get_xlim()[1] < 500


def test_scores_are_drawn_against_the_whole_time_and_that_of_the_test(tmp_path):
    results = load(folder_of(tmp_path / "f"))
    with plots.house_style():
        name, figure = next(plots.trade_off(results))
    assert name == "trade-off-kin40k-sim-nmse"
    whole, test = figure.axes
    assert whole.get_lines()[1].get_xdata().tolist() == pytest.approx([1.021, 1.082, 1.324])  # learn, fit, predict
    assert test.get_lines()[1].get_xdata().tolist() == pytest.approx([1e-3, 2e-3, 4e-3])
    assert whole.get_lines()[1].get_ydata()[0] == pytest.approx(0.5 * 0.4 * 1.1)


def test_a_thin_step_line_joins_the_front(tmp_path):
    results = load(folder_of(tmp_path / "f"))
    with plots.house_style():
        _, figure = next(plots.trade_off(results))
    for ax in figure.axes:
        *lines, steps = ax.get_lines()
        points = [p for line in lines for p in zip(line.get_xdata(), line.get_ydata())]
        assert steps.get_label() == "front" and steps.get_drawstyle() == "steps-post"
        assert list(zip(steps.get_xdata(), steps.get_ydata())) == pareto_front(points)
    assert figure.axes[1].get_legend().get_texts()[-1].get_text() == "front"


def test_snapshots_are_drawn_along_the_training(tmp_path):
    folder = folder_of(tmp_path / "f", sizes=(100,), trials=2)
    points = [
        (f"kin40k-sim{label}100{t}", step, key, value)
        for label in ("RAND", "SB")
        for t in range(2)
        for step in (1, 2, 3)
        for key, value in (("seconds", 0.1 * step), ("test_nmse", 1 / (step + t)), ("objective", -step))
    ]
    table = pd.DataFrame(points, columns=["trial_id", "step", "key", "value"])
    table.to_csv(folder / "curves.csv", index=False)
    with plots.house_style():
        [(name, figure)] = plots.along_training(load(folder))
    [ax] = figure.axes
    assert name == "training-kin40k-sim-nmse" and len(ax.get_lines()) == 4
    assert ax.get_lines()[0].get_xdata().tolist() == pytest.approx([1.1, 1.2, 1.3])  # after learning
    assert ax.get_lines()[0].get_ydata().tolist() == pytest.approx([1, 1 / 2, 1 / 3])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["RAND", "SB"]


@pytest.mark.parametrize("sizes, scale", [((16, 32, 64, 128), "log"), ((100, 200, 300, 400), "linear")])
def test_sizes_that_double_stand_at_equal_distances(tmp_path, sizes, scale):
    folder = folder_of(tmp_path / "f", sizes=sizes)
    with plots.house_style():
        _, figure = next(plots.learning_curves(load(folder)))
    [ax] = figure.axes
    assert ax.get_xscale() == scale
    if scale == "log":
        assert [t.get_text() for t in ax.get_xticklabels()] == [str(size) for size in sizes]


def test_svg_files_are_well_formed_and_the_same_every_time(tmp_path):
    folder = folder_of(tmp_path / "f")
    first = {f.name: f.read_bytes() for f in plots.draw(load(folder), tmp_path / "a")}
    second = {f.name: f.read_bytes() for f in plots.draw(load(folder), tmp_path / "b")}
    assert first == second
    for name, content in first.items():
        if name.endswith(".svg"):
            ElementTree.fromstring(content)
            assert b"dc:date" not in content


def test_names_with_dollars_and_leading_underscores_are_drawn_as_they_are(tmp_path):
    results = load(folder_of(tmp_path / "f", labels=["a$b$c^{", "_hidden"]))
    with plots.house_style():
        _, figure = next(plots.learning_curves(results))
        figure.canvas.draw()
    shown = [t.get_text().strip("\u200a").replace(r"\$", "$") for t in figure.axes[0].get_legend().get_texts()]
    assert shown == ["a$b$c^{", "_hidden"]


def test_one_dimensional_fits_come_from_the_curves_of_the_first_trial(tmp_path):
    folder = folder_of(tmp_path / "f", datasets=("snelson1d",), sizes=(10,), labels=("FITC",), trials=1)
    x = np.linspace(0, 6, 30)
    lists = {"data_x": x, "data_y": np.sin(x), "fit_x": x, "fit_mean": np.sin(x), "fit_sd": np.full(30, 0.2),
             "inducing_x": [1.0, 5.0, 99.0]}  # fmt: skip
    points = [("snelson1dFITC100", i, key, v) for key, values in lists.items() for i, v in enumerate(values)]
    pd.DataFrame(points, columns=["trial_id", "step", "key", "value"]).to_csv(folder / "curves.csv", index=False)
    with plots.house_style():
        [(name, figure)] = plots.one_dimension(load(folder))
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    assert name == "fit-snelson1d-FITC"
    assert figure.axes[0].get_title() == "snelson1d: FITC, 10 points, 1 of them beyond the axis"
    assert np.allclose(lines["predictive mean"].get_xdata(), x)
    assert np.allclose(lines["± 2 standard deviations"].get_ydata(), np.sin(x) - 0.4)
    assert lines["final ones"].get_xdata() == pytest.approx([1.0, 5.0])
    arrows = [line for line in figure.axes[0].get_lines() if line.get_marker() == ">"]
    assert [line.get_xdata()[0] for line in arrows] == [6.0] and [t.get_text() for t in figure.axes[0].texts] == ["1"]


def test_pdf_is_drawn_on_request_and_is_the_same_every_time(tmp_path):
    folder = folder_of(tmp_path / "f", sizes=(100, 200))
    first, second = (
        {f.name: f.read_bytes() for f in plots.draw(load(folder), tmp_path / where, endings=("pdf",))} for where in "ab"
    )
    assert first == second and set(first) == {"curve-kin40k-sim-nmse.pdf", "box-kin40k-sim-nmse.pdf"}
    assert all(content.startswith(b"%PDF") for content in first.values())


def test_a_method_has_one_look_in_every_figure(tmp_path):
    folder = folder_of(tmp_path / "f", labels=("A", "B", "C"), sizes=(100, 200, 400), trials=5)
    rows = pd.read_csv(folder / "results.csv", keep_default_na=False)
    rows[rows["label"] != "A"].to_csv(folder / "results.csv", index=False)  # the others keep their colours
    results = load(folder)
    colours = {label: look["color"] for label, look in of_methods(results).items()}
    with plots.house_style():
        for plot in (plots.learning_curves, plots.times, plots.trade_off):
            for _, figure in plot(results):
                for line in (found for found in figure.axes[0].get_lines() if found.get_label() != "front"):
                    assert line.get_color() == colours[line.get_label().partition(":")[0]]
        [(_, figure)] = plots.box_groups(results)
    boxes = {p.get_label(): p.get_edgecolor() for p in figure.axes[0].patches if p.get_label() in colours}
    assert {k: to_hex(c) for k, c in boxes.items()} == {k: colours[k] for k in ("B", "C")}


@pytest.mark.parametrize("trials, boxes", [(4, 0), (5, 6)])
def test_few_trials_are_points_many_are_boxes(tmp_path, trials, boxes):
    results = load(folder_of(tmp_path / "f", trials=trials))
    with plots.house_style():
        [(_, figure)] = plots.box_groups(results)
    assert len(figure.axes[0].patches) == boxes


def test_a_label_of_a_data_set_stands_in_titles(tmp_path):
    folder = folder_of(tmp_path / "f")
    config = yaml.safe_load((folder / "config.resolved.yaml").read_text())
    config["datasets"] = [{"name": "kin40k-sim", "label": "Robot arm"}]
    (folder / "config.resolved.yaml").write_text(yaml.safe_dump(config))
    with plots.house_style():
        _, figure = next(plots.times(load(folder)))
    assert figure.axes[0].get_title() == "Robot arm (stand-in for kin40k)"


@pytest.mark.parametrize("value, text", [(1e-3, "0.001"), (20000.0, "20000"), (0.5, "0.5"), (-2.0, "−2")])
def test_ticks_are_plain_numbers(value, text):
    assert plain_number(value) == text

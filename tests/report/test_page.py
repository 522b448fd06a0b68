"""report.html as text: what stands on it, what it weighs, that names stay names (test_page_browser.py opens it)."""

import base64
import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from gpbench.analysis.drawing.files import DRAWN
from gpbench.analysis.pareto_front import pareto_front
from gpbench.analysis.results_table import load
from gpbench.html.axis import Axis, written
from gpbench.html.table import merged
from gpbench.report import render_folder
from gpbench.report.page import check_section, page
from gpbench.report.page.charts.folder_charts import Charts
from gpbench.report.page.notes import told_once
from gpbench.report.page.size_budget import LIMIT, SizeBudget
from gpbench.report.page.trial_data import TrialBook
from tests.helpers import printed_folders
from tests.helpers.html_reader import Reader
from tests.helpers.made_folders import NASTY, SMALL, folder_of, nasty_folder

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.S)


@pytest.fixture(scope="module")
def small(small_site):
    text = (small_site / SMALL.name / "report.html").read_text()
    return text, Reader(text)


def said(text):
    return " ".join(" ".join(Reader(text).text).split())


def test_the_page_needs_nothing_from_elsewhere(small):
    text, reader = small
    assert all(link.startswith(("#", "data:")) for link in reader.links)
    assert "link" not in reader.tags and "@import" not in text and "url(" not in text
    assert "default-src 'none'" in text
    assert reader.open == []  # every tag is closed, in order


def test_the_page_has_every_section_that_has_something_to_say(small):
    text, _ = small
    assert re.findall(r"<section id=\"([a-z-]+)\"", text) == [
        "answer",
        "tables",
        "plots",
        "check",
        "failures",
        "repeat",
    ]
    assert "90 of 132" in said(text) and "over 60 s" in said(text)


def test_the_first_screen_names_the_best_and_those_not_significantly_worse(tmp_path):
    folder = folder_of(tmp_path / "f", sizes=(100,), labels=("far", "near", "best"), trials=8)
    rows = pd.read_csv(folder / "results.csv", keep_default_na=False)
    shift = {"far": 1.0, "near": 0.0, "best": -0.001}
    wiggle = [0.02 * (-1) ** t for t in rows["trial"]]
    near = [w if label == "near" else w / 20 if label == "far" else 0.0 for w, label in zip(wiggle, rows["label"])]
    rows["nmse"] = [0.5 + shift[label] + 0.01 * t + w for label, t, w in zip(rows["label"], rows["trial"], near)]
    rows.to_csv(folder / "results.csv", index=False)
    text = said(page(load(folder)))
    assert re.search(r"NMSE best 0\.53\d ± 0\.02\d ?: best mean; not significantly worse: near ?\.", text), text[:600]


def test_one_trial_is_no_test(tmp_path):
    text = said(page(load(folder_of(tmp_path / "f", sizes=(100,), trials=1))))
    assert "best of 2; one shared trial, so no test" in text


def test_a_grid_is_told_at_its_largest_size_with_the_count_of_sizes_led(tmp_path):
    text = said(page(load(folder_of(tmp_path / "f"))))
    assert "at d_max 400; SB leads at 3 of 3 sizes" in text


def test_a_folder_without_a_finished_trial_says_so(tmp_path):
    folder = folder_of(tmp_path / "f")
    rows = pd.read_csv(folder / "results.csv", keep_default_na=False)
    rows.assign(status="failed", reason="ValueError: no", nmse="").to_csv(folder / "results.csv", index=False)
    assert "No trial has finished yet" in said(page(load(folder)))


def test_every_number_names_the_trials_behind_it(small):
    text, _ = small
    data, rows = json.loads(DATA.search(text)[1]), load(SMALL).rows
    assert sorted(data["id"]) == sorted(rows["trial_id"])
    table = re.search(r'<figure class="table" id="results">.*?</figure>', text, re.S)[0]
    heads = [re.sub("<.*?>", "", head) for head in re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", table)]
    nmse = data["values"]["nmse"]
    for places, cells in re.findall(r'<tr data-t="([\d,-]+)">(.*?)</tr>', table):
        found = [p for part in places.split(",") for p in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]
        shown = re.sub("<.*?>", "", re.split(r"</t[hd]>", cells)[heads.index("NMSE")]).split(" ±")[0].rstrip("*")
        assert float(shown) == pytest.approx(sum(nmse[i] for i in found) / len(found), rel=2e-2)


def test_a_trial_can_be_repeated_by_the_command_beside_it(small):
    data = json.loads(DATA.search(small[0])[1])
    assert data["command"] == f"gpbench run {(SMALL / 'config.resolved.yaml').as_posix()}"
    assert {s["again"] for s in data["series"]} >= {"-d boston -m gpe"}


def test_the_log_of_a_failed_trial_is_on_the_page(tmp_path):
    folder = folder_of(tmp_path / "f")
    rows = pd.read_csv(folder / "results.csv", keep_default_na=False)
    rows.loc[4, ["status", "reason"]] = ["failed", "ValueError: no"]
    rows.to_csv(folder / "results.csv", index=False)
    (folder / "logs").mkdir()
    (folder / "logs" / f"{rows['trial_id'][4]}.log").write_text("x" * 5000 + "the last words </script>")
    data = json.loads(DATA.search(page(load(folder)))[1])
    [(place, log)] = data["logs"].items()
    assert data["id"][int(place)] == rows["trial_id"][4] and data["odd"] == {place: ["failed", "ValueError: no"]}
    assert log.endswith("the last words </script>") and len(log) == 2000


def test_names_reasons_and_notes_stay_text(tmp_path):
    reader = Reader(page(load(nasty_folder(tmp_path / "f"))))
    assert reader.tags.count("script") == 2 and "img" not in reader.tags and not reader.events and not reader.open
    text = " ".join(reader.text)
    assert all(name in text for name in NASTY) and "</title><script>alert(1)</script>" in text


def test_downloads_hold_the_tables_as_csv_and_tex(small):
    links = re.findall(r'<a download="(results\.\w+)" href="data:[^,]*base64,([^"]*)">', small[0])
    found = {name: base64.b64decode(content).decode() for name, content in links}
    assert found["results.csv"].startswith("section,method,") and r"\toprule" in found["results.tex"]


def test_fifteen_thousand_trials_weigh_less_than_two_megabytes(tmp_path):
    names = [f"m{i}" for i in range(10)]
    folder = folder_of(tmp_path / "f", datasets=[f"data{i}" for i in range(5)], labels=names, trials=100)
    rows = pd.read_csv(folder / "results.csv", keep_default_na=False)
    rows["trial_id"] = [f"{7919 * i:016x}" for i in range(len(rows))]
    rows["nmse"] += [(i * 0.618034) % 0.1 for i in range(len(rows))]  # digits as real scores have them
    rows.to_csv(folder / "results.csv", index=False)
    figures = []
    for i in range(10):  # and drawn figures that would fill it
        figures.append(tmp_path / f"box-{i}.svg")
        figures[-1].write_text("<svg xmlns='http://www.w3.org/2000/svg'/>" + " " * 200_000)
    text = page(load(folder), figures)
    assert len(rows) == 15_000 and len(text.encode()) < 2_000_000
    assert "Left out to keep this page small" in text and "plots/box-9.svg" in text


def test_room_is_given_until_it_is_gone():
    room = SizeBudget(10)
    assert room.take("a", "12345678") == ["12345678"] and room.take("b", "äää") == [] and room.take("c", "12") == ["12"]
    assert room.out == ["b"] and LIMIT < 2_000_000


def test_a_note_of_many_trials_is_one_line(tmp_path):
    folder = folder_of(tmp_path / "f", datasets=("a", "b"))
    notes = [("a", "jitter 1.5e-08 on Kuu", 3), ("b", "jitter 2e-9 on Kuu", 4), ("a", "rounded copy", 9)]
    pd.DataFrame(notes, columns=["dataset", "note", "trials"]).to_csv(folder / "notes.csv", index=False)
    assert told_once(load(folder)) == [
        "a, b: jitter 1.5e-08 on Kuu (7 trials; 2 such notes, with other numbers)",
        "a: rounded copy (9 trials)",
    ]


def test_environments_are_told_once(tmp_path):
    folder = folder_of(tmp_path / "f")
    (folder / "env").mkdir()
    for k, python in enumerate(("3.11", "3.12")):
        (folder / "env" / f"{k}.json").write_text(json.dumps({"cpu": "the same processor", "python": python}))
    text = page(load(folder))
    assert text.count("the same processor") == 1 and said(text).count("2 environments") == 1
    assert "3.11" in text and "3.12" in text


def test_notes_of_several_data_sets_become_one():
    assert merged(["a: few.", "b: few.", "Mean over 3."]) == ["a, b: few.", "Mean over 3."]


# ---- charts -----------------------------------------------------------------------------------------------------


def test_the_front_holds_what_nothing_beats_in_both():
    points = [(3.0, 1.0), (1.0, 5.0), (2.0, 5.5), (2.5, 2.0), (4.0, 1.0)]
    assert pareto_front(points) == [(1.0, 5.0), (2.5, 2.0), (3.0, 1.0)]


def test_the_front_of_a_chart_joins_the_methods_with_the_most_trials(tmp_path):
    folder = folder_of(tmp_path / "f", labels=("RAND", "SB", "FAILS"), sizes=(100,))
    rows = pd.read_csv(folder / "results.csv")
    rows = rows[(rows["label"] != "FAILS") | (rows["trial"] == 0)]
    rows.loc[rows["label"] == "FAILS", "nmse"] = 1e-3
    rows.to_csv(folder / "results.csv", index=False)
    [chart] = Charts(TrialBook.of(load(folder))).fronts()
    assert "among those with the most trials: RAND (100), SB (100)." in chart.caption and len(chart.front) == 2


def test_charts_show_mean_spread_and_trials_of_each_size(tmp_path):
    book = TrialBook.of(load(folder_of(tmp_path / "f")))
    [chart] = Charts(book).sizes()
    rand, sb = chart.lines
    assert rand.x == [100, 200, 400] and (rand.label, sb.label) == ("RAND", "SB") and rand.look != sb.look
    values = [40 / 100 * (1 + t / 10) for t in range(3)]
    assert rand.y[0] == pytest.approx(sum(values) / 3) and rand.spread[0] == pytest.approx(0.04)
    ids = book.rows["trial_id"]
    first, last = map(int, rand.trials[0].split("-"))
    assert list(ids[first : last + 1]) == [f"kin40k-simRAND100{t}" for t in range(3)]
    [time] = Charts(book).fronts()
    assert time.lines[0].x[0] == pytest.approx(1 + 1e-2 + 1e-3)  # learn, fit, predict
    assert time.log_x and len(time.front) > 1


def test_scores_along_training_come_from_the_traces(tmp_path):
    folder = folder_of(tmp_path / "f", sizes=(100,), trials=2)
    points = [
        (f"kin40k-sim{label}100{t}", step, key, value)
        for label in ("RAND", "SB")
        for t in range(2)
        for step in (1, 2, 3)
        for key, value in (("seconds", 0.1 * step), ("test_nmse", 1 / (step + t)))
    ]
    pd.DataFrame(points, columns=["trial_id", "step", "key", "value"]).to_csv(folder / "curves.csv", index=False)
    [chart] = Charts(TrialBook.of(load(folder))).along()
    assert [(line.label, line.faint) for line in chart.lines] == [
        ("RAND", False),
        ("RAND", True),
        ("SB", False),
        ("SB", True),
    ]
    assert chart.lines[0].y == pytest.approx([1, 1 / 2, 1 / 3])


@pytest.mark.parametrize(
    "low, high, log", [(0.2, 0.9, False), (1e-4, 30, True), (-3, 5, False), (2, 2, False), (7, 7, True)]
)
def test_ticks_lie_on_the_axis_and_are_not_too_many(low, high, log):
    axis = Axis.over([low, high], 0, 300, log)
    ticks = axis.ticks(40)
    assert 2 <= len(ticks) <= 8 and all(0 <= axis.place(t) <= 300 for t in ticks)
    assert len({written(t) for t in ticks}) == len(ticks)


def test_methods_of_a_panel_are_told_apart_by_what_differs_only(tmp_path):
    folder = printed_folders.write_item(tmp_path, "keerthi", "Table 1")
    book = TrialBook.of(load(folder))
    for panel in check_section.panels(book, check_section.seen(book)):
        assert {pair.name for pair in panel.pairs} <= {"FIXED-SB", "ADAPT-INFO", "ADAPT-DMAX"}


def test_an_interval_needs_two_runs():
    assert check_section.half_width(0.3, 1) == 0 and check_section.half_width(None, 9) == 0
    assert check_section.half_width(1.0, 10) == pytest.approx(2.262157 / 10**0.5)  # t of 9 degrees of freedom


def test_a_run_leaves_tables_tests_plots_check_and_page(tmp_path):
    folder = Path(shutil.copytree(SMALL, tmp_path / "copy"))
    data = {f: f.read_bytes() for f in folder.rglob("*") if f.is_file() and f.relative_to(folder).parts[0] not in DRAWN}
    files = {str(f.relative_to(folder)) for f in render_folder.render_all(folder)}
    assert {Path(f).parts[0] for f in files} <= set(DRAWN)
    assert len(data) > 2 and all(f.read_bytes() == content for f, content in data.items())
    expected = {
        "report.html",
        "check.json",
        "stats/significance.csv",
        "tables/results.tex",
        "plots/box-boston-nmse.svg",
    }
    assert expected <= files
    assert all((folder / f).stat().st_size for f in files)


def test_skipped_trials_are_done_as_the_run_counts_them(tmp_path):
    folder = folder_of(tmp_path / "f")
    rows = pd.read_csv(folder / "results.csv", dtype=str, keep_default_na=False)
    rows.loc[:1, "status"], rows.loc[2, "status"] = "skipped", "failed"
    rows.to_csv(folder / "results.csv", index=False)
    results = load(folder)
    assert (results.done, len(results.ok)) == (17, 15)
    assert "<dt>trials done</dt><dd><bdi>17 of 18 (2 skipped)</bdi>" in page(results, [])

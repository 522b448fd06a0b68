"""Reading a results folder, and what a run leaves behind for folders without trials/."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gpbench.analysis import results_table, row_settings, traces
from gpbench.cli.run import write_curves
from gpbench.errors import ConfigError, DataError
from gpbench.experiment.results import checked_files
from gpbench.experiment.results.trial_result import COLUMNS
from tests.helpers.made_folders import SMALL


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Table 3", ("Table 3",)),
        ("Tables 2-5", ("Table 2", "Table 3", "Table 4", "Table 5")),
        ("Tables 2, 4; Figure 1", ("Table 2", "Table 4", "Figure 1")),
        ("Fig. 4f (text)", ("Figure 4",)),
        ("Figs. 2-3", ("Figure 2", "Figure 3")),
        ("text (section 5)", ()),
        ("section 5.4", ("section 5.4",)),
    ],
)
def test_items_are_read_from_how_papers_write_them(text, items):
    assert row_settings.parse_items(text) == items


def test_rows_know_what_the_plan_says_of_them(tmp_path):
    folder = Path(shutil.copytree(SMALL, tmp_path / "copy"))
    rows = pd.read_csv(SMALL / "results.csv", dtype=str, keep_default_na=False)
    first = rows["trial_id"][0]
    trial = {
        "id": first,
        "kernel": {"name": "pp3"},
        "hyperparameters": {"schedule": "interleaved"},
        "params": {"z": 16},
    }
    checked_files.write_checked(folder / "manifest.json", {"name": "x", "trials": [trial]})  # of before 0.3
    loaded = results_table.load(folder).rows.set_index("trial_id")
    assert tuple(loaded.loc[first, ["kernel", "adapted", "z"]]) == ("pp3", True, 16)
    other = loaded.drop(first).iloc[0]
    assert (other["kernel"], other["adapted"]) == ("ard-se", False)  # from the config


def test_methods_come_in_the_order_of_the_config():
    rows = results_table.load(SMALL).rows
    boston = rows[rows["dataset"] == "boston"]["label"]
    assert list(dict.fromkeys(boston)) == ["nlpp", "nlml", "loo-cve", "nlgpp", "gpe", "full-gp"]


def test_a_folder_without_results_is_one_sentence(tmp_path):
    with pytest.raises(ConfigError, match=r"no results\.csv here"):
        results_table.load(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "columns missing: trial_id"),
        (",".join(COLUMNS) + "\n" + "x," * (COLUMNS.index("nmse")) + "oops" + "," * 13 + "\n", "not a number"),
        ("", "not readable"),
    ],
)
def test_a_damaged_results_file_is_one_sentence(tmp_path, text, message):
    (tmp_path / "results.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        results_table.load(tmp_path)


def test_names_that_look_like_missing_values_stay_names(tmp_path):
    row = dict.fromkeys(COLUMNS, "") | {"dataset": "NA", "label": "nan", "status": "ok", "nmse": "0.5"}
    pd.DataFrame([row]).to_csv(tmp_path / "results.csv", index=False)
    loaded = results_table.load(tmp_path).rows.iloc[0]
    assert (loaded["dataset"], loaded["label"], loaded["nmse"]) == ("NA", "nan", 0.5)
    assert np.isnan(loaded["nlpd"])


# ---- curves.csv -------------------------------------------------------------------------------------------------


def test_a_greedy_path_is_thinned_but_keeps_its_ends_and_its_minimum():
    measure = [abs(k - 137.3) for k in range(1, 301)]
    trace = [{"size": k, "row": 7, "score": 1.0, "measure": m, "seconds": 0.1} for k, m in enumerate(measure, 1)]
    points = traces.trace_points(trace)
    sizes = [step for step, _, _ in points]
    assert {key for _, key, _ in points} == {"measure"}
    assert {1, 137, 300} <= set(sizes)
    assert len(points) <= traces.MAX_SIZES + 1
    assert all(value == measure[int(step) - 1] for step, _, value in points)


def test_a_key_that_few_rows_have_is_kept_at_all_of_them():
    trace = [{"size": k, "measure": -k} | ({"rare": 2.0 * k} if k % 25 == 0 else {}) for k in range(1, 301)]
    rare = {step: value for step, key, value in traces.trace_points(trace) if key == "rare"}
    assert rare == {k: 2.0 * k for k in range(25, 301, 25)}


def test_of_selection_in_rounds_the_last_stays_and_each_rounds_best_size():
    trace = [{"round": r, "size": k, "measure": (k - 3 - r) ** 2} for r in range(3) for k in range(1, 9)]
    points = traces.trace_points(trace)
    assert [(s, v) for s, key, v in points if key == "d_opt"] == [(0, 3.0), (1, 4.0), (2, 5.0)]
    assert [v for _, key, v in points if key == "measure"] == [(k - 5) ** 2 for k in range(1, 9)]


def test_epochs_keep_every_number():
    trace = [{"epoch": k, "objective": -k, "proposed": 9, "name": "x", "flag": True, "bad": None} for k in (1, 2)]
    expected = [(k, key, value) for k in (1, 2) for key, value in (("objective", -float(k)), ("proposed", 9.0))]
    assert traces.trace_points(trace) == expected


def test_write_curves_condenses_trials_and_survives_their_loss(tmp_path):
    folder = Path(shutil.copytree(SMALL, tmp_path / "copy"))
    (folder / "curves.csv").unlink()
    ids = results_table.load(folder).ok["trial_id"][:2]
    (folder / "trials").mkdir()
    for k, i in enumerate(ids):
        result = {"trace": [{"size": 1, "measure": 0.5 + k}], "theta": {"noise": 0.1, "lengthscale": [1.0, 2.0]},
                  "notes": ["simulated data", "jitter 1e-8"]}  # fmt: skip
        (folder / "trials" / f"{i}.json").write_text(json.dumps({"result": result}))
    write_curves(folder)
    before = results_table.load(folder)
    assert sorted(before.curves["key"].unique()) == [
        "measure",
        "theta.lengthscale.0",
        "theta.lengthscale.1",
        "theta.noise",
    ]
    assert before.curves[before.curves["key"] == "measure"]["value"].tolist() == [0.5, 1.5]
    notes = ["boston: jitter 1e-8", "boston: simulated data"]
    assert before.notes == notes
    shutil.rmtree(folder / "trials")
    write_curves(folder)  # nothing to condense: what is there stays
    after = results_table.load(folder)
    pd.testing.assert_frame_equal(after.curves, before.curves)
    assert after.notes == notes


def test_folds_that_differ_by_a_row_are_one_series(tmp_path):
    """683 rows in ten folds: three leave 614 to train on, seven 615. Sizes that a config asks for stay apart."""
    row = dict.fromkeys(COLUMNS, "") | {"method": "ep", "label": "ep", "status": "ok", "seed": 0}
    folds = [
        row | {"dataset": "breast", "trial": k, "n_train": 615 - (k < 3), "n_test": 68 + (k < 3)} for k in range(10)
    ]
    sizes = [row | {"dataset": "clusters2d", "trial": 0, "n_train": n, "n_test": 5000} for n in (500, 1000)]
    pd.DataFrame(folds + sizes).assign(trial_id=[f"{i:016x}" for i in range(12)]).to_csv(
        tmp_path / "results.csv", index=False, columns=COLUMNS
    )
    rows = results_table.load(tmp_path).rows.groupby("dataset")
    assert rows["n_train"].unique()["breast"] == [615] and rows["n_total"].unique()["breast"] == [683]
    assert sorted(rows["n_train"].unique()["clusters2d"]) == [500, 1000]


def test_without_the_plan_a_data_set_s_own_settings_count(tmp_path):
    row = dict.fromkeys(COLUMNS, "") | {"method": "nlml", "label": "NLML", "status": "ok", "seed": 0, "trial": 0}
    rows = [
        row | {"trial_id": f"{k:016x}", "dataset": d, "n_train": 200} for k, d in enumerate(("friedman2", "boston"))
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "results.csv", index=False, columns=COLUMNS)
    (tmp_path / "config.resolved.yaml").write_text(
        "name: x\ndatasets:\n- {name: friedman2, hyperparameters: {schedule: interleaved}}\n- boston\n"
        "hyperparameters: {schedule: fixed}\nmethods: [{method: nlml, label: NLML}]\n"
    )
    adapted = results_table.load(tmp_path).rows.set_index("dataset")["adapted"]
    assert adapted["friedman2"] and not adapted["boston"]


def test_lists_of_a_trace_are_kept_whole_and_rounds_by_number():
    trace = [
        {"round": k, "size": m, "measure": k + 1 / m, "curve": [0.1 * m, None] if (k, m) == (2, 3) else 0.0}
        for k in (1, 2)
        for m in (1, 2, 3)
    ]
    assert traces.list_points(trace) == [(0.0, "curve", pytest.approx(0.3))]
    found = traces.round_points(trace)
    assert [(step, key) for step, key, _ in found] == [(m, f"measure_of_round_{k}") for k in (1, 2) for m in (1, 2, 3)]
    assert found[-1][2] == pytest.approx(2 + 1 / 3)
    assert traces.round_points([{"epoch": 1, "objective": 2.0}]) == []


def test_averages_over_runs_fill_thinned_steps_and_end_with_the_shortest():
    runs = pd.DataFrame(
        [("a", 1, 4.0), ("a", 3, 2.0), ("a", 4, 1.0), ("b", 1, 2.0), ("b", 2, 1.0), ("b", 3, 0.0)],
        columns=["trial_id", "step", "value"],
    )
    found = traces.averaged(runs, "value")
    assert found["mean"].to_dict() == {1: 3.0, 2: 2.0, 3: 1.0}

"""Two folders side by side, and predictions of another library scored on exported splits."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gpbench.analysis import compare
from gpbench.analysis.results_table import load
from gpbench.data.split_files import export
from gpbench.errors import ConfigError, DataError
from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.plan import every_trial
from gpbench.experiment.verify.export_splits import export_trials
from gpbench.experiment.verify.score_predictions import score
from gpbench.report.tables import tables
from tests.helpers.made_folders import SMALL


def changed(tmp_path, change) -> Path:
    folder = Path(shutil.copytree(SMALL, tmp_path / "other"))
    rows = pd.read_csv(folder / "results.csv")
    rows = change(rows)
    rows.to_csv(folder / "results.csv", index=False)
    return folder


def line(found, label, metric):
    rows = found.rows[(found.rows["label"] == label) & (found.rows["metric"] == metric)]
    return rows[rows["dataset"] == "boston"].iloc[0]


def test_compare_pairs_by_trial_and_tests_the_differences(tmp_path, rng):
    shift = rng.normal(0.02, 0.01, 6)

    def move(rows):
        mine = (rows["dataset"] == "boston") & (rows["label"] == "nlml")
        rows.loc[mine, "nmse"] = rows.loc[mine, "nmse"].to_numpy() + shift
        return rows

    found = compare.compare(SMALL, changed(tmp_path, move))
    moved, still = line(found, "nlml", "nmse"), line(found, "gpe", "nmse")
    assert moved["difference"] == pytest.approx(shift.mean())
    assert moved["p"] == pytest.approx(stats.ttest_1samp(shift, 0).pvalue, rel=1e-6)
    assert (moved["trials"], moved["paired"]) == (6, True)
    assert (still["difference"], still["note"]) == (0.0, "no variation: the differences are all zero")
    assert "other" in found.text() and "nlml" in found.text()


def test_compare_names_what_only_one_folder_has(tmp_path):
    found = compare.compare(SMALL, changed(tmp_path, lambda rows: rows[rows["label"] != "nlpp"]))
    assert found.only_first == ["nlpp on boston", "nlpp on friedman3"]
    assert found.only_second == []


def test_trials_of_other_seeds_are_no_pairs(tmp_path):
    found = compare.compare(SMALL, changed(tmp_path, lambda rows: rows.assign(seed=1)))
    row = line(found, "nlml", "nmse")
    assert not row["paired"]
    assert "no trial and seed in common" in row["note"]


def test_folders_without_anything_in_common_are_an_error(tmp_path):
    with pytest.raises(ConfigError, match="nothing to compare"):
        compare.compare(SMALL, changed(tmp_path, lambda rows: rows.assign(dataset="elsewhere")))


# ---- score ------------------------------------------------------------------------------------------------------


@pytest.fixture
def exported(tmp_path):
    spec = {"name": "friedman3", "n_train": 40, "n_test": 30}
    rngs = lambda i: (np.random.default_rng(i), np.random.default_rng(i + 100))  # noqa: E731
    return export(spec, None, tmp_path / "export", [0, 1], rngs)


def targets(exported, trial):
    return tuple(np.loadtxt(exported / f"trial-00{trial}" / f"y_{p}.csv", skiprows=1) for p in ("train", "test"))


def predictions(exported, file, trials=(0, 1), bias=0.1, var=0.3, **more):
    parts = [pd.DataFrame({"trial": t, "mean": targets(exported, t)[1] + bias, "var": var} | more) for t in trials]
    pd.concat(parts).to_csv(file, index=False)
    return file


def test_scores_equal_their_definitions(exported, tmp_path):
    found = score(exported, predictions(exported, tmp_path / "p.csv"))
    nlpd = 0.5 * np.log(2 * np.pi * 0.3) + 0.5 * 0.01 / 0.3
    smse, snlp = [], []
    for t in (0, 1):
        y_train, y_test = targets(exported, t)
        smse.append(0.01 / y_test.var())
        trivial = 0.5 * np.log(2 * np.pi * y_train.var()) + 0.5 * (y_test - y_train.mean()) ** 2 / y_train.var()
        snlp.append(nlpd - trivial.mean())
    assert found["trials"] == 2
    assert found["nlpd"] == pytest.approx(nlpd)
    assert found["smse"] == pytest.approx(np.mean(smse))
    assert found["snlp"] == pytest.approx(np.mean(snlp))
    assert found["nmse"] > 0


def test_rows_may_come_in_any_order_when_they_are_named(exported, tmp_path, rng):
    index = np.loadtxt(exported / "trial-000" / "test_index.csv", skiprows=1, dtype=int)
    y = targets(exported, 0)[1]
    table = pd.DataFrame({"trial": 0, "row": index, "mean": y + np.linspace(0, 1, len(y)), "var": 0.2})
    table.to_csv(tmp_path / "a.csv", index=False)
    table.sample(frac=1, random_state=3).to_csv(tmp_path / "b.csv", index=False)
    assert score(exported, tmp_path / "a.csv") == score(exported, tmp_path / "b.csv")


def test_a_file_inside_a_trials_folder_belongs_to_that_trial(exported):
    y = targets(exported, 1)[1]
    file = exported / "trial-001" / "predictions.csv"
    pd.DataFrame({"mean": y, "var": 1.0}).to_csv(file, index=False)
    assert score(exported, file)["nmse"] == 0.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("mean\n1\n", "needs the columns mean and var"),
        ("mean,var\n1,1\n", "add a column `trial`"),
        ("trial,mean,var\n7,1,1\n", "trial 7 was not exported"),
        ("trial,mean,var\n0,1,1\n", "1 predictions for the 30 test cases"),
        ("trial,mean,var\n0,1,nan\n", "line 2: var is not a finite number"),
        ("trial,row,mean,var\n" + "0,0,1,1\n" * 30, "each of the 30 test cases"),
        ("trial,mean,var\n" + "0,1,-1\n" * 30, "var must be positive"),
        ("", "not readable as CSV"),
    ],
)
def test_predictions_that_cannot_be_scored_are_one_sentence(exported, tmp_path, content, message):
    (tmp_path / "p.csv").write_text(content)
    with pytest.raises(DataError, match=message) as error:
        score(exported, tmp_path / "p.csv")
    assert error.value.exit_code == 3


@pytest.fixture
def folder(tmp_path):
    folder = Path(shutil.copytree(SMALL, tmp_path / "results"))
    file = folder / "config.resolved.yaml"
    file.write_text(
        re.sub(r"- method: \S+\n  label: \S+-cache\n", "", file.read_text())
    )  # made by hand: the same again
    return folder


@pytest.fixture
def of_folder(folder, tmp_path):
    """The splits of its own trials, as `gpbench data export -c` writes them."""
    return own_export(folder, tmp_path / "own")


def own_export(folder, out, **changes):
    trials = every_trial(load_config(folder / "config.resolved.yaml"))
    chosen = {t.index: replace(t, **changes) for t in trials if t.dataset_name == "friedman3" and t.index < 2}
    return export_trials(list(chosen.values()), out)[0]


@pytest.mark.parametrize("changes", [{"seed": 1}, {"split": {"kind": "random", "n_train": 150, "n_test": 20}}])
def test_scores_on_other_splits_or_another_seed_are_refused(folder, tmp_path, changes):
    other = own_export(folder, tmp_path / "other-export", **changes)
    with pytest.raises(ConfigError, match=r"trial 0 of the export .* is not that of .*config.resolved.yaml"):
        score(other, predictions(other, tmp_path / "p.csv"), label="GPy", into=folder)
    assert not (folder / "external.csv").exists()


def test_an_export_that_does_not_say_its_seed_is_refused(exported, folder, tmp_path):
    with pytest.raises(ConfigError, match="does not say of which seed"):
        score(exported, predictions(exported, tmp_path / "p.csv"), into=folder)


@pytest.mark.parametrize("key, value", [("target_units", "standardised"), ("nmse_variance", "test")])
def test_scores_in_other_units_or_by_another_variance_are_refused(of_folder, folder, tmp_path, key, value):
    with open(folder / "config.resolved.yaml", "a") as f:
        f.write(f"{key}: {value}\n")
    with pytest.raises(ConfigError, match=f"with {key}: {value}; predictions of an export have {key}: "):
        score(of_folder, predictions(of_folder, tmp_path / "p.csv"), into=folder)


def test_scores_enter_the_tables_of_a_results_folder(of_folder, folder, tmp_path):
    exported = of_folder
    before = (folder / "results.csv").read_bytes()
    file = predictions(exported, tmp_path / "p.csv")
    scores = score(exported, file, label="GPy", into=folder)
    score(exported, file, label="GPy", into=folder)  # again: replaced, not doubled
    ours = load(folder).ok
    ours = ours[ours["label"] == "GPy"]
    assert len(ours) == 2
    assert ours["nmse"].mean() == pytest.approx(scores["nmse"])
    assert any(first == "GPy" for t in tables(load(folder)) for first, _ in t.rows)
    assert (folder / "results.csv").read_bytes() == before  # the next run rewrites that file from its trials


def test_scores_of_others_that_cannot_be_read_are_not_replaced(of_folder, folder, tmp_path):
    (folder / "external.csv").mkdir()
    with pytest.raises(DataError, match=r"external.csv: not readable"):
        score(of_folder, predictions(of_folder, tmp_path / "p.csv"), label="GPy", into=folder)


def test_a_label_of_a_method_cannot_be_taken(of_folder, folder, tmp_path):
    exported = of_folder
    with pytest.raises(ConfigError, match="choose another --label"):
        score(exported, predictions(exported, tmp_path / "p.csv"), label="gpe", into=folder)

"""check --needed and run --for-check: which trials the inconclusive cells of a folder want."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

from gpbench.analysis.results_table import load
from gpbench.cli import cli
from gpbench.papers.verdicts.undecided import for_check, needed
from tests.helpers.made_folders import SMALL


@pytest.fixture(scope="module")
def wanted():
    return {(n.dataset, n.label): n for n in needed([load(SMALL)])}


def test_a_cell_wants_trials_from_where_the_folder_ends(wanted):
    """Six trials are there; NLPP's NMSE on Boston is too noisy in print for fewer than the paper's hundred."""
    n = wanted["boston", "nlpp"]
    assert (n.first, n.last, n.cells) == (6, 99, 2)
    assert n.line() == f"{SMALL}: boston, nlpp: trials 6-99 (94 more, for 2 cells)"
    assert wanted["friedman3", "nlpp"].last == 19  # of its two cells the hungrier one


def test_cells_that_are_decided_want_nothing(wanted):
    assert ("boston", "nlgpp") not in wanted


def test_spent_trials_are_made_up_for(tmp_path):
    folder = Path(shutil.copytree(SMALL, tmp_path / "copy"))
    config = yaml.safe_load((folder / "config.resolved.yaml").read_text())
    config["published"] = [{**p, "spent": 3} for p in config["published"]]
    (folder / "config.resolved.yaml").write_text(yaml.safe_dump(config))
    found = {(n.dataset, n.label): n for n in needed([load(folder)])}
    assert (found["boston", "nlpp"].first, found["boston", "nlpp"].last) == (6, 102)  # a hundred after the three
    results = pd.read_csv(folder / "results.csv", dtype=str, keep_default_na=False)
    results[results["trial"].astype(int) >= 3].to_csv(folder / "results.csv", index=False)
    found = {(n.dataset, n.label): n for n in needed([load(folder)])}
    assert found["boston", "nlpp"].first == 6  # those three are not asked for, though they were never run


def test_spent_trials_may_be_of_some_methods_or_data_sets_only(tmp_path):
    folder = Path(shutil.copytree(SMALL, tmp_path / "copy"))
    config = yaml.safe_load((folder / "config.resolved.yaml").read_text())
    config["published"] = [{**p, "spent": {"nlpp": 3, "friedman3": 2}} for p in config["published"]]
    (folder / "config.resolved.yaml").write_text(yaml.safe_dump(config))
    rows = load(folder).rows
    spent = rows[rows["spent"]].groupby(["dataset", "label"])["trial"].max()
    assert spent["boston", "nlpp"] == 2 and ("boston", "gpe") not in spent
    assert spent["friedman3", "nlpp"] == 2 and spent["friedman3", "gpe"] == 1


def test_folds_are_wanted_by_the_repetition(tmp_path):
    rows = pd.read_csv(SMALL / "results.csv", dtype=str, keep_default_na=False)
    ours = rows[(rows["dataset"] == "boston") & (rows["label"] == "gpe")].head(1)
    folds = pd.concat([ours] * 10).assign(
        trial=[str(t) for t in range(10)], trial_id=[f"{t:016d}" for t in range(10)], dataset="ionosphere",
        method="ep", label="k_se", n_train="316", n_test="35", err="0.2", nlpd="0.15", nmse="", cache="", d_max="",
    )  # fmt: skip
    folds.to_csv(tmp_path / "results.csv", index=False)
    config = {"split": {"kind": "folds", "k": 10}, "published": {"paper": "vanhatalo", "item": "Table 2"}}
    (tmp_path / "config.resolved.yaml").write_text(yaml.safe_dump(config))
    (n,) = needed([load(tmp_path)])
    assert (n.first, n.last) == (10, 29)  # two repetitions of ten folds more


def trials(last):
    names = [("boston", "nlpp"), ("boston", "nlgpp"), ("friedman3", "nlpp")]
    return [SimpleNamespace(dataset_name=d, label=m, index=i) for d, m in names for i in range(last + 1)]


def test_for_check_keeps_the_trials_that_are_needed_and_says_what_the_plan_lacks():
    kept, short = for_check(SMALL, trials(40))
    assert {(t.dataset_name, t.label) for t in kept} == {("boston", "nlpp"), ("friedman3", "nlpp")}
    assert [t.index for t in kept if t.dataset_name == "friedman3"] == list(range(6, 20))
    assert [t.index for t in kept if t.dataset_name == "boston"] == list(range(6, 41))
    assert any(line.startswith(f"{SMALL}: boston, nlpp") and "the plan ends at 40" in line for line in short)


def test_a_folder_without_results_wants_the_whole_plan(tmp_path):
    assert for_check(tmp_path, trials(2)) == (trials(2), [])


def test_check_needed_lists_trials_and_never_fails():
    found = CliRunner().invoke(cli, ["check", str(SMALL), "--needed", "--json"])
    assert found.exit_code == 0
    listed = json.loads(found.stdout)
    assert {"folder", "dataset", "label", "first", "last", "cells"} == set(listed[0])
    assert any((n["dataset"], n["label"], n["last"]) == ("boston", "nlpp", 99) for n in listed)

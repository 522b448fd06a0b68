"""A folder without trials/ is continued from its archive; a line that was edited is not believed."""

import json
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from gpbench.experiment.plan.trial import digest

CONFIG = """
name: kept
dataset: {name: friedman3, n_train: 60, n_test: 50}
trials: 3
hyperparameters: {schedule: fixed, values: {variance: 1.0, lengthscale: 1.5, noise: 0.1}}
d_max: [10, 20]
methods: [sod, nlml]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kept.yaml").write_text(CONFIG)
    run(tmp_path, "--trials", "0-1")
    shutil.rmtree(tmp_path / "out" / "trials")
    return tmp_path / "out"


def run(here, *options):
    command = [sys.executable, "-m", "gpbench", "run", "kept.yaml", "-o", "out", *options]
    ran = subprocess.run(command, cwd=here, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stderr


def test_only_what_is_missing_runs_and_nothing_archived_is_lost(folder):
    before = pd.read_csv(folder / "results.csv").set_index("trial_id")
    curves = pd.read_csv(folder / "curves.csv")
    said = run(folder.parent)
    after = pd.read_csv(folder / "results.csv").set_index("trial_id")
    assert len(before) == 8 and len(after) == 12 and "[12/12]" in said and "[8/12]" not in said
    pd.testing.assert_frame_equal(after.loc[before.index], before)
    assert len(list((folder / "trials").glob("*.json"))) == 4
    merged = pd.read_csv(folder / "curves.csv").merge(curves)
    assert len(merged) == len(curves)


def test_a_run_of_other_sizes_leaves_what_is_archived_alone(folder):
    lines = (folder / "archive.jsonl").read_text().splitlines()
    curves = pd.read_csv(folder / "curves.csv")
    run(folder.parent, "--set", "d_max=[15]", "--trials", "0-1")
    assert set(pd.read_csv(folder / "results.csv").d_max) == {10, 15, 20}
    assert set(lines) < set((folder / "archive.jsonl").read_text().splitlines())
    assert len(pd.read_csv(folder / "curves.csv").merge(curves)) == len(curves)
    run(folder.parent, "--trials", "0-1")
    assert len(pd.read_csv(folder / "results.csv")) == 8
    assert len(list((folder / "trials").glob("*.json"))) == 4  # nothing ran twice


def test_an_edited_line_runs_again(folder):
    lines = (folder / "archive.jsonl").read_text().splitlines()
    record = json.loads(lines[0])
    record["metrics"]["nmse"] = 0.0
    (folder / "archive.jsonl").write_text("\n".join([json.dumps(record), *lines[1:], "not json"]) + "\n")
    said = run(folder.parent, "--trials", "0-1")
    assert [f.stem for f in (folder / "trials").glob("*.json")] == [record["id"]]
    assert pd.read_csv(folder / "results.csv").nmse.min() > 0
    assert "2 damaged line(s) of archive.jsonl moved to quarantine/" in said
    (moved,) = (folder / "quarantine").iterdir()
    assert moved.read_text().splitlines() == [json.dumps(record), "not json"]


def test_lines_stay_byte_for_byte_until_their_trial_has_another_result(folder):
    """Also lines of another version of gpbench: with fields that this one does not know, or without some."""
    lines = [json.loads(line) for line in (folder / "archive.jsonl").read_text().splitlines()]
    for line in lines:
        line.pop("checksum")
    lines[0]["flavour"] = "sweet"
    for name in ("schema", "source", "peak_mb"):
        del lines[1][name]
    texts = [json.dumps({"checksum": digest(line), **line}, separators=(",", ":")) for line in lines]
    (folder / "archive.jsonl").write_text("\n".join(texts) + "\n")
    run(folder.parent)
    assert set(texts) < set((folder / "archive.jsonl").read_text().splitlines())
    assert len(list((folder / "trials").glob("*.json"))) == 4

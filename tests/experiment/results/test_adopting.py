"""`run --from DIR` takes finished trials of equal ids, with their environments, and computes the others."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from gpbench.experiment.plan.trial import digest
from tests.helpers.driver import gpbench

pytestmark = pytest.mark.long
CONFIG = """
name: {name}
dataset: {{name: friedman3, n_train: 60, n_test: 50}}
trials: {trials}
hyperparameters: {{schedule: fixed, values: {{variance: 1.0, lengthscale: 1.5, noise: 0.1}}}}
d_max: {sizes}
methods: [sod, nlml]
"""


def run(here, name, *options, code=0):
    """The command in a folder: what it said."""
    ran = gpbench("run", f"{name}.yaml", "-o", name, *options, cwd=here)
    assert ran.returncode == code, ran.stderr
    return ran.stdout + ran.stderr


def lines(folder):
    return {json.loads(line)["id"]: line for line in (folder / "archive.jsonl").read_text().splitlines()}


def table(folder):
    return pd.read_csv(folder / "results.csv").set_index("trial_id")


@pytest.fixture
def here(tmp_path):
    """`small` has run; `large` plans its trials and as many more."""
    (tmp_path / "small.yaml").write_text(CONFIG.format(name="small", trials=2, sizes="[10]"))
    (tmp_path / "large.yaml").write_text(CONFIG.format(name="large", trials=2, sizes="[10, 20]"))
    run(tmp_path, "small")
    return tmp_path


@pytest.mark.parametrize("committed", [True, False])
def test_finished_trials_are_taken_and_the_others_run(here, committed):
    small, large = here / "small", here / "large"
    if committed:
        shutil.rmtree(small / "trials")
    assert "4 finished trials would be taken from small" in (said := run(here, "large", "-n", "--from", "small"))
    assert "8 trials, 4 done" in said and "large" not in [f.name for f in here.iterdir()]
    assert "4 finished trials taken from small" in run(here, "large", "--from", "small")
    pd.testing.assert_frame_equal(table(large).loc[table(small).index], table(small), check_dtype=False)
    assert len(table(large)) == 8 and lines(small).items() <= lines(large).items()
    environments = {json.loads(line)["env"] for line in lines(large).values()}
    for env in environments:
        assert (large / "env" / f"{env}.json").is_file()
    for env in {json.loads(line)["env"] for line in lines(small).values()}:
        assert (large / "env" / f"{env}.json").read_bytes() == (small / "env" / f"{env}.json").read_bytes()
    assert len(list((large / "trials").glob("*.json"))) == (4 if committed else 8)
    if committed:  # of traces that are there, curves.csv keeps what the larger sizes do not hold
        curves = {folder: pd.read_csv(folder / "curves.csv") for folder in (small, large)}
        assert len(curves[small].merge(curves[large])) == len(curves[small]) > 0
    before = lines(large)
    assert "0 finished trials taken from small" in run(here, "large", "--from", "small") and lines(large) == before


def test_where_all_trials_are_taken_nothing_runs_and_curves_and_notes_come_along(here):
    small, twin = here / "small", here / "twin"
    shutil.rmtree(small / "trials")
    noted = "friedman3,a remark,4\n"
    archived = [json.loads(line) for line in (small / "archive.jsonl").read_text().splitlines()]
    for body in archived:
        body |= {"notes": ["a remark"]}
        body.pop("checksum")
    text = "".join(json.dumps({"checksum": digest(body), **body}) + "\n" for body in archived)
    (small / "archive.jsonl").write_text(text)
    (small / "notes.csv").write_text((small / "notes.csv").read_text() + noted)
    (small / "notes.csv.sha256").unlink()
    (here / "twin.yaml").write_text((here / "small.yaml").read_text().replace("name: small", "name: twin"))
    assert "4 finished trials taken from small" in run(here, "twin", "--from", "small")
    assert not list((twin / "trials").iterdir())
    for name in ("archive.jsonl", "results.csv", "curves.csv", "notes.csv"):
        assert (twin / name).read_text() == (small / name).read_text() != "", name


def test_what_cannot_be_trusted_is_computed(here):
    small, large = here / "small", here / "large"
    shutil.rmtree(small / "trials")
    edited, *others = (small / "archive.jsonl").read_text().splitlines()
    (small / "archive.jsonl").write_text("\n".join([edited.replace('"nmse":', '"nmse":1'), *others]) + "\n")
    assert "3 finished trials taken from small" in run(here, "large", "--from", "small")
    assert len(list((large / "trials").glob("*.json"))) == 5
    shutil.rmtree(large)
    for file in (small / "env").iterdir():
        file.write_text("{}")
    assert "0 finished trials taken from small" in run(here, "large", "--from", "small")
    assert len(table(large)) == len(list((large / "trials").glob("*.json"))) == 8


def test_with_predictions_only_trials_that_have_theirs_are_taken(here):
    assert "0 finished trials would be taken" in run(here, "large", "-n", "--from", "small", "--save-predictions")
    run(here, "small", "--save-predictions")
    assert "4 finished trials taken" in run(here, "large", "--from", "small", "--save-predictions")
    for file in (here / "small" / "trials").glob("*.npz"):
        assert (here / "large" / "trials" / file.name).read_bytes() == file.read_bytes()
    assert len(list((here / "large" / "trials").glob("*.npz"))) == 8


def test_a_damaged_line_of_the_folder_still_goes_to_quarantine(here):
    run(here, "large", "--trials", "0")
    shutil.rmtree(here / "large" / "trials")
    with open(here / "large" / "archive.jsonl", "a") as file:
        file.write("not json\n")
    assert "1 damaged line(s) of archive.jsonl moved to quarantine/" in run(here, "large", "--from", "small")
    (moved,) = (here / "large" / "quarantine").iterdir()
    assert moved.read_text() == "not json\n"


def test_the_folder_itself_and_rerun_all_are_refused_in_a_sentence(here):
    assert "it is the folder of the results itself" in run(here, "small", "--from", "small", code=2)
    assert "give one of them" in run(here, "large", "--from", "small", "--rerun", "all", code=2)
    assert not Path(here / "large").exists()

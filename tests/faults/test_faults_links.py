"""A results folder that came from somebody else must not reach beyond itself."""

import os

import numpy as np
import pytest

from gpbench.errors import StorageError
from gpbench.experiment.evaluation.checkpoint import Journal
from gpbench.experiment.results.folder import ResultsFolder
from tests.helpers.driver import finish, gpbench, run_here, trial, write_job


@pytest.fixture
def precious(tmp_path):
    file = tmp_path / "precious.txt"
    file.write_text("mine")
    return file


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    run_here(folder, [trial()])
    return folder


def test_a_lock_that_is_a_link_is_refused_and_its_target_untouched(tmp_path, precious):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/.lock").symlink_to(precious)
    with pytest.raises(StorageError, match=r"\.lock: .*follows no links"):
        run_here(tmp_path / "out", [trial()])
    assert precious.read_text() == "mine"


def test_a_log_that_is_a_link_is_refused_with_exit_7_and_its_target_untouched(tmp_path, precious):
    (tmp_path / "out/logs").mkdir(parents=True)
    (tmp_path / f"out/logs/{trial().id}.log").symlink_to(precious)
    code, err = finish(tmp_path / "out", write_job(tmp_path / "job.json", [trial()]))
    assert code == 7 and "follows no links" in err and "Traceback" not in err
    assert precious.read_text() == "mine" and not list(ResultsFolder(tmp_path / "out").folder.glob("failures/*"))


def test_a_pipe_in_place_of_a_log_is_refused_not_waited_for(tmp_path):
    (tmp_path / "out/logs").mkdir(parents=True)
    os.mkfifo(tmp_path / f"out/logs/{trial().id}.log")
    code, err = finish(tmp_path / "out", write_job(tmp_path / "job.json", [trial()]))
    assert code == 7 and "cannot write" in err


@pytest.mark.parametrize("there", [True, False])
def test_the_servers_log_that_is_a_link_is_refused_and_makes_no_file_elsewhere(there, tmp_path, precious):
    (tmp_path / "out/logs").mkdir(parents=True)
    (tmp_path / "out/logs/server.log").symlink_to(precious if there else tmp_path / "absent")
    with pytest.raises(StorageError, match=r"server\.log: .*follows no links"):
        run_here(tmp_path / "out", [trial()])
    assert precious.read_text() == "mine" and not (tmp_path / "absent").exists()


@pytest.mark.parametrize("which", ["file", "folder"])
def test_a_journal_that_is_a_link_is_refused_and_its_target_untouched(which, tmp_path, precious):
    journal = tmp_path / "out/journals/x.jsonl"
    (tmp_path / "elsewhere").mkdir()
    if which == "file":
        journal.parent.mkdir(parents=True)
        journal.symlink_to(precious)
    else:
        (tmp_path / "out").mkdir()
        journal.parent.symlink_to(tmp_path / "elsewhere")
    objective = Journal(journal)(lambda x: (0.0, x))
    with pytest.raises(StorageError, match="follows no links"):
        objective(np.zeros(2))
    assert precious.read_text() == "mine" and not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("name", ["trials", "logs", "env"])
def test_a_folder_that_is_a_link_is_refused(name, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match=rf"{name}: it is a link; gpbench follows no links"):
        run_here(tmp_path / "out", [trial()])
    assert not list((tmp_path / "elsewhere").iterdir())


def test_files_that_are_drawn_replace_a_link_and_leave_its_target(finished_run, tmp_path, precious):
    out = tmp_path / "out"
    os.system(f"cp -r '{finished_run}' '{out}'")
    (out / "tables").mkdir()
    for file in (out / "report.html", out / "tables/results.md", out / "results.csv"):
        text = file.read_bytes() if file.exists() else b""
        file.unlink(missing_ok=True)
        target = tmp_path / f"target-{file.name}"
        target.write_bytes(text)
        file.symlink_to(target)
    before = {p: p.read_bytes() for p in tmp_path.glob("target-*")}
    assert gpbench("report", out).returncode == 0 and gpbench("tables", out).returncode == 0
    assert {p: p.read_bytes() for p in before} == before
    (out / "plots").symlink_to(tmp_path)
    done = gpbench("plot", out)
    if not done.stdout:  # nothing to draw from one trial: then nothing was followed either
        assert not list(tmp_path.glob("*.svg"))
    else:
        assert done.returncode == 7 and "it is a link" in done.stderr


def test_the_results_folder_itself_may_be_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk")
    assert run_here(tmp_path / "out", [trial()]).exit_code == 0
    assert gpbench("report", tmp_path / "out").returncode == 0

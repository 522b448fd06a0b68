"""Nothing false on disk: what is no result of a trial is not stored as one, and what is wrong is refused."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from gpbench.errors import DataError
from gpbench.experiment.evaluation.checkpoint import Journal
from gpbench.experiment.results.folder import ResultsFolder
from tests.helpers.driver import FAKES, gpbench, rows, run_here, server_of, start, trial, wait_until, write_job

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@linux
def test_a_job_that_outlives_its_run_leaves_no_record_of_a_failure(tmp_path):
    """The server is stopped, so that nobody ends the path when the main process is gone."""
    trials = [trial("fake-path", d_max=d, seconds=0.4) for d in (3, 7, 12, 15)]
    process = start(tmp_path / "out", write_job(tmp_path / "job.json", trials))
    store = ResultsFolder(tmp_path / "out")
    wait_until(lambda: store.trial_path(trials[0].id).exists())
    server = server_of(process)
    os.kill(server, signal.SIGSTOP)
    try:
        process.kill()
        process.communicate()
        time.sleep(2)
    finally:
        os.kill(server, signal.SIGCONT)
    wait_until(lambda: not Path(f"/proc/{server}").exists())
    assert list(store.folder.glob("failures/*")) == []
    known = {p: p.stat().st_ino for p in store.folder.glob("trials/*.json")}
    assert run_here(tmp_path / "out", trials).exit_code == 0
    assert {p: p.stat().st_ino for p in known} == known
    run_here(tmp_path / "whole", trials)
    assert rows(tmp_path / "out") == rows(tmp_path / "whole")


PLUGIN = """
import time
from pathlib import Path
import numpy as np
from gpbench.methods.base import Fitted, Method, Prediction
{more}
class Mine(Method):
    name = "mine"
    d_max: int = 3

    def fit(self, problem, rng):
        if self.d_max == 1:
            Path("begun").touch()
            while not Path("edited").exists():
                time.sleep(0.01)
        return Fitted(lambda X: Prediction(np.full(len(X), {value}), np.ones(len(X))), problem.gp, self.d_max)
"""
CONFIG = """
name: t
dataset: {name: friedman3, n_train: 20, n_test: 20}
methods: [mine]
d_max: [1, 2]
hyperparameters: {values: {variance: 1, lengthscale: 1, noise: 0.1}}
"""


@pytest.mark.parametrize("helper", [False, True])
def test_a_plugin_that_is_edited_during_a_run_is_refused_where_it_is_loaded(tmp_path, helper):
    plugin, edited = tmp_path / "mine.py", tmp_path / ("helping.py" if helper else "mine.py")
    value, more = ("helping.value", "import helping") if helper else ("0.25", "")
    (tmp_path / "helping.py").write_text("value = 0.25\n")
    plugin.write_text(PLUGIN.format(value=value, more=more))
    (tmp_path / "t.yaml").write_text(CONFIG)
    command = [sys.executable, "-m", "gpbench", "run", "t.yaml", "--plugin", "mine.py", "-o", "out"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_until((tmp_path / "begun").exists)
    edited.write_text(edited.read_text().replace("0.25", "0.75"))
    (tmp_path / "edited").touch()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1 and "internal error" not in err
    found = [json.loads(p.read_text())["result"] for p in sorted(tmp_path.glob("out/*/*.json")) if "env" not in str(p)]
    by_size = {r["trial"]["params"]["d_max"]: r for r in found}
    assert by_size[1]["status"] == "ok" and by_size[2]["status"] == "failed"
    assert "has changed since the run was planned" in by_size[2]["reason"]
    assert "has changed since the run was planned" in err


WRONG = {
    "complex": "targets have type complex128, expected real numbers",
    "short": "50 targets for 60 rows",
    "nan": "inputs are missing or infinite, first in row 0",
    "infinite": "targets are missing or infinite, first in row 0",
    "text": "inputs have type <U.*, expected real numbers",
    "column": r"expected inputs \(n, D\) and targets \(n,\), got \(60, 2\) and \(60, 1\)",
    "classes": r"its target contains .*: classes are texts or whole numbers",
    "rows": "its published split names rows beyond the 60 there are",
    "tuple": "load returned tuple, not a Dataset",
    "empty": "has no rows",
}


@pytest.mark.parametrize("how", WRONG)
def test_data_of_a_plugin_are_checked_like_a_users_file(how, tmp_path):
    with pytest.raises(DataError, match=f"dataset odd: {WRONG[how]}"):
        run_here(tmp_path / "out", [trial(dataset={"name": "odd", "how": how})])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("how, status, reason", [("exit", "failed", "SystemExit"), ("crash", "crashed", "SIGSEGV")])
def test_a_plugins_load_that_ends_its_process_costs_its_trials_only(how, status, reason, tmp_path):
    summary = run_here(tmp_path, [trial(dataset={"name": "odd", "how": how}), trial()])
    assert (summary.exit_code, summary.done, summary.failed) == (1, 1, 1)
    (failure,) = summary.failures
    assert failure.status == status and reason in failure.reason


def test_a_plugins_load_that_wants_to_leave_does_not_end_an_export_with_its_code(tmp_path):
    done = gpbench("data", "export", "leaver", "--plugin", "leaver.py", "-o", "out", cwd=_with_leaver(tmp_path))
    assert done.returncode == 3 and "dataset leaver: its load wanted to end the process" in done.stderr


def _with_leaver(folder):
    text = "import sys\nfrom gpbench.extend import Source\nclass Leaver(Source):\n    name = 'leaver'\n"
    text += "    generated = True\n    def load(self, paths, rng):\n        sys.exit(0)\n"
    (folder / "leaver.py").write_text(text)
    return folder


@linux
def test_closed_standard_streams_cost_no_trial(tmp_path):
    (tmp_path / "t.yaml").write_text(CONFIG.replace("mine", "fake").replace("[1, 2]", "4"))
    command = f'exec "{sys.executable}" -m gpbench run t.yaml -o out --plugin "{FAKES}" <&- >&- 2>&-'
    assert subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, timeout=120).returncode == 0
    assert len(list(tmp_path.glob("out/trials/*.json"))) == 1 and not list(tmp_path.glob("out/failures/*"))
    assert (tmp_path / "out/report.html").exists()


def test_text_that_no_file_or_terminal_can_take_is_written_out(tmp_path, capsys):
    from gpbench.experiment.run import progress, run

    trials = [trial(behaviour="surrogate"), trial(behaviour="mute"), trial()]
    options = run.Options(plugins=[FAKES])
    summary = run.run("test", "name: test\n", trials, tmp_path, options, progress=progress.choose())
    assert (summary.done, summary.failed) == (1, 2)
    said = capsys.readouterr().err + (tmp_path / "results.csv").read_text()
    assert r"ValueError: bad \udc80 byte, \x1b[31mred\x1b[0m" in said
    assert "Mute: (no message: RuntimeError)" in said and not any(c in said for c in "\x1b\x00\r")
    assert run_here(tmp_path, trials).ran == 0  # the folder is no trap


def test_a_folder_that_already_holds_such_text_goes_on(tmp_path):
    from gpbench.experiment.results.checked_files import write_checked
    from gpbench.experiment.results.trial_result import TrialResult

    odd = trial(behaviour="raise")
    run_here(tmp_path, [odd])
    body = json.loads(ResultsFolder(tmp_path).failure_path(odd.id).read_text())
    body["result"]["reason"] = "bad \udc80"
    write_checked(ResultsFolder(tmp_path).failure_path(odd.id), {"result": body["result"]})
    summary = run_here(tmp_path, [odd, trial()])
    assert (summary.ran, summary.failures[0].reason) == (1, r"bad \udc80")
    assert gpbench("status", tmp_path).returncode == 0
    assert TrialResult(odd, reason="\x1b[2J").reason == r"\x1b[2J"


@pytest.mark.parametrize("damage", [b"garbage\n", b"\xff\xfe\n", b"[1]\n", b'{"x": ["0x1p+0"]}\n', b'{"x": ["half'])
def test_a_damaged_journal_is_cut_where_the_damage_begins_and_the_climb_goes_on(damage, tmp_path):
    path, asked = tmp_path / "journals/x.jsonl", []

    def climb():
        objective = Journal(path)(lambda x: (asked.append(x), (float(x[0]), x))[1])
        return [objective(np.array([v]))[0] for v in (1.0, 2.0, 3.0)]

    whole = climb()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + damage + lines[2])
    asked.clear()
    assert climb() == whole and [x[0] for x in asked] == [2.0, 3.0]
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize("behaviour", ["scribble", "close-all"])
def test_a_method_that_writes_to_or_closes_every_open_file_spoils_nothing_else(behaviour, tmp_path):
    trials = [trial(behaviour=behaviour), trial("fake-path", d_max=3, scribbles=True), trial()]
    trials += [trial("fake-path", d_max=5, scribbles=True)]
    summary = run_here(tmp_path, trials, jobs=2)
    assert (summary.done, summary.failed, summary.left) == (4, 0, 0), summary.failures

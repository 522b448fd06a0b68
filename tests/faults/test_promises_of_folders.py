"""What happens to a results folder or around it: healed by `run`, named by the others, never used in silence."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gpbench as package
from gpbench.analysis.results_table import kept_curves, kept_notes
from gpbench.cli.run import write_curves
from gpbench.errors import DataError, StorageError
from gpbench.experiment.results import checked_files
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.results.inventory import Inventory
from gpbench.experiment.results.summary import summarise
from gpbench.experiment.run.local import os_limits
from gpbench.system import atomic_files, numba_cache
from tests.helpers.driver import REPO, gpbench, run_here, trial, wait_until

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux's limits and mounts")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished folder with predictions, made once."""
    folder = tmp_path_factory.mktemp("finished")
    text = (
        "name: small\ndataset: {name: friedman3, n_train: 40, n_test: 30}\ntrials: 2\n"
        "methods: [{method: nlml, d_max: 5}]\n"
        "hyperparameters: {schedule: fixed, values: {variance: 1.0, lengthscale: 1.5, noise: 0.1}}\n"
    )
    (folder / "small.yaml").write_text(text)
    done = gpbench("run", "small.yaml", "--save-predictions", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def folder(finished, here):
    shutil.copytree(finished, here, dirs_exist_ok=True)
    return here / "results/small"


def truncate(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def cut_at_a_line(path):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: max(1, len(lines) // 2)]))


def cut_in_the_last_line(path):
    path.write_bytes(path.read_bytes()[:-20])  # at half of two lines of one length both would be whole


def garbage(path):
    path.write_bytes(b"\x00\xff garbage \n" * 3)


def empty(path):
    path.write_bytes(b"")


DAMAGE = {"truncated": truncate, "cut at the end of a line": cut_at_a_line, "garbage": garbage, "empty": empty}


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("name, read", [("curves.csv", kept_curves), ("notes.csv", kept_notes)])
def test_a_damaged_curves_or_notes_file_is_named_and_never_used(name, read, how, tmp_path):
    texts = {"curves.csv": b"trial_id,step,key,value\na,1,m,.5\na,2,m,.4\n",
             "notes.csv": b"dataset,note,trials\nd,a,1\nd,b,2\n"}  # fmt: skip
    checked_files.write_summed(tmp_path / name, texts[name])
    assert len(read(tmp_path)) == 2
    DAMAGE[how](tmp_path / name)
    with pytest.raises(DataError, match=f"{name}: damaged.*quarantine"):
        read(tmp_path)


def test_whatever_is_damaged_is_named_by_readers_and_healed_by_one_run(folder, command):
    (env,), (npz, other) = (folder / "env").glob("*.json"), sorted((folder / "trials").glob("*.npz"))
    whole = {p: p.read_bytes() for p in (env, npz, folder / "curves.csv", folder / "archive.jsonl")}
    truncate(env)
    code, _, err = command("report", folder)
    assert code == 3 and env.name in err, err
    damage = {env: garbage, npz: truncate, folder / "curves.csv": cut_at_a_line, folder / "results.csv": truncate,
              folder / "plan.json": garbage, folder / "config.resolved.yaml": truncate,
              folder / "archive.jsonl": cut_in_the_last_line}  # fmt: skip
    for path, how in damage.items():
        how(path)
    for reader in ("tables", "status"):
        code, _, err = command(reader, folder)
        assert code in (2, 3, 7) and "\n" not in err.strip(), err
    (folder / "trials" / f"{other.stem}.json").unlink()  # something to run, in the same environment
    code, _, err = command("run", "small.yaml")
    assert code == 0 and f"env/{env.name} was damaged and is now in quarantine/" in err
    assert "curves.csv was damaged and is now in quarantine/; made again from trials/ only" in err
    assert "plan.json was damaged and is now in quarantine/; written again from the config" in err
    assert (folder / "quarantine/plan.json.0").read_bytes().startswith(b"\x00\xff garbage")
    healed = {p for p in whole if p != npz}
    assert {p: p.read_bytes() for p in healed if p.name != "archive.jsonl"} == {
        p: whole[p] for p in healed if p.name != "archive.jsonl"
    }
    assert not npz.exists() and len(list((folder / "quarantine").iterdir())) >= 4
    assert command("run", "small.yaml", "-q", "--save-predictions")[0] == 0
    assert npz.read_bytes() == whole[npz]
    assert all(command(reader, folder)[0] == 0 for reader in ("tables", "report", "status"))


def test_between_the_two_sums_of_a_write_the_file_is_one_of_the_two(tmp_path, monkeypatch):
    file = tmp_path / "curves.csv"
    checked_files.write_summed(file, b"old\n")
    steps, real = [], checked_files.write_atomic

    def watched(path, content):
        real(path, content)
        steps.append(checked_files.as_summed(file))

    monkeypatch.setattr(checked_files, "write_atomic", watched)
    checked_files.write_summed(file, b"new\n")
    assert steps == [True] * 3 and file.read_bytes() == b"new\n"


def test_a_folder_of_another_version_is_told_once(folder, command, monkeypatch):
    body = json.loads((folder / "plan.json").read_text())
    body.pop("checksum")
    checked_files.write_checked(folder / "plan.json", body | {"gpbench": "0.0.9"})
    code, _, err = command("run", "small.yaml")
    assert code == 0 and err.count("was made by gpbench 0.0.9; numbers of changed methods are stale") == 1
    assert "made by" not in command("run", "small.yaml")[2]
    assert ResultsFolder(folder).made_by() == package.__version__


# -- storage while drawing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reader, number",
    [("tables", errno.ENOSPC), ("stats", errno.EACCES), ("plot", errno.EROFS), ("report", errno.ENOSPC)],
)
def test_a_disk_that_refuses_while_drawing_is_exit_7(reader, number, folder, command, monkeypatch):
    def refuse(*args, **_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic_files.os, "replace", refuse)
    code, _, err = command(reader, folder)
    assert code == 7 and "cannot write" in err, err


def test_a_disk_that_refuses_a_run_its_curves_is_exit_7_and_keeps_the_trials(folder, command, monkeypatch):
    monkeypatch.setattr("gpbench.experiment.results.folder.write_summed", _full)
    (folder / "curves.csv").unlink()
    code, _, err = command("run", "small.yaml", "-q")
    assert code == 7 and "No space left" in err, err
    assert len(list((folder / "trials").glob("*.json"))) == 2


def _full(path, *_):
    with checked_files.storing(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# -- signals before and after the trials ----------------------------------------------------------------------------


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("moment", ["planning", "drawing"])
def test_a_signal_outside_of_the_trials_says_what_was_done(moment, number, code, folder, command, monkeypatch):
    def interrupted(*_, **__):
        os.kill(os.getpid(), number)
        time.sleep(60)

    target = "gpbench.experiment.plan.plan.plan" if moment == "planning" else "gpbench.report.render_folder.render_all"
    monkeypatch.setattr(target, interrupted, raising=False)
    begin = time.monotonic()
    got, _, err = command("run", "small.yaml")
    assert got == code and time.monotonic() - begin < 30
    said = "before the first trial" if moment == "planning" else f"`gpbench report results/{folder.name}` draws them"
    assert said in err, err


# -- machines that give little ---------------------------------------------------------------------------------------


@linux
@pytest.mark.parametrize(
    "limit, kilobytes, words",
    [("RLIMIT_AS", 150_000, "ulimit -v"), ("RLIMIT_AS", 250_000, "ulimit -v"), ("RLIMIT_AS", 700_000, "ulimit -v"),
     ("RLIMIT_DATA", 60_000, "ulimit -d"), ("RLIMIT_DATA", 110_000, "ulimit -d"), ("RLIMIT_STACK", 256, "ulimit -s")],
)  # fmt: skip
def test_a_limit_that_is_too_small_is_one_sentence_and_exit_7(limit, kilobytes, words, here):
    """Left to themselves, the libraries exit with a code of their own, or wait for ever (OpenBLAS, for 110 MB)."""
    code = (
        f"import resource as r, sys; h = r.getrlimit(r.{limit})[1]; r.setrlimit(r.{limit}, ({kilobytes} * 1024, h)); "
        "sys.argv = ['gpbench', 'run', 'small.yaml']; from gpbench.cli import main; main()"
    )
    env = {**os.environ, "PYTHONPATH": str(REPO)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60)
    assert done.returncode == 7 and words in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_too_few_files_are_blamed_only_where_they_are_limited(monkeypatch):
    monkeypatch.setattr(os_limits, "_limited", lambda name, least: name == "RLIMIT_NOFILE")
    assert "ulimit -n" in os_limits.blamed_for(OSError(errno.EMFILE, "Too many open files"))
    assert os_limits.blamed_for(ValueError("a bug of ours")) == ""
    assert "ulimit -n" in os_limits.blamed_for(ValueError("pandas: C error: out of memory"))
    monkeypatch.setattr(os_limits, "_limited", lambda name, least: False)
    assert os_limits.blamed_for(OSError(errno.EMFILE, "Too many open files")) == ""
    cure = r"cannot write x: .*; raise the limit of open files \(ulimit -n\)"
    with pytest.raises(StorageError, match=cure), checked_files.storing("x"):
        raise OSError(errno.EMFILE, "Too many open files")


@linux
def test_a_read_only_installation_and_home_cost_a_notice_and_nothing_else(here):
    """In a mount namespace of its own the package is read-only; the home folder cannot be made."""
    script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && cd "$2" && shift 2 && exec "$@"'
    env = {**os.environ, "HOME": "/proc/none", "XDG_CACHE_HOME": "", "PYTHONPATH": str(REPO), "TMPDIR": str(here)}
    inside = ["unshare", "-m", "sh", "-c", script, "sh", str(REPO), str(here)]
    try:
        if subprocess.run([*inside, "true"], capture_output=True).returncode:
            pytest.skip("needs the right to mount")
    except FileNotFoundError:
        pytest.skip("needs unshare(1)")
    command = [*inside, sys.executable, "-m", "gpbench", "run", "small.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=240)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("compiled code is kept in") == 1 and "1 done" in done.stderr


def test_the_folder_for_compiled_code_belongs_to_nobody_else(tmp_path, monkeypatch):
    monkeypatch.setattr(numba_cache.tempfile, "tempdir", str(tmp_path))
    mine = Path(numba_cache._private_folder())
    assert mine.stat().st_mode & 0o077 == 0 and numba_cache._private_folder() == str(mine)
    mine.chmod(0o777)
    assert numba_cache._private_folder() != str(mine)
    mine.rmdir()
    mine.symlink_to(tmp_path)
    assert Path(numba_cache._private_folder()).resolve() != tmp_path.resolve()


def test_a_backend_that_matplotlib_does_not_know_harms_nothing(finished, tmp_path):
    done = gpbench("plot", finished / "results/small", env={"MPLBACKEND": "nonsense"}, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


# -- rights -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["trials", "failures"])
@pytest.mark.parametrize("words", [["status", "results/small"], ["run", "-n", "small.yaml"], ["run", "small.yaml"]])
def test_a_folder_without_the_right_to_read_it_is_exit_7_and_not_empty(folder, command, monkeypatch, name, words):
    def refused(path, *args, **kwargs):
        if str(path).endswith(f"results/small/{name}"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return listed(path, *args, **kwargs)

    listed = os.listdir
    monkeypatch.setattr(checked_files.os, "listdir", refused)  # root, who may run the tests, has every right
    code, out, err = command(*words)
    assert code == 7 and f"cannot read results/small/{name}: Permission denied" in err and "left" not in out


# -- words ----------------------------------------------------------------------------------------------------------


def test_trials_that_lacked_memory_or_a_package_say_how_to_run_them_again(tmp_path):
    memory = run_here(tmp_path / "a", [trial(behaviour="leak")], memory=200)
    assert memory.message.endswith("1 failed; --rerun failed runs them again once their cause is gone")
    package = run_here(tmp_path / "b", [trial(behaviour="no-extra")])
    assert package.exit_code == 5 and package.missing_extra.endswith("; then --rerun failed runs those trials")
    both = summarise([t.trial for t in memory.failures], Inventory({r.trial.id: r for r in memory.failures}))
    assert "once their cause is gone" in both.message


def test_curves_are_condensed_by_a_function_that_cannot_leave_half_a_file(finished, tmp_path, monkeypatch):
    folder = tmp_path / "small"
    shutil.copytree(finished / "results/small", folder)
    (folder / "curves.csv").unlink()
    monkeypatch.setattr(atomic_files.os, "replace", _full)
    with pytest.raises(StorageError):
        write_curves(folder)
    assert not (folder / "curves.csv").exists() and not list(folder.glob(".tmp-*"))


def test_a_reader_that_goes_away_ends_a_command_quietly(finished):
    command = [sys.executable, "-m", "gpbench", "tables", str(finished / "results/small")]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(REPO)}
    )
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    wait_until(lambda: process.poll() is not None)
    assert process.returncode in (0, 141) and err == ""

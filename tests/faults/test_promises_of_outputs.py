"""What a command writes: whole or as it was before, with exit 7 and its name; standard output, too."""

import contextlib
import json
import os
import resource
import shutil
import stat
import subprocess
import sys

import pytest

from gpbench.data import split_files
from gpbench.data.split_files import SEAL
from gpbench.errors import DataError, StorageError
from gpbench.experiment.verify.export_splits import default_trial, export_trials
from gpbench.report.site.readme_state import BEGIN, END
from gpbench.system import atomic_files
from tests.helpers.driver import REPO, ballast, gpbench

OLDER = "older\n"
README = f"{BEGIN}\n{OLDER}{END}\n"
ROWS, MANY = 30, 20_000  # of a csv; predictions of the latter are more than a pipe holds
FIT = "fit rows.csv --target y --method sod --n-basis 5 --learn fixed -o model.npz"
PAPER = REPO / "results" / "snelson-figure4"
OUTPUTS = {  # command: what it writes, as patterns
    FIT: ["model.npz"],
    "predict fitted.npz rows.csv -o out.csv": ["out.csv"],
    f"check {PAPER} --junit junit.xml": ["junit.xml"],
    f"check {PAPER} --report state.md": ["state.md"],
    "tables results/small": ["results/small/tables/*"],
    "stats results/small": ["results/small/stats/*"],
    "plot paper --format svg": ["paper/plots/*"],
    "report results/small": ["results/small/report.html"],
    f"site {PAPER} -o site --readme README.md": ["site/**/*", "README.md"],
    "data export friedman3 --n-train 40 -o exported": ["exported/**/*"],
    "score splits predictions.csv --into results/small": ["results/small/external.csv"],
    "advise rows.csv --target y --budget 60s -m sod --most 5 -o advice": ["advice/advice.*"],
}


def table(rows):
    return "u,v,y\n" + "".join(f"{i % 7},{i % 11},{(i % 7) * (i % 11)}\n" for i in range(rows))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Inputs of every command, made once."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "rows.csv").write_text(table(ROWS))
    (folder / "README.md").write_text(README)
    shutil.copytree(PAPER, folder / "paper")
    (folder / "small.yaml").write_text(
        "name: small\ndataset: {name: friedman3, n_train: 40, n_test: 30}\ntrials: 2\n"
        "hyperparameters: {schedule: fixed, values: {variance: 1.0, lengthscale: 1.5, noise: 0.1}}\n"
        "methods: [{method: sod, d_max: 10}]\n"
    )
    for words in ("run small.yaml -q", "data export -c small.yaml -o splits --trials 0", FIT):
        done = gpbench(*words.split(), cwd=folder)
        assert done.returncode == 0, done.stderr
    (folder / "model.npz").rename(folder / "fitted.npz")
    cases = (folder / "splits/trial-000/y_test.csv").read_text().split()[1:]
    (folder / "predictions.csv").write_text("mean,var\n" + "".join(f"{y},1.0\n" for y in cases))
    return folder


def written(place, words):
    return sorted(p for pattern in OUTPUTS[words] for p in place.glob(pattern) if p.is_file())


@contextlib.contextmanager
def full(place):
    ballast(place, leave=0)
    yield
    (place / "ballast").unlink()


@contextlib.contextmanager
def read_only(place):
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    yield
    subprocess.run(["mount", "-o", "remount,rw", str(place)], check=True)


@contextlib.contextmanager
def size_limit(place):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("small_disk", [8 * 2**20], indirect=True, ids=["disk"])
@pytest.mark.parametrize("words", OUTPUTS, ids=lambda words: words.replace(str(PAPER), "PAPER"))
def test_every_output_of_every_command_is_whole_or_as_it_was(prepared, small_disk, command, monkeypatch, words):
    place = small_disk / "place"
    shutil.copytree(prepared, place)
    monkeypatch.chdir(place)
    code, _, err = command(*words.split())
    assert code in (0, 1, 4), err  # 1: the budget of advise is small; 4: a check that fails
    older = {path: README if path.name == "README.md" else OLDER for path in written(place, words)}
    assert older
    for path, text in older.items():
        path.write_text(text)
    for fault, why in (
        (size_limit, "File too large"), (full, "No space left on device"), (read_only, "Read-only file system")
    ):  # fmt: skip
        with fault(small_disk):
            code, _, err = command(*words.split())
        assert code == 7 and why in err, (fault, code, err)
        named = err.partition("cannot write ")[2].partition(" (")[0].partition(":")[0]
        folders = {parent for path in older for parent in path.parents if place in parent.parents}
        assert place / named in {*older, *folders} or (place / named).parent in folders, err
        assert {path: path.read_text() for path in written(place, words)} == older, fault
        assert not list(place.rglob(f"{atomic_files.TEMPORARY}*")), fault


def test_a_new_folder_of_shards_is_whole_or_absent(small_disk, command):
    ballast(small_disk, leave=64 * 1024)
    out = small_disk / "shards"
    code, _, err = command("data", "shards", "friedman1", "-n", 100_000, "-o", out)
    assert code == 7 and f"cannot write {out}: No space left" in err
    assert [p.name for p in small_disk.iterdir()] == ["ballast"]


# -- what stands at the place of a file ---------------------------------------------------------------------------


def test_a_link_stays_a_link_permissions_stay_and_a_device_is_written_to(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text(OLDER)
    target.chmod(0o600)
    link.symlink_to(target)
    atomic_files.write(link, "newer\n")
    assert link.is_symlink() and target.read_text() == "newer\n" and stat.S_IMODE(target.stat().st_mode) == 0o600
    atomic_files.write("/dev/null", "newer\n")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(StorageError, match="cannot write /dev/full: No space left on device"):
        atomic_files.write("/dev/full", "newer\n")
    with pytest.raises(StorageError, match="Is a directory"):
        atomic_files.write(tmp_path, "newer\n")


# -- exports ------------------------------------------------------------------------------------------------------


def exported(out, seed):
    export_trials([default_trial("friedman3", {"kind": "random", "n_train": 20}, seed, 0)], out)
    return files_of(out)


def files_of(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("hashes", [True, False], ids=["with hashes", "of an older version"])
def test_an_export_that_ends_early_leaves_the_older_one_or_none(tmp_path, monkeypatch, hashes):
    """Whatever write or move is the last: what `score` accepts is one export."""
    replace, done = os.replace, 0

    def failing(*paths):
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(28, "No space left on device")
        replace(*paths)

    newer, older = exported(tmp_path / "newer", seed=1), exported(tmp_path / "older", seed=0)
    if not hashes:
        older[SEAL] = as_version_1(tmp_path / "older")
    states = set()
    while True:
        out = tmp_path / f"out-{done}"
        shutil.copytree(tmp_path / "older", out)
        left = done
        monkeypatch.setattr(atomic_files.os, "replace", failing)
        try:
            exported(out, seed=1)
        except StorageError as e:
            assert str(out) in str(e)
        monkeypatch.undo()
        found = files_of(out)
        assert set(found) <= set(older)
        states.add("older" if found == older else "newer" if found == newer else "none")
        if found == newer:
            break
        if found != older:
            assert SEAL not in found
            with pytest.raises(DataError, match="not a folder written by"):
                split_files.read(out)
        done += 1
    assert states == {"older", "none", "newer"}
    assert done == 2 * len(newer)  # each file is written, then moved


def as_version_1(out):
    """export.json as it was before it had hashes."""
    facts = json.loads((out / SEAL).read_text())
    del facts["files"]
    (out / SEAL).write_text(json.dumps(facts | {"version": 1}, indent=2) + "\n")
    return (out / SEAL).read_bytes()


@pytest.mark.parametrize("name", split_files._OF_A_TRIAL)
@pytest.mark.parametrize("damage", ["edited", "missing", "of another export"])
def test_score_refuses_an_export_with_a_file_that_is_not_its_own(prepared, here, command, name, damage):
    place = here / "place"
    shutil.copytree(prepared, place)
    path = place / "splits/trial-000" / name
    if damage == "missing":
        path.unlink()
    elif damage == "edited":
        content = path.read_bytes()
        path.write_bytes(content[:-2] + (b"1" if content[-2:-1] != b"1" else b"2") + b"\n")
    else:
        exported(place / "other", seed=5)
        shutil.copy(place / "other/trial-000" / name, path)
    code, out, err = command("score", place / "splits", place / "predictions.csv", "--into", place / "results/small")
    assert code == 3 and f"splits/trial-000/{name} is not the file that {place / 'splits' / SEAL} describes" in err
    assert "1 of 6 files" in err and not out and not (place / "results/small/external.csv").exists()


def test_an_export_of_an_older_version_is_scored_with_a_remark(prepared, command, tmp_path, monkeypatch):
    place = tmp_path / "place"
    shutil.copytree(prepared, place)
    monkeypatch.chdir(place)
    code, told, err = command("score", "splits", "predictions.csv")
    assert code == 0 and "hashes" not in err
    as_version_1(place / "splits")
    code, out, err = command("score", "splits", "predictions.csv")
    assert code == 0 and out == told and "splits was written by an older gpbench, without hashes of its files" in err


def test_predictions_that_a_user_keeps_in_an_export_stay(tmp_path):
    exported(tmp_path / "out", seed=0)
    (tmp_path / "out/trial-000/predictions.csv").write_text(OLDER)
    exported(tmp_path / "out", seed=1)
    assert (tmp_path / "out/trial-000/predictions.csv").read_text() == OLDER
    split_files.read(tmp_path / "out")


# -- standard output ----------------------------------------------------------------------------------------------

buffered = pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
SPEAKING = ("--help", "list methods", "schema")


def process(words, folder, unbuffered, **popen):
    env = {**os.environ, "PYTHONPATH": str(REPO), "PYTHONUNBUFFERED": unbuffered, "GPBENCH_MIRROR": ""}
    command = [sys.executable, "-m", "gpbench", *words.split()]
    return subprocess.Popen(command, cwd=folder, env=env, stderr=subprocess.PIPE, text=True, **popen)


@buffered
def test_a_reader_that_takes_one_line_of_many_ends_predict_with_141(prepared, unbuffered):
    (prepared / "many.csv").write_text(table(MANY))
    predict = process("predict fitted.npz many.csv", prepared, unbuffered, stdout=subprocess.PIPE)
    head = subprocess.run(["head", "-1"], stdin=predict.stdout, capture_output=True, text=True)
    predict.stdout.close()
    _, err = predict.communicate()
    assert head.stdout == "mean,std,lower,upper\n" and predict.returncode == 141 and err == ""


@buffered
def test_a_reader_of_everything_gets_everything(prepared, unbuffered):
    (prepared / "many.csv").write_text(table(MANY))
    predict = process("predict fitted.npz many.csv", prepared, unbuffered, stdout=subprocess.PIPE)
    out, err = predict.communicate()
    assert (predict.returncode, err) == (0, "") and len(out.splitlines()) == 1 + MANY


@buffered
@pytest.mark.parametrize("words", SPEAKING)
def test_a_reader_that_has_gone_is_141_and_a_full_disk_behind_standard_output_is_7(prepared, words, unbuffered):
    read, write = os.pipe()
    os.close(read)
    gone = process(words, prepared / "results", unbuffered, stdout=write)
    os.close(write)
    with open("/dev/full", "w") as stream:
        no_room = process(words, prepared / "results", unbuffered, stdout=stream)
    (_, err), (_, why) = gone.communicate(), no_room.communicate()
    assert (gone.returncode, err) == (141, "")
    assert no_room.returncode == 7
    assert why == "gpbench: cannot write standard output: No space left on device; finished trials are kept\n"

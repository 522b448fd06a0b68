"""scripts/background.sh in a small repository, whose set-up installs a gpbench that writes down its arguments."""

import contextlib
import os
import signal
import subprocess
import time

import pytest

from tests.helpers.paths import REPO

pytestmark = pytest.mark.long
SCRIPT = REPO / "scripts" / "background.sh"
SETUP = """#!/usr/bin/env bash
mkdir -p .venv/bin
cp gpbench.sh .venv/bin/gpbench
"""
GPBENCH = """#!/usr/bin/env bash
trap 'echo stopped >> results/t/archive.jsonl; exit 143' TERM
mkdir -p results/t
echo "$*" >> results/t/archive.jsonl
for i in $(seq "$(cat ../tenths)"); do sleep .1 9>&-; done
"""


def git(folder, *arguments, check=True):
    ran = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=check)
    return ran.stdout.strip()


@pytest.fixture
def repo(tmp_path):
    """With two configs, one of them of times, and a tag; its clone will be `tmp_path/background`."""
    repo = tmp_path / "repo"
    for file, text in {
        "scripts/background.sh": SCRIPT.read_text(), "scripts/setup.sh": SETUP, "gpbench.sh": GPBENCH,
        "configs/keerthi/table1.yaml": "name: keerthi-table1\n", "configs/cao/figure6.yaml": "name: cao-figure6\n",
        ".gitignore": ".venv/\n", "results/t/archive.jsonl": "",
    }.items():  # fmt: skip
        (repo / file).parent.mkdir(parents=True, exist_ok=True)
        (repo / file).write_text(text)
        (repo / file).chmod(0o755)
    git(tmp_path, "init", "-q", "-b", "main", repo)
    git(repo, "config", "user.name", "t")
    git(repo, "config", "user.email", "t@example.org")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "first")
    git(repo, "tag", "v1")
    (tmp_path / "tenths").write_text("0")
    return repo


def start(repo, *options, seconds=3600):
    command = ["bash", repo / "scripts/background.sh", *options]
    env = os.environ | {"SECONDS_BETWEEN_COMMITS": str(seconds)}
    popen = {"stderr": subprocess.PIPE, "text": True, "env": env, "start_new_session": True}
    return subprocess.Popen(command, preexec_fn=heard, **popen)


def heard():
    """Ctrl-C, which tests that a shell runs in the background ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(repo, *options, code=0, **more):
    process = start(repo, *options, **more)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == code, said
    return said


def archive(clone):
    return git(clone, "show", "background:results/t/archive.jsonl").splitlines()


def wait_for(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_results_are_committed_in_the_clone_and_merged_by_a_pull(repo):
    clone = repo.parent / "background"
    (repo / "results" / "keerthi-table1").mkdir()
    said = run(repo, "v1")
    assert "left out, since it measures time (--timed): cao/figure6" in said
    (asked,) = archive(clone)
    assert asked == f"run configs/keerthi/table1.yaml -j 1 --rerun stale --from {repo}/results/keerthi-table1"
    git(repo, "pull", "-q", "../background", "background")
    assert (repo / "results/t/archive.jsonl").read_text().splitlines() == [asked]

    run(repo, "--timed", "v1")
    assert [line.split()[1] for line in archive(clone)] == [f"configs/{c}.yaml" for c in (
        "keerthi/table1", "keerthi/table1", "cao/figure6")]  # fmt: skip
    assert git(repo, "branch", "--list") == "* main", "nothing is pushed"


def test_a_later_tag_is_merged_and_a_clone_that_is_gone_is_made_again(repo):
    clone = repo.parent / "background"
    run(repo, "v1")
    (repo / "new.txt").write_text("new")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "second")
    git(repo, "tag", "v2")
    run(repo, "v2")
    assert (clone / "new.txt").exists() and len(archive(clone)) == 2
    subprocess.run(["rm", "-r", clone], check=True)
    run(repo, "v1")
    assert not (clone / "new.txt").exists() and len(archive(clone)) == 1
    assert "has no tag v3" in run(repo, "v3", code=2)
    run(repo, code=2)


def test_an_environment_that_is_a_link_to_another_one_is_left_alone(repo):
    other = repo.parent / "other"
    other.mkdir()
    (repo / ".venv").symlink_to(other)
    git(repo, "add", "-f", ".venv")
    git(repo, "commit", "-qm", "a link")
    git(repo, "tag", "v2")
    assert ".venv is a link" in run(repo, "v2", code=2)
    assert not list(other.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_with_what_is_finished_committed_and_one_runs_at_a_time(repo, number):
    clone, tenths = repo.parent / "background", repo.parent / "tenths"
    tenths.write_text("600")
    first = start(repo, "v1", seconds=1)
    try:
        wait_for(lambda: "archives so far" in git(clone, "log", "--format=%s", "-1", check=False))
        assert len(archive(clone)) == 1
        assert "is held: another run is at work" in run(repo, "v1", code=6)
        os.kill(first.pid, number)
        assert "the same command continues" in first.communicate(timeout=120)[1]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(first.pid, signal.SIGKILL)
    assert first.returncode == 128 + number
    assert archive(clone)[1:] == ["stopped"] and git(clone, "status", "--porcelain") == ""
    tenths.write_text("0")
    run(repo, "v1")
    assert len(archive(clone)) == 3

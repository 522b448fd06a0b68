"""The shell completes commands and options, as click's scripts for bash and zsh ask for them."""

import shutil
import subprocess
import sys

import pytest

from tests.helpers.driver import REPO, gpbench


def asked(shell, *words):
    env = {"_GPBENCH_COMPLETE": f"{shell}_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    return gpbench(env=env).stdout


def test_bash_and_zsh_are_told_commands_and_options():
    assert "plain,verify" in asked("bash", "gpbench", "ver").splitlines()
    assert "plain,--rerun" in asked("bash", "gpbench", "run", "--re").splitlines()
    assert "plain,stale" in asked("bash", "gpbench", "run", "--rerun", "st").splitlines()
    assert "verify" in asked("zsh", "gpbench", "ver").splitlines()


def test_a_config_is_completed_as_a_file_or_by_the_name_of_one_of_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert asked("bash", "gpbench", "run", "cao/figure1").splitlines() == ["plain,cao/figure1"]
    assert asked("zsh", "gpbench", "validate", "quicks").splitlines()[:2] == ["plain", "quickstart"]
    assert asked("bash", "gpbench", "run", "mine").splitlines() == ["file,mine"]
    (tmp_path / "quicksand.yaml").touch()
    assert asked("bash", "gpbench", "run", "quicks").splitlines() == ["file,quicks"]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_script_defines_a_completion_that_calls_gpbench_back(shell):
    script = gpbench(env={"_GPBENCH_COMPLETE": f"{shell}_source"}).stdout
    assert f"_GPBENCH_COMPLETE={shell}_complete" in script and "_gpbench_completion" in script
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=script, text=True).returncode == 0, "the shell can read it"


def test_bash_completes_with_the_script(tmp_path):
    command = tmp_path / "gpbench"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={REPO} exec {sys.executable} -m gpbench "$@"\n')
    command.chmod(0o755)
    script = (
        f'PATH={tmp_path}:$PATH; eval "$(_GPBENCH_COMPLETE=bash_source gpbench)"; '
        'COMP_WORDS=(gpbench sta); COMP_CWORD=1; _gpbench_completion gpbench; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120)
    assert set(done.stdout.split()) == {"status", "stats"}, done.stderr


def test_options_complete_with_what_the_config_names_and_describe_with_every_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert asked("bash", "gpbench", "run", "quickstart", "-d", "k").splitlines() == ["plain,kin40k-sim"]
    assert "plain,NLGPP" in asked("bash", "gpbench", "run", "quickstart", "-m", "N").splitlines()
    assert asked("bash", "gpbench", "describe", "matern5").splitlines() == ["plain,matern52"]
    assert asked("bash", "gpbench", "fit", "my.csv", "--method", "vf").splitlines() == ["plain,vfe", "plain,vfe-tight"]

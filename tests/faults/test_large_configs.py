"""A config of many lines is checked, and a plan of many trials made, in a time that grows as their number does."""

import time

import pytest

from gpbench.errors import ConfigError
from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.trial import Trial, digest
from tests.helpers.driver import trial

HEAD = "name: large\ndatasets: [friedman1]\n"
LISTS = {  # one list of a config, with as many lines as asked for, and what is said of the first fault
    "methods of one name": ("methods:\n", lambda i: "- fitc\n", "methods 1 and 2 are both called 'fitc'"),
    "aliases": ("methods:\n", lambda i: "- *a\n", "anchors and aliases"),
    "metrics": ("methods: [sod]\nmetrics:\n", lambda i: "- nmse\n", "metric 'nmse' is listed twice"),
    "sizes": ("methods: [sod]\nd_max:\n", lambda i: f"- -{i + 1}\n", "'d_max[0]': must be greater than or equal to 1"),
    "keys": ("methods: [sod]\n", lambda i: f"k{i}: 1\n", "unknown key 'k0'"),
    "printed tables": ("methods: [sod]\npublished:\n", lambda i: f"- {{paper: cao, item: t{i}}}\n", "for 't0'"),
}


def seconds(call, *args):
    """CPU time, which other processes of the machine lengthen little."""
    began = time.process_time()
    call(*args)
    return time.process_time() - began


def test_a_config_of_a_thousand_methods_is_checked_within_two_seconds(tmp_path):
    lines = "".join(f"- {{label: a{i}, method: fitc, d_max: {i + 2}}}\n" for i in range(1000))
    (tmp_path / "large.yaml").write_text(f"{HEAD}methods:\n{lines}")
    load_config(tmp_path / "large.yaml")  # imports
    assert seconds(load_config, tmp_path / "large.yaml") < 2


@pytest.mark.parametrize("name", LISTS)
def test_a_config_of_many_faults_is_refused_in_linear_time(tmp_path, name):
    before, line, said = LISTS[name]

    def refused(lines):
        (tmp_path / "large.yaml").write_text(HEAD + before + "".join(map(line, range(lines))))
        with pytest.raises(ConfigError) as refusal:
            load_config(tmp_path / "large.yaml")
        assert said in str(refusal.value) and "more problems" in str(refusal.value)

    refused(60)  # imports
    few = seconds(refused, 1000)
    assert seconds(refused, 8000) < 24 * max(few, 0.05)  # 64 times as long if it grew with the square


def test_a_dry_run_plans_more_than_ten_thousand_trials_a_second(command, here):
    (here / "large.yaml").write_text(f"{HEAD}trials: 2000\nd_max: [5, 6, 7, 8, 9]\nmethods: [sod, fitc]\n")
    command("run", "-n", "large.yaml", "--trials", "0")  # imports
    began = time.process_time()
    code, out, _ = command("run", "-n", "large.yaml")
    assert time.process_time() - began < 2
    assert code == 0 and "20000 trials, 0 done" in out and out.count("repetition 1999\n") == 10


def test_the_id_of_a_trial_is_the_hash_of_its_content_and_versions():
    for versions in ({}, {"kernel pp3": 2, "method": 3}):
        one = Trial.read({**vars(trial()), "versions": versions})
        assert one.id == digest(one._content | ({"versions": versions} if versions else {}))
        for earlier in one.earlier():
            assert earlier.id == Trial.read(vars(earlier)).id

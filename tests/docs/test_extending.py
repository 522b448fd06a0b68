"""The examples of docs/reference/extending.md are run as they stand."""

import re
import subprocess
import sys

import pytest

CONFIG = """
name: mine
dataset: {name: %(dataset)s}
split: {kind: random, n_train: 60, n_test: 20}
hyperparameters: {schedule: joint, evaluations: 20}
kernel: %(kernel)s
methods: [%(method)s]
"""


@pytest.fixture(scope="module")
def examples(repo):
    """File name -> code, from the first comment of each block."""
    blocks = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", (repo / "docs/reference/extending.md").read_text(), re.S)
    return dict(blocks)


@pytest.mark.parametrize(
    "file, names",
    [
        ("my_method.py", {"dataset": "friedman3", "kernel": "ard-se", "method": "{method: first-rows, d_max: 10}"}),
        ("my_kernel.py", {"dataset": "friedman3", "kernel": "{sum: [ard-se, dot]}", "method": "full-gp"}),
        (
            "my_criterion.py",
            {"dataset": "friedman3", "kernel": "ard-se", "method": "{method: largest-residual, d_max: 10}"},
        ),
        (
            "my_metric.py",
            {"dataset": "friedman3", "kernel": "ard-se", "method": "full-gp]\nmetrics: [nmse, interval_score"},
        ),
        (
            "my_stop_rule.py",
            {"dataset": "friedman3", "kernel": "ard-se", "method": "{method: nlml, stop: {rule: below, limit: 1e9}}"},
        ),
        (
            "my_likelihood.py",
            {"dataset": "friedman3", "kernel": "ard-se", "method": "{method: ep, likelihood: logistic}"},
        ),
        ("my_data.py", {"dataset": "sine", "kernel": "ard-se", "method": "full-gp"}),
    ],
)
def test_a_new_thing_is_one_file(tmp_path, examples, file, names):
    (row,) = run(tmp_path, file, examples[file], names)
    assert ",ok," in row and names["dataset"] in row


def test_plug_ins_from_before_there_were_recorders_go_on_working(tmp_path, repo):
    methods = "{method: first-rows, d_max: 10}, {method: largest-residual, d_max: 10}"
    code = (repo / "tests" / "plugins" / "before_recorders.py").read_text()
    rows = run(tmp_path, "old.py", code, {"dataset": "friedman3", "kernel": "ard-se", "method": methods})
    assert len(rows) == 2 and all(",ok," in row for row in rows)


def run(tmp_path, file, code, names):
    """Lines of results.csv."""
    (tmp_path / file).write_text(code)
    (tmp_path / "mine.yaml").write_text(CONFIG % names)
    ran = subprocess.run(
        [sys.executable, "-m", "gpbench", "run", "mine.yaml", "--plugin", file],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return (tmp_path / "results" / "mine" / "results.csv").read_text().splitlines()[1:]


def test_every_example_is_tested(examples):
    kinds = ("method", "kernel", "criterion", "data", "metric", "stop_rule", "likelihood")
    assert set(examples) == {f"my_{kind}.py" for kind in kinds}


def test_only_public_modules_are_named(repo):
    text = (repo / "docs/reference/extending.md").read_text()
    named = re.findall(r"[\w/.]*/\w+\.py|\b_\w+\.py|gpbench(?:\.\w+)+", text)
    assert named and not [name for name in named if re.search(r"(^|[./])_", name)]
    files = {name for name in named if name.startswith("gpbench/") and "<" not in name}
    assert all((repo / name).is_file() or name == "gpbench/methods/first_rows.py" for name in files), files

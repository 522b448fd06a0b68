"""What gpbench offers and how it tells: methods in sentences, metrics, configs, errors once, plug-ins of packages."""

import io
import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from gpbench import catalog
from gpbench.cli import cli
from gpbench.experiment.config import packaged
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.experiment.run.progress import Bar, Lines
from gpbench.metrics import METRICS
from tests.helpers.driver import trial
from tests.helpers.paths import PLUGINS


def test_every_method_says_what_it_does_and_when_to_take_it():
    for name in catalog.own_names("method"):
        use = catalog.find("method", name).use
        assert use.endswith(".") and 60 < len(use) < 200, name
        assert any(word in use for word in ("take it", "choice", "must")), name
    told = CliRunner().invoke(cli, ["list", "methods"]).output
    assert "take it" in told and len(told.splitlines()) >= len(catalog.own_names("method"))


def test_describe_knows_metrics_and_configs():
    for metric in METRICS:
        assert f"metric {metric}" in CliRunner().invoke(cli, ["describe", metric]).output
    assert "better: nearer to 0.95" in CliRunner().invoke(cli, ["describe", "coverage"]).output
    told = CliRunner().invoke(cli, ["describe", "quickstart"]).output
    assert "results: results/quickstart" in told and "friedman2: 3" in told and "NLGPP" in told
    unknown = CliRunner().invoke(cli, ["describe", "quickstrat"])
    assert "did you mean" in str(unknown.exception) and "quickstart" in str(unknown.exception)
    assert "did you mean" not in str(CliRunner().invoke(cli, ["describe", "xylophone"]).exception)


def test_a_built_in_config_runs_by_its_name_where_no_such_file_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli, ["validate", "smoke/tiny", "cao/figure1.yaml"]).exit_code == 0
    assert "quickstart" in CliRunner().invoke(cli, ["list", "configs"]).output
    (tmp_path / "quickstart").write_text("name: own\ndataset: friedman2\nmethods: [full-gp]\n")
    assert packaged.located("quickstart") == "quickstart"  # the user's file comes first
    assert packaged.located("../smoke/tiny") == "../smoke/tiny"
    missing = CliRunner().invoke(cli, ["validate", "quickstarts"])
    assert "did you mean quickstart?" in str(missing.exception)


def _failures(progress, reasons):
    progress.start(len(reasons), 0)
    for i, reason in enumerate(reasons):
        progress.finished(TrialResult(trial(index=i), "failed", reason))
    progress.close()


def test_the_same_error_in_every_trial_is_told_once():
    stream = io.StringIO()
    _failures(Lines(stream), ["no such thing"] * 3 + ["another"])
    lines = stream.getvalue().splitlines()
    assert len(lines) == 4 and sum("no such thing" in line for line in lines) == 1
    assert lines[1].endswith("the same error") and lines[3].endswith("another")
    stream = io.StringIO()
    _failures(Bar(stream), ["no such thing"] * 3 + ["another"])
    assert stream.getvalue().count("repetition 0: no such thing") == 1
    assert "the same error ended 3 trials: no such thing" in stream.getvalue()


def test_a_line_may_be_said_before_the_bar_is_there():
    stream = io.StringIO()
    Bar(stream).say("waiting for a scheduler")
    assert stream.getvalue() == "waiting for a scheduler\n"


PLUGIN = (PLUGINS / "first_rows.py").read_text()


@pytest.fixture
def package(tmp_path):
    """A folder on the path that looks like an installed package with two entry points, one of them broken."""
    site = tmp_path / "site"
    info = site / "my_gp-1.2+local.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-gp\nVersion: 1.2+local\n")
    (info / "entry_points.txt").write_text("[gpbench.methods]\nfirst = my_gp\nbroken = my_gp_missing\n")
    (site / "my_gp.py").write_text(PLUGIN)
    return site


def _python(code, package, cwd):
    env_code = f"import sys; sys.path.insert(0, {str(package)!r})\n"
    return subprocess.run([sys.executable, "-c", env_code + code], cwd=cwd, capture_output=True, text=True)


def test_a_packages_method_is_found_and_its_name_version_and_hash_enter_the_id(package, tmp_path):
    code = (
        "from gpbench import catalog\n"
        "cls = catalog.find('method', 'first-rows-of-a-package')\n"
        "print(catalog.source_hash(cls)); catalog.refuse_changed(catalog.source_hash(cls))\n"
        "print(catalog.broken('method'))\n"
        "print('first-rows-of-a-package' in catalog.available('method'))\n"
    )
    first = _python(code, package, tmp_path)
    assert first.returncode == 0, first.stderr
    hash_, broken, there = first.stdout.splitlines()
    assert hash_.startswith("my-gp-1.2_local-") and "my_gp_missing" in broken and there == "True"
    (package / "my_gp.py").write_text(PLUGIN + "# edited\n")
    assert _python(code, package, tmp_path).stdout.splitlines()[0] != hash_


KERNEL = """
from gpbench.gp.kernels.matern import Matern32

class OfAPackage(Matern32):
    name = "matern-of-a-package"
"""

SOURCE = """
import numpy as np
from gpbench.extend import Dataset, Source

class Sine(Source):
    name = "sine-of-a-package"
    def load(self, paths, rng):
        X = np.linspace(0, 6, 60)[:, None]
        return Dataset(self.name, X, np.sin(X[:, 0]))
"""


def test_a_packages_method_kernel_and_data_set_run_together_and_all_three_enter_the_id(package, tmp_path):
    groups = {"methods": "my_gp", "kernels": "my_kernel", "datasets": "my_data"}
    points = "".join(f"[gpbench.{group}]\nfirst = {module}\n" for group, module in groups.items())
    (package / "my_gp-1.2+local.dist-info" / "entry_points.txt").write_text(points)
    (package / "my_kernel.py").write_text(KERNEL)
    (package / "my_data.py").write_text(SOURCE)
    (tmp_path / "c.yaml").write_text(
        "name: c\ndataset: sine-of-a-package\nkernel: matern-of-a-package\nmethods: [first-rows-of-a-package]\n"
        "split: {kind: random, n_train: 40}\nhyperparameters: {schedule: joint, evaluations: 3}\n"
    )
    command = [sys.executable, "-m", "gpbench", "run", "c.yaml", "-o", "out"]
    env = {**os.environ, "PYTHONPATH": str(package)}
    ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    (code,) = {g["settings"]["code"] for g in json.loads((tmp_path / "out" / "plan.json").read_text())["groups"]}
    assert len({part for part in code.split("+") if part.startswith("my-gp-1.2_local-")}) == 3


def test_help_and_a_name_of_ours_scan_no_packages(tmp_path):
    code = (
        "import importlib.metadata as m\n"
        "usual = m.entry_points\n"
        "def never(**k):\n"
        "    if k.get('group', '').startswith('gpbench'): raise SystemExit('scanned')\n"
        "    return usual(**k)\n"
        "m.entry_points = never\n"
        "from gpbench import catalog\n"
        "import gpbench.cli\n"
        "catalog.find('method', 'vfe'); catalog.find('kernel', 'ard-se')\n"
        "print('fine')\n"
    )
    told = _python(code, tmp_path, tmp_path)
    assert told.stdout.strip() == "fine", told.stderr

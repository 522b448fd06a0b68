"""Files that a command loads and that end the process, wait forever, or use more CPU time than the system allows."""

import os
import resource
import signal
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import numpy as np
import pytest

import gpbench as package
from gpbench import plugin_files
from gpbench.errors import BadParameter, ConfigError, StorageError
from gpbench.experiment.run import jobs
from gpbench.experiment.run.local import os_limits
from tests.helpers.driver import gpbench

METHOD = "from gpbench.extend import Method\nclass Mine(Method):\n    name = 'mine'\n"
ENDS = {
    "os._exit": "import os\nos._exit(0)\n",
    "a name imported from os": "from os import _exit\n_exit(0)\n",
    "the module behind os": "import posix\nposix._exit(0)\n",
    "abort": "import os\nos.abort()\n",
    "another program": "import os, sys\nos.execl(sys.executable, sys.executable, '-c', '')\n",
    "a hidden exit": "import os\ntry:\n    os._exit(0)\nexcept Exception:\n    pass\n",
    "exit": "raise SystemExit(0)\n",
}


@pytest.mark.parametrize("how", ENDS)
def test_a_plugin_that_ends_the_process_while_it_is_loaded_is_exit_2_and_named(how, here):
    (here / "mine.py").write_text(METHOD + ENDS[how])
    done = gpbench("run", "small.yaml", "--plugin", "mine.py", cwd=here)
    assert done.returncode == 2 and "plugin mine.py: " in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not (here / "results").exists()


def test_a_process_that_a_plugin_forks_may_end_and_ours_may_again_once_it_is_loaded(tmp_path):
    real = os._exit
    forks = "import os\nif pid := os.fork():\n    code = os.waitpid(pid, 0)[1]\nelse:\n    os._exit(7)\n"
    (tmp_path / "mine.py").write_text(forks)
    assert os.waitstatus_to_exitcode(plugin_files.load(tmp_path / "mine.py").module.code) == 7
    (tmp_path / "other.py").write_text("import os\nos._exit(0)\n")
    with pytest.raises(ConfigError, match=r"other\.py: calls os\._exit while it is loaded"):
        plugin_files.load(tmp_path / "other.py")
    assert os._exit is real


def test_an_installed_plugin_that_ends_the_process_is_told_and_not_used(tmp_path, monkeypatch):
    from importlib import metadata

    (tmp_path / "ends_at_import.py").write_text("import os\nos._exit(0)\n")
    monkeypatch.syspath_prepend(tmp_path)
    point = SimpleNamespace(name="ends", module="ends_at_import", dist=None)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point])
    found, (told,) = plugin_files.installed("gpbench.methods")
    assert not found and "ends of an unknown package: calls os._exit" in told


PIPES = {  # what is a named pipe, the command, its exit code
    "a config": ["validate", "pipe", 2],
    "a plug-in": ["run", "small.yaml", "--plugin", "pipe.py", 2],
    "a csv": ["fit", "pipe", "--target", "y", "-o", "model.npz", 3],
    "a csv of advise": ["advise", "pipe", "--target", "y", 3],
    "a csv of a config": ["validate", "csv.yaml", 2],
    "a model": ["predict", "pipe", "new.csv", 3],
    "a csv to predict": ["predict", "model.npz", "pipe", 3],
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "my.csv").write_text("x,y\n" + "".join(f"{i},{i % 7}\n" for i in range(40)))
    done = gpbench("fit", "my.csv", "--target", "y", "--method", "sod", "-o", "model.npz", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "model.npz"


@pytest.mark.parametrize("what", PIPES)
def test_a_named_pipe_is_refused_and_not_waited_for(what, here, model):
    *words, code = PIPES[what]
    os.mkfifo(here / "pipe")
    os.mkfifo(here / "pipe.py")
    (here / "new.csv").write_text("x\n.5\n")
    (here / "model.npz").write_bytes(model.read_bytes())
    (here / "csv.yaml").write_text("name: c\ndataset: {csv: pipe, target: y}\nmethods: [sod]\n")
    done = gpbench(*words, cwd=here, timeout=120)
    assert done.returncode == code and "pipe" in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert "a named pipe or socket, not a file" in done.stderr or "no file pipe" in done.stderr


def test_a_pipe_of_the_shell_is_read_as_before(here):
    command = f"cat small.yaml | {sys.executable} -m gpbench validate /dev/stdin"
    done = subprocess.run(["sh", "-c", command], cwd=here, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_seed_below_zero_is_refused():
    X = np.linspace(0, 1, 20)[:, None]
    with pytest.raises(BadParameter, match=r"random_state: expected a whole number from 0 on.*got -1"):
        package.SparseGPRegressor("sod", n_basis=5, random_state=-1).fit(X, X[:, 0])


# -- CPU time -------------------------------------------------------------------------------------------------------

SPINS = textwrap.dedent("""
    from gpbench.extend import Method
    class Spins(Method):
        name = "spins"
        def fit(self, problem, rng):
            while True:
                pass
""")


@pytest.mark.parametrize("words", [["run", "spins.yaml", "-q"], ["fit", "my.csv", "--target", "y", "--method", "spins",
                                                               "-o", "m.npz"]])  # fmt: skip
def test_a_limit_of_cpu_time_is_one_sentence_and_exit_7(words, here):
    (here / "spins.py").write_text(SPINS)
    small = (here / "small.yaml").read_text()
    (here / "spins.yaml").write_text(small.replace("{method: sod, d_max: 10}", "{method: spins}"))
    (here / "my.csv").write_text("x,y\n" + "".join(f"{i},{i % 7}\n" for i in range(40)))
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (16, 16))  # noqa: E731
    done = gpbench(*words, "--plugin", "spins.py", cwd=here, preexec_fn=limit)
    assert done.returncode == 7 and "the limit of CPU time (ulimit -t) is reached" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and done.stderr.splitlines()[-1].startswith("gpbench: the limit of CPU")


def test_a_trial_that_the_system_ends_for_its_cpu_time_ends_the_run():
    state = SimpleNamespace(overdue=False)
    with pytest.raises(StorageError, match="ulimit -t"):
        jobs.outcome_of_exit(state, SimpleNamespace(oom=False, code=-signal.SIGXCPU), None)


def test_a_process_is_told_of_its_limit_of_cpu_time_before_the_kernel_ends_it(monkeypatch):
    told, before = [], signal.getsignal(signal.SIGXCPU)
    monkeypatch.setattr(os_limits.resource, "getrlimit", lambda _: (60, 60))
    monkeypatch.setattr(os_limits.resource, "setrlimit", lambda _, limits: told.append(limits))
    os_limits.notice_cpu_limit()
    with pytest.raises(os_limits.CpuLimitReached):
        signal.raise_signal(signal.SIGXCPU)
    signal.signal(signal.SIGXCPU, before)
    assert told == [(55, 60)]

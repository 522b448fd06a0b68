"""Trials on Dask: the numbers, limits, statuses and exit codes of one process, whatever machine they run on."""

import os
import shutil
import socket
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from gpbench import plugin_files
from gpbench.adapters import environment
from gpbench.analysis.results_table import load
from gpbench.errors import ConfigError
from gpbench.experiment.results.checked_files import read_checked
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.run.dask import connect, worker_versions
from gpbench.experiment.run.dask.file_bundle import FileBundle
from gpbench.report.tables import tables
from tests.helpers.dask_processes import Processes
from tests.helpers.driver import REPO, finish, gpbench, rows, run_here, trial, wait_until, write_job

pytest.importorskip("distributed")
pytestmark = pytest.mark.long

FRIEDMAN = "dataset: {name: friedman3, n_train: 30, n_test: 20}\nmethods: [random]\nd_max: 5\n"


def write(folder, text):
    file = folder / "c.yaml"
    file.write_text(f"name: t\ntrials: 2\n{text}")
    return file


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler and two workers in a folder of their own."""
    processes = Processes(tmp_path_factory.mktemp("cluster"), f"cluster-{os.getpid()}")
    processes.add_worker()
    processes.add_worker()
    yield processes
    processes.close()


MIXED = [
    *(trial(index=i) for i in range(3)),
    *(trial("fake-path", index=i, d_max=d) for i in range(2) for d in (3, 7, 12)),
    trial("fake-path", index=5, d_max=4, fail_at=4),
    trial(behaviour="raise"),
    trial(behaviour="exit"),
    trial(behaviour="not-for-me"),
    trial(behaviour="nan"),
    trial(behaviour="leak"),
    *(
        trial("random", index=i, d_max=d, hyperparameters={"schedule": "fixed", "from": "full-gp", "subset": 20})
        for i in range(2)
        for d in (4, 8)
    ),
    trial("sod", d_max=6, kernel={"name": "indefinite"}),
]


def test_numbers_on_dask_are_those_of_one_process_to_the_last_bit(tmp_path, cluster):
    """Nested paths, shared full GPs, failing and skipped trials, plug-ins; predictions too."""
    here = run_here(tmp_path / "here", MIXED, save_predictions=True, memory=300)
    there = run_here(tmp_path / "there", MIXED, save_predictions=True, memory=300, on=cluster.address)
    assert (here.done, here.failed, here.left) == (there.done, there.failed, there.left)
    assert here.failed == 6 and here.exit_code == there.exit_code == 1
    assert rows(tmp_path / "here") == rows(tmp_path / "there")
    for t in MIXED:
        ours, theirs = ResultsFolder(tmp_path / "here").load(t), ResultsFolder(tmp_path / "there").load(t)
        assert (ours.metrics, ours.theta, ours.trace) == (theirs.metrics, theirs.theta, theirs.trace)
    for name in ("trials", "shared", "logs"):
        listing = [sorted(p.name for p in (tmp_path / w / name).iterdir()) for w in ("here", "there")]
        assert listing[0] == listing[1], name
    assert not list((tmp_path / "there").rglob(".tmp-*"))
    again = run_here(tmp_path / "there", MIXED, save_predictions=True, on=cluster.address)
    assert again.ran == 0  # and a run without Dask goes on with what a run on Dask has left


def test_time_limit_and_log_are_the_same_on_dask(tmp_path, cluster):
    hang, chatty = trial(behaviour="hang"), trial(behaviour="chatty")
    summary = run_here(tmp_path, [hang, chatty], timeout=4.0, on=cluster.address)
    assert (summary.done, summary.failed) == (1, 1)
    assert summary.failures[0].status == "timeout"
    assert summary.failures[0].reason == "over the time limit of 4 s"
    assert "hello from the method" in ResultsFolder(tmp_path).log_path(chatty.id).read_text()


def test_the_workers_log_has_no_line_for_every_renewal_and_all_others(tmp_path, cluster):
    run_here(tmp_path, [trial("fake-path", d_max=5, seconds=2.0)], on=cluster.address)
    calls = [line for line in cluster.log.read_text().splitlines() if "Run out-of-band function" in line]
    assert any("'install'" in line for line in calls)
    assert not any("order" in line for line in calls)


def test_a_local_cluster_is_started_and_ended_with_the_run(tmp_path):
    config = write(tmp_path, FRIEDMAN)
    done = gpbench("run", config, "--on", "dask", "-j", "2", "-o", tmp_path / "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    alone = gpbench("run", config, "-o", tmp_path / "alone", cwd=tmp_path)
    assert alone.returncode == 0 and rows(tmp_path / "out") == rows(tmp_path / "alone")


def test_plug_ins_and_csv_files_travel_by_content(tmp_path, cluster):
    """The worker stands in another folder, and the method says where it was loaded from."""
    (tmp_path / "assistant_of_ours.py").write_text("SHIFT = 0.25\n")
    (tmp_path / "mine.py").write_text(
        "from gpbench.extend import Fitted, Method, Prediction\n"
        "import numpy as np\n"
        "class Shifted(Method):\n"
        "    name = 'shifted'\n"
        "    def fit(self, problem, rng):\n"
        "        from assistant_of_ours import SHIFT\n"
        "        print('loaded from', __file__)\n"
        "        p = lambda X: Prediction(np.full(len(X), SHIFT), np.ones(len(X)))\n"
        "        return Fitted(predict=p, gp=problem.gp, n_basis=1)\n"
    )
    (tmp_path / "my.csv").write_text("a,b,price\n" + "".join(f"{i},{i % 7},{i * i % 11}\n" for i in range(40)))
    config = write(tmp_path, "methods: [shifted]\ndataset: {csv: my.csv, target: price}\n")
    runs = {}
    for name, where in (("there", cluster.address), ("here", "local")):
        arguments = ["run", config, "--plugin", "mine.py", "-o", name, "--on", where]
        done = gpbench(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        runs[name] = next((tmp_path / name / "logs").glob("*.log")).read_text()
    assert rows(tmp_path / "there") == rows(tmp_path / "here")
    assert str(tmp_path) in runs["here"] and str(tmp_path) not in runs["there"]


def test_an_adapter_of_the_users_travels_by_content(tmp_path, cluster):
    """The workers' folder has another one of the same name."""
    ridge = (REPO / "tests" / "plugins" / "ridge.py").read_text()
    (tmp_path / "good.py").write_text(ridge)
    (cluster.folder / "good.py").write_text("raise SystemExit('not this one')\n")
    config = write(tmp_path, "methods: [{external: ./good.py}]\ndataset: {name: friedman3, n_train: 30, n_test: 20}\n")
    for name, where in (("there", cluster.address), ("here", "local")):
        done = gpbench("run", config, "-o", name, "--on", where, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "there") == rows(tmp_path / "here")


def test_the_packages_of_an_adapter_travel_with_it(tmp_path):
    (tmp_path / "good.py").write_text("def fit(X, y, params): ...\n")
    (tmp_path / "requirements.txt").write_text("one==1.0\n")
    path = str(tmp_path / "good.py")
    there = FileBundle.of([], [trial("external", external=path)]).unpack(tmp_path / "away")[1][path]
    assert environment.find(there).lock == environment.find(path).lock
    assert environment.find(there).folder == environment.find(path).folder  # of the installed packages


def test_a_bundle_has_the_hash_of_the_files_it_was_made_of(tmp_path):
    home = tmp_path / "home"
    (home / "tools").mkdir(parents=True)
    (home / "tools" / "__init__.py").write_text("from . import inner\n")
    (home / "tools" / "inner.py").write_text("from .deep import four\n")
    (home / "tools" / "deep.py").write_text("four = 4\n")
    (home / "mine.py").write_text(
        "from tools.inner import four\nfrom gpbench.extend import Source\nclass S(Source):\n    name = 'four'\n"
    )
    loaded = plugin_files.load(home / "mine.py")
    bundle = plugin_files.bundle(home / "mine.py")
    assert next(iter(bundle)) == "mine.py"
    assert set(bundle) == {"mine.py", "tools/__init__.py", "tools/inner.py", "tools/deep.py"}
    (path,), _ = FileBundle([bundle]).unpack(tmp_path / "away")
    (home / "mine.py").unlink()
    (home / "tools").rename(home / "gone")
    code = f"from gpbench import plugin_files; print(plugin_files.load({path!r}).hash)"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert there.stdout.strip() == loaded.hash


def test_workers_with_other_versions_are_refused_before_anything_runs(tmp_path):
    """The worker finds another gpbench first: same version, one line more."""
    other = tmp_path / "other" / "gpbench"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("# another\n")
    processes = Processes(tmp_path / "cluster", f"versions-{os.getpid()}", env={"PYTHONPATH": str(other.parent)})
    try:
        processes.add_worker("--no-nanny")
        with pytest.raises(ConfigError, match=r"has gpbench .*source .*, this run .*install the same there"):
            run_here(tmp_path / "out", [trial()], on=processes.address)
    finally:
        processes.close()
    assert not list((tmp_path / "out").glob("trials/*"))


@pytest.mark.parametrize("package", ["numpy", "scipy", "gpbench"])
def test_one_sentence_says_what_is_different(package):
    ours = worker_versions.versions()()
    assert worker_versions.complaint("tcp://a:1", ours) is None
    sentence = worker_versions.complaint("tcp://a:1", ours | {package: "0.0.1"})
    assert sentence == f"the worker at tcp://a:1 has {package} 0.0.1, this run {ours[package]}"
    assert "not at all" in worker_versions.complaint("tcp://a:1", ours | {package: None})
    assert "could not be asked" in worker_versions.complaint("tcp://a:1", ModuleNotFoundError("No module named 'x'"))


def test_no_scheduler_and_no_dask_are_one_sentence_each(tmp_path):
    config = write(tmp_path, FRIEDMAN)
    for address in ("nowhere", "localhost:8786", "tcp://localhost", "tcp://:8786", "tcp://a:b", "tcp://a:1/b"):
        wrong = gpbench("run", config, "--on", address, cwd=tmp_path)
        assert wrong.returncode == 2 and "none of local, dask, tcp://host:port" in wrong.stderr, address
    for option in ("--on", "--rows-on"):  # tried before anything runs, and before there is a folder
        silent = gpbench("run", config, option, "tcp://127.0.0.1:9", "-o", "silent", cwd=tmp_path)
        assert silent.returncode == 2 and "Traceback" not in silent.stderr
        waiting, answer = silent.stderr.splitlines()
        assert waiting == "waiting for a Dask scheduler at tcp://127.0.0.1:9, 10 seconds at most"
        assert "no Dask scheduler answers at tcp://127.0.0.1:9" in answer
        assert not (tmp_path / "silent").exists()
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['distributed'] = None\n")
    path = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    missing = gpbench("run", config, "--on", "dask", cwd=tmp_path, env={"PYTHONPATH": path})
    assert missing.returncode == 5 and "gpbench[dask]" in missing.stderr
    assert "Traceback" not in missing.stderr
    with pytest.raises(ConfigError, match="tcp://localhost is no address of a Dask scheduler"):
        run_here(tmp_path / "python", [trial()], on="tcp://localhost")


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.0 400 Bad request\r\nServer: another\r\n\r\n"])
def test_another_program_at_the_port_keeps_nobody_waiting(monkeypatch, answer):
    monkeypatch.setattr(connect, "_CONNECT", 2.0)
    monkeypatch.setattr(connect, "_QUIET", 0.1)
    said, connections = [], []

    def serve():
        while True:
            connections.append(listener.accept()[0])
            connections[-1].sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(ConfigError, match=f"no Dask scheduler answers at {address}"):
            connect.await_answer(address, said.append)
    assert answer or said == [f"waiting for a Dask scheduler at {address}, 2 seconds at most"]


def test_the_address_of_a_worker_is_refused(cluster):
    wait_until(lambda: "Start worker at:" in cluster.log.read_text())
    line = next(line for line in cluster.log.read_text().splitlines() if "Start worker at:" in line)
    with pytest.raises(ConfigError, match=r"\(a worker does\)"):
        connect.await_answer(line.split()[-1], print)


def test_the_slurm_script_of_the_documentation_starts_workers_as_gpbench_needs_them(repo):
    """The block of docs/reference/clusters.md is run as it stands, up to the line that would submit."""
    pytest.importorskip("dask_jobqueue")
    text = (repo / "docs/reference/clusters.md").read_text()
    block = next(b for b in text.split("```python\n")[1:] if "SLURMCluster" in b).split("```")[0]
    names = {}
    made = block.partition("cluster.scale(")[0].replace('"port": 8786', '"port": 0')
    exec(made, names)
    try:
        script = names["cluster"].job_script()
    finally:
        names["cluster"].close()
    lines = script.splitlines()
    assert lines[0].startswith("#!")
    for wanted in ("-p normal", "-n 1", "--cpus-per-task=8", "--mem=30G", "-t 01:00:00"):
        assert any(line == f"#SBATCH {wanted}" for line in lines), (wanted, script)
    command = next(line for line in lines if "tcp://" in line)
    assert lines.index(". .venv/bin/activate") < lines.index(command)
    assert command.startswith(".venv/bin/python -m ")
    for option in ("--nthreads 8", "--memory-limit 0", "--lifetime 55m --lifetime-stagger 4m"):
        assert option in command, command
    assert command.rindex("--memory-limit ") == command.index("--memory-limit 0")  # the last one counts


def test_tables_of_several_kinds_of_machines_say_so_beside_times(tmp_path):
    trials = [trial(index=i) for i in range(3)]
    run_here(tmp_path, trials)
    assert not any("kinds of machines" in note for t in tables(load(tmp_path)) for note in t.notes)
    store = ResultsFolder(tmp_path)
    result = store.load(trials[0])
    env = read_checked(tmp_path / "env" / f"{result.env}.json")
    store.save(replace(result, env=store.write_env(env | {"packages": {}})))  # other software, same machine
    assert not any("kinds of machines" in note for t in tables(load(tmp_path)) for note in t.notes)
    store.save(replace(result, env=store.write_env(env | {"cpu": "Another 3000"})))
    (line,) = {note for t in tables(load(tmp_path)) for note in t.notes if "kinds of machines" in note}
    assert line.startswith("Times are of 2 kinds of machines and do not compare (")
    assert "Another 3000" in line and line.endswith(": 1 trials).") and ": 2;" in line


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes the keys with openssl")
def test_a_scheduler_with_tls_takes_those_with_the_key_and_nobody_else(tmp_path, repo):
    """Keys as docs/reference/clusters.md makes them."""
    text = (repo / "docs/reference/clusters.md").read_text()
    commands = next(b for b in text.split("```sh\n") if b.startswith("openssl")).split("```")[0]
    subprocess.run(["sh", "-ec", commands], cwd=tmp_path, check=True, capture_output=True)
    tls = "DASK_DISTRIBUTED__COMM__TLS__"
    env = {f"{tls}CA_FILE": str(tmp_path / "ca.pem"), "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "true"}
    for who in ("SCHEDULER", "WORKER", "CLIENT"):
        env |= {f"{tls}{who}__CERT": str(tmp_path / "node.pem"), f"{tls}{who}__KEY": str(tmp_path / "node.key")}
    processes = Processes(tmp_path / "cluster", f"tls-{os.getpid()}", env=env, address_of="tls")
    try:
        assert processes.address.startswith("tls://")
        processes.add_worker("--no-nanny")
        job = write_job(tmp_path / "job.json", [trial()], on=processes.address)
        code, err = finish(tmp_path / "out", job, env=env)
        assert code == 0 and "1 done" in err, err
        code, err = finish(tmp_path / "other", job)
        assert code == 2 and "needs a certificate and a key" in err and "Traceback" not in err, err
    finally:
        processes.close()

"""Trials made by hand, and a process that runs them: `python driver.py FOLDER JOB.json`."""

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from tests.helpers.paths import PLUGINS, REPO

FAKES = str(PLUGINS / "fakes.py")


def trial(method="fake", index=0, dataset="toy", label="", **changes):
    """A trial of a fake method on toy data; fields of Trial by name, everything else is a parameter of the method."""
    from gpbench import catalog
    from gpbench.experiment.plan.trial import Trial

    catalog.load_plugin(FAKES)
    fields = {
        "dataset": {"name": dataset} if isinstance(dataset, str) else dataset,
        "split": {"kind": "random", "n_train": 40, "n_test": 20},
        "scale": {"inputs": "standardise", "target": "standardise"},
        "kernel": {"name": "ard-se", "bias": False},
        "hyperparameters": {"schedule": "fixed", "values": {"variance": 1.0, "lengthscale": 1.0, "noise": 0.1}},
        "scoring": {"nmse_variance": "dataset", "target_units": "raw"},
        "seed": 0,
    }
    fields |= {k: changes.pop(k) for k in list(changes) if k in fields}
    params = catalog.find("method", method)(**changes).model_dump(mode="json")
    return Trial(**fields, method=method, params=params, index=index, label=label)


def run_here(folder, trials, **options):
    """Run in this process; the summary."""
    from gpbench.experiment.run import run

    return run.run("test", "name: test\n", trials, folder, run.Options(plugins=[FAKES], **options))


def rows(folder):
    """results.csv without what may differ from run to run."""
    import pandas as pd

    table = pd.read_csv(Path(folder) / "results.csv", dtype=str, keep_default_na=False)
    return table.drop(columns=[c for c in table if c.endswith("_seconds") or c == "peak_mb"]).to_csv(index=False)


def write_job(path, trials, **options):
    job = {"trials": [asdict(t) for t in trials], "options": {"plugins": [FAKES], **options}}
    Path(path).write_text(json.dumps(job))
    return path


def start(folder, job, mark="", **popen):
    """The driver as a process of its own session; `mark` is found again by `marked`."""
    command = [sys.executable, __file__, str(folder), str(job)]
    env = {**os.environ, "PYTHONPATH": str(REPO), "GPBENCH_TEST_MARK": mark, **popen.pop("env", {})}
    popen = {"stderr": subprocess.PIPE, "text": True, "start_new_session": True, **popen}
    return subprocess.Popen(command, env=env, **popen)


def finish(folder, job, **popen):
    """(exit code, what it wrote to stderr)."""
    process = start(folder, job, **popen)
    _, err = process.communicate(timeout=120)
    assert "Traceback" not in (err or ""), err
    return process.returncode, err


def gpbench(*arguments, cwd=None, **popen):
    """The command line as a user calls it; "internal error" is the answer to nothing."""
    command = [sys.executable, "-m", "gpbench", *map(str, arguments)]
    env = {
        **os.environ,
        "PYTHONPATH": str(REPO),
        "GPBENCH_DATA": "datasets",
        "GPBENCH_MIRROR": "",
        **popen.pop("env", {}),
    }
    popen = {"capture_output": True, "text": True, "timeout": 240, **popen}
    done = subprocess.run(command, cwd=cwd, env=env, **popen)
    assert "internal error" not in str(done.stderr), done.stderr
    return done


def server_of(process):
    """Pid of a run's fork server, once its first trial has begun."""
    (server,) = map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
    return server


def marked(mark):
    """Processes alive with this mark in their environment."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"GPBENCH_TEST_MARK={mark}\0".encode() in environ.read_bytes():
                found.append(int(environ.parent.name))
        except OSError:
            continue
    return found


def ballast(disk, leave):
    """Fill the disk but for so many bytes."""
    free = os.statvfs(disk)
    (disk / "ballast").write_bytes(bytes(free.f_bavail * free.f_frsize - leave))


def wait_until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def unhurried(seconds: float) -> float:
    """A promise in seconds of an idle machine, in those of this one: the longer, the more processes share a core."""
    return seconds * max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))


def main(folder, job):
    from gpbench import catalog
    from gpbench.errors import GpbenchError
    from gpbench.experiment.plan.trial import Trial
    from gpbench.experiment.run import progress, run

    job = json.loads(Path(job).read_text())
    options = run.Options(**job["options"])
    for plugin in options.plugins:
        catalog.load_plugin(plugin)
    try:
        trials = [Trial(**t) for t in job["trials"]]
        summary = run.run("test", "name: test\n", trials, folder, options, progress=progress.choose())
    except GpbenchError as e:
        print(f"error: {e}", file=sys.stderr)
        return e.exit_code
    print(summary.message, file=sys.stderr)
    return summary.exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))

"""Small data and methods that misbehave on request, for the tests of the runner (`--plugin` file)."""

import contextlib
import ctypes
import json
import os
import signal
import stat
import subprocess
import time
from pathlib import Path
from typing import ClassVar

import numpy as np
from pydantic import Field

from gpbench.errors import MissingExtra, NotApplicable
from gpbench.extend import Dataset, Fitted, Method, Prediction, Source
from gpbench.gp.kernels.ard_se import ArdSE


class Toy(Source):
    name = "toy"
    generated = True
    rows: int = 60

    def load(self, paths, rng):
        X = rng.normal(size=(self.rows, 2))
        return self.dataset(X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=self.rows))


class FreshToy(Toy):
    name = "fresh-toy"
    per_trial: ClassVar[bool] = True


class Duplicates(Source):
    """Every row three times: a covariance matrix of a third of its size in rank."""

    name = "duplicates"
    generated = True

    def load(self, paths, rng):
        X = np.repeat(rng.normal(size=(20, 2)), 3, axis=0)
        return Dataset("duplicates", X, np.sin(X[:, 0]))


class Broken(Source):
    name = "broken"
    generated = True

    def load(self, paths, rng):
        return 1 / 0


class Odd(Source):
    """Data that are wrong in the way that `how` says."""

    name = "odd"
    generated = True
    how: str = "fine"

    def load(self, paths, rng):
        X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
        dataset = Dataset("odd", X, y)
        return {
            "fine": lambda: dataset,
            "complex": lambda: Dataset("odd", X, y + 1j),
            "short": lambda: Dataset("odd", X, y[:50]),
            "nan": lambda: Dataset("odd", set_first(X, np.nan), y),
            "infinite": lambda: Dataset("odd", X, set_first(y, np.inf)),
            "text": lambda: Dataset("odd", X.astype(str), y),
            "column": lambda: Dataset("odd", X, y[:, None]),
            "classes": lambda: Dataset("odd", X, y, "classification"),
            "rows": lambda: Dataset("odd", X, y, published_split=(np.arange(50), np.arange(50, 70))),
            "tuple": lambda: (X, y),
            "empty": lambda: Dataset("odd", X[:0], y[:0]),
            "exit": lambda: raise_(SystemExit(0)),
            "crash": lambda: kill(signal.SIGSEGV),
        }[self.how]()


class Indefinite(ArdSE):
    """A 'kernel' with a negative eigenvalue that no jitter repairs."""

    name = "indefinite"

    def with_theta(self, theta):
        return Indefinite(theta, self.dims, self.ard, self.form)

    def __call__(self, X, X2=None):
        return -super().__call__(X, X2)


def constant(problem, mean, n_basis=1, trace=()):
    """The same answer everywhere."""

    def predict(X):
        return Prediction(np.full(len(X), mean), np.ones(len(X)), np.full(len(X), 0.5))

    return Fitted(predict, problem.gp, n_basis, pivots=problem.order[:n_basis], trace=list(trace))


def spoiled(problem, spoil):
    def predict(X):
        p = constant(problem, 0.0).predict(X)
        return spoil(p.mean, p.var)

    return Fitted(predict, problem.gp, 1)


def set_first(values, value):
    values[0] = value
    return values


def leak(problem):
    hoard = []
    while True:
        hoard.append(np.ones(4 * 2**20 // 8))


def raise_(error):
    raise error


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def scribble():
    """Noise into every pipe that is open."""
    noises = [b"}{\xff\x00 no event\n[1]\n{}\n", b"[" * 3000 + b"\n"]
    for job in (0, 1, 2, 99, [], None):  # those of the run among them
        for kind in ("ready", "start", "working", "result", "storage", "shared-failed", "exit", "note", "no such"):
            event = {"event": kind, "job": job} | ({"trial": "x"} if kind == "result" else {})
            noises.append(f"{json.dumps(event)}\n".encode())
    noises.append(b"half a line")
    for fd in range(3, 50):
        for noise in noises:
            with contextlib.suppress(OSError):
                if stat.S_ISFIFO(os.fstat(fd).st_mode):
                    os.write(fd, noise)


def kill_parent():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def libc_fork_and_hang():
    """A fork that Python does not know of: no hook runs in the child."""
    if ctypes.CDLL(None).fork() == 0:
        time.sleep(600)
    time.sleep(600)


def daemonise():
    """Comes back once the daemon is on its own: before that it would end with the trial's process group."""
    told, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()  # in no group that anybody knows
            os.write(tell, b"x")
            time.sleep(600)
        os._exit(0)
    os.read(told, 1)
    os.close(told)
    os.close(tell)


def shout():
    print("the first line")
    for _ in range(40):
        os.write(1, b"x" * 2**20)
    raise ValueError("the last line")


def kill(number):
    os.kill(os.getpid(), number)
    time.sleep(60)


BEHAVIOURS = {
    "raise": lambda p: raise_(ValueError("no such luck")),
    "exit": lambda p: os._exit(3),
    "system-exit": lambda p: raise_(SystemExit(0)),
    "segfault": lambda p: kill(signal.SIGSEGV),
    "killed": lambda p: kill(signal.SIGKILL),
    "leak": leak,
    "hang": lambda p: time.sleep(600),
    "no-extra": lambda p: raise_(MissingExtra("needs chemistry: pip install 'gpbench[molecules]'")),
    "not-for-me": lambda p: raise_(NotApplicable("no gradient")),
    "nan": lambda p: spoiled(p, lambda m, v: Prediction(set_first(m, np.nan), v)),
    "negative": lambda p: spoiled(p, lambda m, v: Prediction(m, set_first(v, -1e-9))),
    "short": lambda p: spoiled(p, lambda m, v: Prediction(m[1:], v[1:])),
    "column": lambda p: spoiled(p, lambda m, v: Prediction(m[:, None], v)),
    "text": lambda p: spoiled(p, lambda m, v: Prediction(m.astype(str), v)),
    "tuple": lambda p: spoiled(p, lambda m, v: (m, v)),
    "huge": lambda p: spoiled(p, lambda m, v: Prediction(m + 1e200, v)),
    "latent": lambda p: spoiled(p, lambda m, v: Prediction(m, v, set_first(v.copy(), -1e-17))),
    "infinite-trace": lambda p: constant(p, 0.0, trace=[{"step": 1, "gain": float("inf")}]),
    "spawn": lambda p: (subprocess.Popen(["sleep", "600"]), constant(p, 0.0))[1],
    "surrogate": lambda p: raise_(ValueError("bad \udc80 byte, \x1b[31mred\x1b[0m\r\x00")),
    "moody": lambda p: BEHAVIOURS.get(os.environ.get("GPBENCH_TEST_MOOD"), lambda p: constant(p, 0.0))(p),
    "mute": lambda p: raise_(Mute()),
    "close-all": lambda p: (os.closerange(3, 100), constant(p, 0.0))[1],
    "scribble": lambda p: (scribble(), constant(p, 0.0))[1],
    "parricide": lambda p: kill_parent(),
    "fork-and-hang": lambda p: libc_fork_and_hang(),
    "daemon": lambda p: (daemonise(), constant(p, 0.0))[1],
    "loud": lambda p: shout(),
    "chatty": lambda p: (print("hello from the method"), constant(p, 0.0))[1],
}


class Fake(Method):
    name = "fake"
    behaviour: str = "ok"
    seconds: float = 0.0
    d_max: int = Field(10, ge=1)
    tag: str = ""

    def fit(self, problem, rng):
        time.sleep(self.seconds)
        if self.behaviour in BEHAVIOURS:
            return BEHAVIOURS[self.behaviour](problem)
        return constant(problem, float(problem.y.mean() + rng.normal()), self.d_max)


class NoGP(Method):
    """The mean of the targets: no Gaussian process, no basis, no record; what a plug-in must give, and no more."""

    name = "no-gp"

    def fit(self, problem, rng):
        return Fitted(predict=lambda X: Prediction(np.full(len(X), problem.y.mean()), np.ones(len(X))))


class FakePath(Method):
    """Draws one number per step; writes down how often it was started in the file `count`."""

    name = "fake-path"
    nested = True
    d_max: int = Field(10, ge=1)
    seconds: float = 0.0
    fail_at: int = 0
    nan_at: int = 0
    count: str = ""
    scribbles: bool = False
    forks: bool = False

    def fit(self, problem, rng):
        return next(self.path(problem, rng, [self.d_max]))

    def path(self, problem, rng, sizes):
        if self.count:
            with Path(self.count).open("a") as f:
                f.write("started\n")
        total = 0.0
        for step in range(1, max(sizes) + 1):
            total += rng.normal()
            if step == self.fail_at:
                kill(signal.SIGSEGV)
            if step in sizes:
                time.sleep(self.seconds)
                if self.scribbles:
                    scribble()
                if self.forks and os.fork() == 0:
                    total += 100  # and the child goes on as if it were the method
                yield constant(problem, np.nan if step == self.nan_at else total / step, step)

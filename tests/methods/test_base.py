"""What goes into a fit and what comes out of it: a checked problem, a model that pickles, a record of its own."""

import pickle

import numpy as np
import pytest

from gpbench import catalog
from gpbench.errors import BadInput
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.piecewise_polynomial import PP3
from gpbench.methods.base import GP, Problem, Schedule
from gpbench.recorder import Recorder
from tests.helpers.driver import run_here, trial

SMALL = {"d_max": 6, "epochs": 2, "grid": 2, "neighbours": 5}


def rows(n=40, labels=False):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (n, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n)
    return X, np.sign(y) if labels else y


@pytest.mark.parametrize("name", sorted(catalog.own_names("method") - {"external"}))
def test_every_fitted_model_pickles_with_all_that_is_told_of_it(name):
    cls = catalog.find("method", name)
    X, y = rows(labels=cls.task == "classification")
    gp = GP(PP3(np.zeros(3), 2) if cls.compact else ArdSE(np.zeros(3), 2), 0.1)
    method = cls(**{k: v for k, v in SMALL.items() if k in cls.model_fields})
    if "snapshots" in cls.model_fields:
        method = method.model_copy(update={"snapshots": True})
    problem = Problem.of(X, y, gp, Schedule("interleaved", evaluations=3, rounds=1), task=cls.task)
    fitted = method.fit(problem, np.random.default_rng(0))
    again = pickle.loads(pickle.dumps(fitted))
    for name in ("mean", "var"):
        np.testing.assert_array_equal(getattr(again.predict(X), name), getattr(fitted.predict(X), name))
    assert (again.trace, again.notes, again.seconds) == (fitted.trace, fitted.notes, fitted.seconds)
    for (_, one), (_, two) in zip(fitted.models, again.models, strict=True):
        np.testing.assert_array_equal(one(X).mean, two(X).mean)


def test_a_problem_needs_no_more_than_rows():
    X, y = rows()
    problem, same = Problem.of(X.tolist(), y.tolist()), Problem.of(X, y)
    assert problem.schedule == Schedule() and problem.gp.kernel.name == "ard-se" and not problem.large
    np.testing.assert_array_equal(problem.order, same.order)
    assert sorted(problem.order) == list(range(40)) and not np.array_equal(problem.order, np.arange(40))
    catalog.find("method", "full-gp")().fit(problem, np.random.default_rng(0))


X, Y = rows(5)
WRONG = [
    ({"X": X[:, 0]}, "reshape"), ({"y": Y[:4]}, "y: expected 5 numbers"), ({"y": Y[:, None]}, "y: expected 5 numbers"),
    ({"X": np.where(X == X[3, 1], np.nan, X)}, "X: row 3"), ({"y": np.where(Y == Y[2], np.inf, Y)}, "y: row 2"),
    ({"X": X[:0], "y": Y[:0]}, "no rows"), ({"order": [0, 1, 2, 3, 3]}, "row numbers 0 to 4 once"),
    ({"schedule": "sometimes"}, "none of fixed, joint, interleaved"), ({"y": list("abcde")}, "y: expected 5 numbers"),
    ({"gp": GP(ArdSE(np.zeros(3), 2), -1.0)}, "noise"), ({"X": np.array(list("abcde"), object)}, "gp: inputs"),
]  # fmt: skip


@pytest.mark.parametrize("given, told", WRONG, ids=[told for _, told in WRONG])
def test_what_is_wrong_with_a_problem_is_said(given, told):
    with pytest.raises(BadInput, match=told):
        Problem.of(**{"X": X, "y": Y} | given)


def test_fits_of_one_problem_do_not_share_a_record():
    problem = Problem.of(*rows())
    method = catalog.find("method", "nlml")(d_max=5)
    one, two = (method.fit(problem, np.random.default_rng(0)) for _ in range(2))
    assert len(one.trace) == len(two.trace) == 5 and one.kernel_rows == two.kernel_rows


def test_a_longer_path_leaves_the_record_of_a_shorter_one_alone():
    path = catalog.find("method", "nlml")().path(Problem.of(*rows()), np.random.default_rng(0), [3, 7])
    short = next(path)
    before = [dict(row) for row in short.trace], dict(short.seconds), short.kernel_rows
    long = next(path)
    assert (short.trace, short.seconds, short.kernel_rows) == before
    assert len(long.trace) == 7 and long.trace[:3] == short.trace and long.seconds["select"] > short.seconds["select"]


def test_a_recorder_adds_up_by_its_clock_and_shows_the_watch_what_it_is_shown():
    ticks = iter(range(100))
    recorder = Recorder(lambda: float(next(ticks)), lambda seen: {"twice": 2 * seen["number"]})
    for _ in range(2):
        with recorder.time("select"):
            pass
    recorder.row({"step": 1}, number=4)
    recorder.row({"step": 2})
    recorder.also({"last": True})
    recorder.evaluated(3)
    recorder.evaluated(4)
    recorder.note("one", "two")
    assert [(item, seconds) for item, seconds in recorder.laps("ab")] == [("a", 1.0), ("b", 1.0)]
    told = recorder.told("of this model")
    assert told["seconds"] == {"select": 2.0} and told["kernel_rows"] == 7
    assert told["trace"] == [{"step": 1, "twice": 8}, {"step": 2, "last": True}]
    assert told["notes"] == ("one", "two", "of this model") and recorder.notes == ["one", "two"]


def test_a_model_need_be_no_gaussian_process(tmp_path):
    done = trial("no-gp")
    assert run_here(tmp_path, [done]).done == 1
    result = ResultsFolder(tmp_path).results([done])[done.id]
    assert result.status == "ok" and result.n_basis is None and result.theta == {} and result.trace == []

"""The public names of gpbench and gpbench.extend: each has a summary, an example that runs, and its parameters."""

import doctest
import inspect

import pytest

import gpbench
from gpbench import extend

NAMES = [(gpbench, n) for n in gpbench.__all__ if n != "__version__"] + [(extend, n) for n in extend.__all__]
CALLED = [  # functions and methods whose parameters and results a user has to know
    gpbench.load, gpbench.streams,
    *(getattr(gpbench.SparseGPRegressor, n) for n in ("fit", "predict", "predict_quantiles", "log_density", "save")),
    *(getattr(gpbench.SparseGPClassifier, n) for n in ("fit", "predict", "predict_proba", "save")),
]  # fmt: skip


def _object(module, name):
    found = getattr(module, name)
    return found if inspect.isclass(found) or inspect.isfunction(found) else type(found)


@pytest.mark.parametrize("module, name", NAMES, ids=[n for _, n in NAMES])
def test_a_public_name_has_a_summary_and_an_example_that_runs(module, name):
    found = _object(module, name)
    text = inspect.cleandoc(found.__doc__ or "")
    assert text.split("\n\n")[0].rstrip().endswith("."), f"{name}: the first line is a sentence"
    assert "Examples\n--------" in text, f"{name} has no example"
    (test,) = [doctest.DocTestParser().get_doctest(text, {}, name, None, 0)]
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert test.examples and runner.run(test).failed == 0


@pytest.mark.parametrize("function", CALLED, ids=[f.__qualname__ for f in CALLED])
def test_every_parameter_of_a_public_function_is_described(function):
    text = inspect.cleandoc(function.__doc__ or "")
    names = [p for p in inspect.signature(function).parameters if p != "self"]
    assert "Parameters\n----------" in text
    assert [n for n in names if f"\n{n} : " not in text] == []
    assert "Returns\n-------" in text or function.__name__ == "save"


@pytest.mark.parametrize("cls", [gpbench.SparseGPRegressor, gpbench.SparseGPClassifier])
def test_every_parameter_of_an_estimator_is_described(cls):
    text = inspect.cleandoc(cls.__doc__)
    assert [n for n in inspect.signature(cls).parameters if f"\n{n} : " not in text] == []

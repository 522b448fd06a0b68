"""EP of a likelihood that does not converge: the trial is failed with the reason, and has no number."""

import pytest

from gpbench.experiment.results.folder import ResultsFolder
from tests.helpers.driver import run_here, trial

FIXED = {"schedule": "fixed", "values": {"variance": 1.0, "lengthscale": 1.0, "noise": 0.1}}
LEARNED = {"schedule": "joint", "evaluations": 5, "optimiser": "lbfgs", "restarts": 1}


@pytest.mark.parametrize("method", ["ep", "ep-fic"])
@pytest.mark.parametrize("hyperparameters", [FIXED, LEARNED], ids=["fixed", "learned"])
def test_the_trial_is_failed_with_its_reason_and_without_numbers(method, hyperparameters, tmp_path):
    more = {"d_max": 5} if method == "ep-fic" else {}
    one = trial(method, likelihood="student-t", hyperparameters=hyperparameters, max_sweeps=1, tolerance=1e-12, **more)
    run_here(tmp_path / "run", [one])
    result = ResultsFolder(tmp_path / "run").results([one])[one.id]
    assert result.status == "failed"
    assert "EP did not converge: a site still changes by" in result.reason
    assert not any(value is not None for value in result.metrics.values())

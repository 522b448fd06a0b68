"""Choose the trials to run: those without a result, and those that `--rerun` names."""

from __future__ import annotations

from dataclasses import dataclass

from gpbench import catalog
from gpbench.errors import NOT_HAD
from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.results.folder import FINAL, ResultsFolder
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.metrics import lacking

RERUN = ("stale", "failed", "all")


@dataclass(frozen=True)
class Pending:
    results: dict[str, TrialResult]  # by id
    stale: dict[str, TrialResult]  # results of an earlier version, by the id of the trial that will replace them
    missing: list[Trial]


def pending_trials(
    trials: list[Trial], store: ResultsFolder, rerun: str = "", predictions: bool = False, repair: bool = False,
    metrics: tuple[str, ...] = (),
) -> Pending:  # fmt: skip
    """The missing trials, and the results of the others.

    predictions: also run finished trials without saved arrays. metrics: also run trials that lack one of these.
    repair: move damaged files to quarantine/.
    """
    results = store.results(trials, repair, predictions)
    stale = {} if predictions else store.stale([t for t in trials if t.id not in results])

    def wanted(id: str) -> bool:
        if rerun == "all":
            return True
        if id in results:
            known = results[id]
            if known.status == "ok" and lacking(known.metrics, metrics):
                return True
            if known.status == "skipped" and NOT_HAD in known.reason:
                return rerun == "failed" or catalog.find("method", known.trial.method).ready(known.trial.params)
            return rerun == "failed" and known.status not in FINAL
        return rerun == "stale" or id not in stale

    return Pending(results, stale, [t for t in trials if wanted(t.id)])

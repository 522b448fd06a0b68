"""Choose the trials to run: those without a result, and those that `--rerun` names."""

from __future__ import annotations

from gpbench import catalog
from gpbench.errors import NOT_HAD
from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.results.inventory import Inventory
from gpbench.metrics import lacking

RERUN = ("stale", "failed", "all")


def pending_trials(
    trials: list[Trial], known: Inventory, rerun: str = "", predictions: bool = False, metrics: tuple[str, ...] = ()
) -> list[Trial]:
    """The trials to run.

    predictions: also finished trials without saved arrays. metrics: also trials that lack one of these.
    """

    def wanted(id: str) -> bool:
        if rerun == "all":
            return True
        if (result := known.results.get(id)) is None:
            return rerun == "stale" or predictions or id not in known.stale
        if result.status == "skipped" and NOT_HAD in result.reason:
            return rerun == "failed" or catalog.find("method", result.trial.method).ready(result.trial.params)
        if result.status == "ok" and lacking(result.metrics, metrics):
            return True
        return (rerun == "failed" or result.status == "ok") and not known.finished(id, predictions)

    return [t for t in trials if wanted(t.id)]

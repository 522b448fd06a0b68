"""The committed trials are those of the committed configs: found by their id, or known as an earlier version."""

import json

from gpbench import data
from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.plan import plan


def trials(config, monkeypatch):
    """Of every choice among data sets that stand in for each other; nothing is fetched."""
    for k in range(max(len(d.alternatives) for d in config.datasets)):
        monkeypatch.setattr(data, "resolve_first_of", lambda these, k=k: (these[min(k, len(these) - 1)], ""))
        yield from plan(config).trials


def configs(repo):
    for path in sorted((repo / "configs").rglob("*.yaml")):
        config = load_config(path)
        archive = repo / "results" / config.name / "archive.jsonl"
        if archive.is_file():
            yield config, {json.loads(line)["id"] for line in archive.read_text().splitlines()}


def may_be_stale(trial):
    """What learner 2 moved: climbs by L-BFGS in a box, of methods that learn for themselves.

    What else was raised: nlpd of classifiers, CholQR-AA, climbs of FITC, VFE and its tighter bound, and
    where they start when nobody says.
    """
    if trial.versions.get("method", 1) > 1:
        climbs = trial.hyperparameters["schedule"] != "fixed" or trial.params.get("optimise_inputs")
        left_open = trial.params.get("inducing") is None  # the usual start, where a config says nothing
        sparse = trial.method in ("fitc", "vfe", "vfe-tight") and (climbs or left_open)
        return trial.method.startswith("ep") or trial.params.get("variant") == "aa" or sparse
    return trial.hyperparameters["schedule"] != "fixed" and trial.learner > 1


def test_every_archived_trial_is_planned_or_an_earlier_version_of_one(repo, monkeypatch):
    seen, stale = 0, 0
    for config, archived in configs(repo):
        left = set(archived)
        for trial in trials(config, monkeypatch):
            earlier = {t.id for t in trial.earlier()} & left if trial.versions else set()
            if trial.id in left:
                left -= {trial.id} | earlier  # run again: its predecessors stay in the archive
                continue
            assert not earlier or may_be_stale(trial), f"{config.name}: {trial.method} {trial.hyperparameters}"
            left -= earlier
            stale += len(earlier)
        assert not left, f"{config.name}: {len(left)} of {len(archived)} archived trials are planned by nothing"
        seen += len(archived)
    assert seen > 10_000 and 0 < stale < 0.2 * seen

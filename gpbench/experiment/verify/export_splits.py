"""Write the splits of trials as plain files: exactly the rows that a run with the same data, split and seed uses."""

from __future__ import annotations

from pathlib import Path

from gpbench import catalog
from gpbench.data.split_files import export
from gpbench.experiment.plan import random_streams
from gpbench.experiment.plan.trial import Trial


def default_trial(name: str, split: dict, seed: int, index: int) -> Trial:
    """A trial that has data and a split but no method, for exports without a config."""
    return Trial({"name": name}, split, {}, {}, {}, "", {}, {}, seed, index)


def export_trials(trials: list[Trial], out: Path) -> list[Path]:
    """Write one folder per data set and split rule; if there is only one, `out` itself."""
    groups: dict[tuple, dict[int, Trial]] = {}
    for trial in trials:
        groups.setdefault((trial.dataset_name, str(trial.dataset), str(trial.split)), {})[trial.index] = trial
    written, names = [], [key[0] for key in groups]
    for k, (key, by_index) in enumerate(groups.items()):
        folder = Path(key[0]).stem + (f"-{names[:k].count(key[0])}" if names.count(key[0]) > 1 else "")
        first = next(iter(by_index.values()))
        per_trial = "name" in first.dataset and catalog.find("dataset", first.dataset["name"]).per_trial

        def rngs(index, by_index=by_index, per_trial=per_trial):
            return random_streams.data(by_index[index], per_trial), random_streams.split(by_index[index])

        place = out if len(groups) == 1 else out / folder
        keys = {index: trial.data_key for index, trial in by_index.items()}
        written.append(export(first.dataset, first.split or None, place, sorted(by_index), rngs, first.seed, keys))
    return written

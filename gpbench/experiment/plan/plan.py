"""Make the ordered list of trials of a config."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from gpbench import data
from gpbench.data.dataset import name_of
from gpbench.errors import ConfigError
from gpbench.experiment.config import dataset_entry, grid
from gpbench.experiment.config.config import Config
from gpbench.experiment.config.dataset_entry import DatasetEntry
from gpbench.experiment.config.method_entry import MethodEntry
from gpbench.experiment.config.settings import SCORING
from gpbench.versions import essential

from . import trial_id
from .trial import Trial

Globs = str | Iterable[str] | None


@dataclass(frozen=True)
class Plan:
    trials: list[Trial]  # by data set, repetition, method, grid point: a stopped run leaves complete comparisons
    notices: list[str]  # e.g. that simulated data stand in for published rows


def plan(
    config: Config,
    methods: Globs = None,
    datasets: Globs = None,
    trials: str | None = None,
    begun: Collection[str] = (),
    fetch: bool = True,
) -> Plan:
    """The trials of a config, or those that the globs (`-m`, `-d`) and the range (`--repetitions 0-4`) select.

    From `first_of` data sets, take the one with existing results (`begun`), else the first that can be obtained, if
    necessary by download. Without `fetch`: the first that is on disk, or the first listed.
    """
    chosen_datasets = _matching(config.datasets, datasets, "dataset", lambda d: d.names)
    chosen_methods = _matching(config.methods, methods, "method", lambda m: [m.label, m.method])
    wanted = ranges(trials)
    found: list[Trial] = []
    notices: list[str] = []
    for entry in chosen_datasets:
        source = _source(entry, begun, fetch, notices)
        notices += dataset_entry.remarks(replace(entry, alternatives=(source,)))
        indices = [i for i in range(config.repetitions_for(entry)) if any(low <= i <= high for low, high in wanted)]
        grids = [_points(config, entry, m, source) for m in chosen_methods]
        found += [trial(index) for index in indices for points in grids for trial in points]
    if not found:
        most = max(config.repetitions_for(d) for d in chosen_datasets)
        raise ConfigError(f"--trials {trials}: selects nothing; the config has trials 0-{most - 1}")
    _refuse_duplicates(found)
    return Plan(found, notices)


def number_of_trials(config: Config) -> int:
    """Number of trials of the whole config; it is the same for each of its alternative data sets."""
    return sum(
        config.repetitions_for(d)
        * sum(len(list(grid.combinations(m.cls, config.params_for(d, m)))) for m in config.methods)
        for d in config.datasets
    )


def every_trial(config: Config) -> list[Trial]:
    """Trials on every alternative data set, which is all that a folder may hold. Downloads nothing."""
    found: dict[str, Trial] = {}
    for k in range(max(len(d.alternatives) for d in config.datasets)):
        one_each = tuple(
            replace(d, alternatives=(d.alternatives[min(k, len(d.alternatives) - 1)],)) for d in config.datasets
        )
        found |= {t.id: t for t in plan(replace(config, datasets=one_each)).trials}
    return list(found.values())


def _source(entry: DatasetEntry, begun: Collection[str], fetch: bool, notices: list[str]) -> dict:
    listed = list(entry.alternatives)
    source = next((s for s in listed if len(listed) == 1 or name_of(s) in begun), None)
    if source is None and fetch:
        source, notice = data.resolve_first_of(listed)
        notices += [notice] if notice else []
    elif source is None:
        source = next(filter(data.at_hand, listed), listed[0])
    found = data.content_hash(source)
    return source | ({"sha256": found} if found else {})


def _points(config: Config, dataset: DatasetEntry, method: MethodEntry, source: dict) -> list:
    """For each grid point of the method, a function from the number of a repetition to the trial."""
    settings = config.settings_for(dataset, method)
    given = config.params_for(dataset, method)
    named = [k for k in grid.axes(method.cls, given) if k not in ("d_max", "cache")]  # these two have columns
    fixed, dataset_of = trial_id.identified(settings), trial_id.identified_source(source)

    def trial_of(point: dict):
        params = grid.filled(method.cls, point)
        own = essential(method.cls, params)
        code = trial_id.plugin_code(method.cls, source, settings["kernel"], params)
        versions = trial_id.versions(method.cls, source, settings, params)
        label = " ".join([method.label, *(f"{k}={params[k]}" for k in named)])
        return lambda index: Trial(
            dataset=dataset_of,
            **fixed,
            method=method.method,
            params=own,
            scoring={k: settings[k] for k in SCORING},
            seed=config.seed,
            index=index,
            code=code,
            label=label,
            versions=versions,
        )

    return [trial_of(point) for point in grid.combinations(method.cls, given)]


def _matching(entries, globs: Globs, kind: str, names) -> list:
    """Entries whose name matches one of the globs; a glob without a match is an error."""
    globs = [globs] if isinstance(globs, str) else list(globs or [])
    for glob in globs:
        if not any(fnmatchcase(n, glob) for e in entries for n in names(e)):
            known = dict.fromkeys(names(e)[0] for e in entries)
            raise ConfigError(f"--{kind} {glob}: matches none of the config's {kind}s: {', '.join(known)}")
    return [e for e in entries if not globs or any(fnmatchcase(n, g) for n in names(e) for g in globs)]


def ranges(text: str | None) -> list[tuple[int, float]]:
    """'0,2,5-7' as pairs (first, last); None means every repetition."""
    if text is None:
        return [(0, float("inf"))]
    found_ranges: list[tuple[int, float]] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", part)
        if not found or int(found[2] or found[1]) < int(found[1]):
            raise ConfigError(f"--trials {text}: expected numbers and ranges such as 0-4 or 0,2,5-7")
        found_ranges.append((int(found[1]), int(found[2] or found[1])))
    return found_ranges


def _refuse_duplicates(trials: list[Trial]) -> None:
    seen: dict[str, Trial] = {}
    for trial in trials:
        first = seen.setdefault(trial.id, trial)
        if first is not trial:
            raise ConfigError(
                f"methods '{first.label}' and '{trial.label}' are the same computation on {trial.dataset_name} "
                f"(method {trial.method}, equal parameters); remove one of them"
            )

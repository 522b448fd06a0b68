"""What of a plan's settings enters a trial's id: parameters without the added ones at rest, and raised versions."""

from __future__ import annotations

from typing import Any

from gpbench import catalog
from gpbench.experiment.config.sections import SPLITS, Hyperparameters, Scale
from gpbench.gp.kernels.build import classes_in, essential_options, names_in
from gpbench.gp.learning import sizes
from gpbench.versions import essential, raised, version_of

LEARNERS = frozenset({"learner", "start_learner"})


def identified(settings: dict) -> dict:
    """Split, scale, kernel and hyperparameters as a trial keeps them; the learner is a version, not a parameter."""
    split, hyper = settings["split"], settings["hyperparameters"]
    return {
        "split": essential(SPLITS[split["kind"]], split) if split else split,
        "scale": essential(Scale, settings["scale"]),
        "kernel": essential_options(settings["kernel"]),
        "hyperparameters": essential(Hyperparameters, {k: v for k, v in hyper.items() if k not in LEARNERS}),
    }


def identified_source(source: dict) -> dict:
    return essential(catalog.find("dataset", source["name"]), source) if "name" in source else source


def plugin_code(method: type[Any], source: dict, kernel: dict) -> str:
    """Hashes of the plug-in files that a trial runs through; empty when it is gpbench's own code alone."""
    return "+".join(sorted({catalog.source_hash(method), *shared_plugin_code(source, kernel)} - {""}))


def shared_plugin_code(source: dict, kernel: dict) -> list[str]:
    """Those of its data set and kernels, which trials of other methods share."""
    classes = [catalog.find("dataset", source["name"])] if "name" in source else []
    classes += [catalog.find("kernel", name) for name in names_in(kernel)]
    return [code for cls in classes if (code := catalog.source_hash(cls))]


def versions(method: type[Any], source: dict, settings: dict, params: dict) -> dict[str, int]:
    """Raised versions of all that a trial runs through."""
    hyper = settings["hyperparameters"]
    more = method.raised_for({**params, "schedule": hyper["schedule"]})
    found = {"method": version_of(method) + more, **learners(hyper, params, method)}
    found |= {f"kernel {cls.name}": version_of(cls) for cls in classes_in(settings["kernel"])}
    if settings["hyperparameters"].get("subset", 0) is None and not method.learns_itself:
        found["subset"] = sizes.version
    if "name" in source:
        found[f"dataset {source['name']}"] = version_of(catalog.find("dataset", source["name"]))
    return raised(found)


def learners(h: dict, params: dict, method: type[Any]) -> dict[str, int]:
    """Of the climbs that a trial makes, or shares: the lowest version that does the same.

    1 and 2 differ for L-BFGS with every variable in a box: not by conjugate gradients, nor where inducing inputs are
    free. 3 differs from 2 for the full GP that is shared alone, 4 from 1 for L-BFGS with free inducing inputs, 5 from 4
    likewise, where the method says so.
    """
    shared_boxed = h.get("optimiser") == "lbfgs"
    by_lbfgs = (params.get("optimiser") or h.get("optimiser")) == "lbfgs"
    given, free = min(h.get("learner", 1), method.learners), by_lbfgs and params.get("optimise_inputs")
    if h["schedule"] == "fixed":
        return {"learner": (given if free else min(given, 3)) if shared_boxed else 1}
    boxed = min(given, 2) if by_lbfgs else 1
    found = {"learner": (given if given > 3 else 1) if free else boxed}
    if "start_learner" in h:
        found["start_learner"] = min(h["start_learner"], 3) if shared_boxed else 1
    return found

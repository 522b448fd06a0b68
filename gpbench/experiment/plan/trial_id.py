"""Settings that enter a trial's id: parameters, without later additions at their default, and raised versions."""

from __future__ import annotations

from typing import Any

from gpbench import catalog
from gpbench.experiment.config.sections import SPLITS, Hyperparameters, Scale
from gpbench.gp.kernels.build import classes_in, essential_options, names_in
from gpbench.gp.learning import sizes
from gpbench.versions import essential, raised, version_of

LEARNERS = frozenset({"learner", "start_learner"})


def identified(settings: dict) -> dict:
    """Split, scale, kernel and hyperparameters for a Trial; the learner is a version, not a parameter."""
    split, hyper = settings["split"], settings["hyperparameters"]
    return {
        "split": essential(SPLITS[split["kind"]], split) if split else split,
        "scale": essential(Scale, settings["scale"]),
        "kernel": essential_options(settings["kernel"]),
        "hyperparameters": essential(Hyperparameters, {k: v for k, v in hyper.items() if k not in LEARNERS}),
    }


def identified_source(source: dict) -> dict:
    return essential(catalog.find("dataset", source["name"]), source) if "name" in source else source


def plugin_code(method: type[Any], source: dict, kernel: dict, params: dict) -> str:
    """Hashes of the plug-in files that a trial uses; empty if it uses only gpbench's own code."""
    parts = {catalog.source_hash(cls) for cls in (method, *method.parts_of(params))}
    return "+".join(sorted({*parts, *shared_plugin_code(source, kernel)} - {""}))


def shared_plugin_code(source: dict, kernel: dict) -> list[str]:
    """Hashes of the plug-in files of its data set and kernels, which trials of other methods share."""
    classes = [catalog.find("dataset", source["name"])] if "name" in source else []
    classes += [catalog.find("kernel", name) for name in names_in(kernel)]
    return [code for cls in classes if (code := catalog.source_hash(cls))]


def versions(method: type[Any], source: dict, settings: dict, params: dict) -> dict[str, int]:
    """Raised versions of all code that a trial uses."""
    hyper = settings["hyperparameters"]
    more = method.raised_for({**params, "schedule": hyper["schedule"]})
    found = {"method": version_of(method) + more, **learners(hyper, params, method)}
    found |= {f"{_kind(cls)} {cls.name}": version_of(cls) for cls in method.parts_of(params)}
    found |= {f"kernel {cls.name}": version_of(cls) for cls in classes_in(settings["kernel"])}
    if settings["hyperparameters"].get("subset", 0) is None and not method.learns_itself:
        found["subset"] = sizes.version
    if "name" in source:
        found[f"dataset {source['name']}"] = version_of(catalog.find("dataset", source["name"]))
    return raised(found)


def _kind(cls: type) -> str:
    return "method" if hasattr(cls, "task_of") else "likelihood"


def learners(h: dict, params: dict, method: type[Any]) -> dict[str, int]:
    """The lowest equivalent version of the learner, for the trial's own optimisation and for its full-GP fit.

    1 and 2 differ only for L-BFGS with every variable in a box, not for conjugate gradients or free inducing inputs.
    3 differs from 2 only for the full-GP fit; 4 from 1, and 5 from 4, only for L-BFGS with free inducing inputs, 5 only
    if the method says so.
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

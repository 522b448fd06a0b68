"""What of a plan's settings enters a trial's id: parameters without the added ones at rest, and raised versions."""

from __future__ import annotations

from gpbench import catalog
from gpbench.kernels.build import classes_in, essential_options
from gpbench.versions import essential, raised, version_of

from .settings import SPLITS, Hyperparameters, Scale


def identified(settings: dict) -> dict:
    """Split, scale, kernel and hyperparameters as a trial keeps them; the learner is a version, not a parameter."""
    split, hyper = settings["split"], settings["hyperparameters"]
    return {
        "split": essential(SPLITS[split["kind"]], split) if split else split,
        "scale": essential(Scale, settings["scale"]),
        "kernel": essential_options(settings["kernel"]),
        "hyperparameters": essential(Hyperparameters, {k: v for k, v in hyper.items() if k != "learner"}),
    }


def identified_source(source: dict) -> dict:
    return essential(catalog.find("dataset", source["name"]), source) if "name" in source else source


def versions(method: type, source: dict, settings: dict) -> dict[str, int]:
    """Raised versions of all that a trial runs through."""
    found = {"method": version_of(method), "learner": settings["hyperparameters"].get("learner", 1)}
    found |= {f"kernel {cls.name}": version_of(cls) for cls in classes_in(settings["kernel"])}
    if "name" in source:
        found[f"dataset {source['name']}"] = version_of(catalog.find("dataset", source["name"]))
    return raised(found)

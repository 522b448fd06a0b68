"""Ways to choose m rows at given hyperparameters, without looking at the targets: one file each.

A rule is a function `choose(gp, X, m, rng) -> Chosen`. It serves as a method of its own (methods/<name>.py) and as the
start (`inducing: <name>`) of every method with inducing inputs. Only `kmeans` needs inputs that are vectors.
"""

from __future__ import annotations

from importlib import import_module

NAMES = ("conditional-variance", "rpcholesky", "leverage", "kdpp")


def find(name: str):
    return import_module(f"{__name__}.{name.replace('-', '_')}").choose

"""[vanhatalo] Figure 1: the kernel against distance, at `profile` distances."""

from __future__ import annotations

import numpy as np

from gpbench.errors import NotApplicable

from . import FinishedFit


def before(sight: FinishedFit) -> list[dict[str, float]]:
    """Rows in front of the trace; `step` is the distance, in length-scales or as a share of the support."""
    kernel, number = sight.fitted.gp.kernel, sight.method.profile
    if not number:
        return []
    return _compact(kernel, number) if sight.method.compact else _correlation(kernel, number)


def _correlation(kernel, number: int) -> list[dict[str, float]]:
    """Along one input, up to three length-scales."""
    length = np.ravel(kernel.values().get("lengthscale", []))
    if len(length) != 1:
        raise NotApplicable(f"profile: kernel {kernel.name} has no single length-scale; use ard: false")
    steps = 3 * np.arange(1, number + 1) / (number + 1)
    at = np.zeros((number, kernel.dims))
    at[:, 0] = steps * length[0]
    k = kernel(np.zeros((1, kernel.dims)), at)[0] / kernel.diag(at)
    return [{"step": float(s), f"k_{kernel.name}": float(v)} for s, v in zip(steps, k)]


def _compact(kernel, number: int) -> list[dict[str, float]]:
    if not hasattr(kernel, "profile"):
        raise NotApplicable(f"profile: kernel {kernel.name} is no function of one scaled distance; use pp0..pp3")
    r = np.arange(1, number + 1) / (number + 1)
    found = kernel.profile(r)
    return [{"step": float(x), **{k: float(v[i]) for k, v in found.items()}} for i, x in enumerate(r)]

"""Share of the signal variance in the redundant kernels of [cao] section 4.1.5, for the trace (claim C22)."""

from __future__ import annotations

from gpbench.methods.base import GP, Method

REDUNDANT = ("sum", "identity")


def along(method: Method, gp: GP, **seen) -> dict[str, float]:
    """Empty if the kernel has no redundant parts."""
    values = gp.kernel.values().items()
    variances = {k.removeprefix("variance."): v for k, v in values if k.startswith("variance.")}
    return {f"weight_share_{k}": variances[k] / sum(variances.values()) for k in REDUNDANT if k in variances}

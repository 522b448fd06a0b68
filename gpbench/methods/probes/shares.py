"""Share of the signal variance that the redundant kernels of [cao] section 4.1.5 still have, for the trace (C22)."""

from __future__ import annotations

from gpbench.kernels.base import Kernel

REDUNDANT = ("sum", "identity")


def redundant_shares(kernel: Kernel) -> dict[str, float]:
    """Empty for kernels without the redundant ones."""
    variances = {k.removeprefix("variance."): v for k, v in kernel.values().items() if k.startswith("variance.")}
    return {f"weight_share_{k}": variances[k] / sum(variances.values()) for k in REDUNDANT if k in variances}

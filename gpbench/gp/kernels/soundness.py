"""What is wrong with a kernel's matrices where no Gaussian process can be fitted with them: functions and plug-ins."""

from __future__ import annotations

import numpy as np

from gpbench.errors import GpbenchError

from .base import Kernel

ROWS = 200  # that are looked at: enough to show a wrong formula, and cheap
ROUNDING = 1e-6  # relative to the largest entry


def fault(kernel: Kernel, X) -> str:
    """In a sentence: values that are not finite, not symmetric, not positive semidefinite; empty where all is well."""
    try:
        K = np.asarray(kernel(X[:ROWS]), dtype=float)
    except GpbenchError as e:
        return str(e)
    if not np.isfinite(K).all():
        return f"kernel {kernel.name}: gave values that are not finite"
    return asymmetry(kernel.name, K) or _indefinite(kernel.name, K)


def asymmetry(name: str, K) -> str:
    """A sentence if k(A, A) of the first rows is not symmetric; else empty."""
    K = K[:ROWS, :ROWS]
    gap = np.abs(K - K.T)
    if not gap.size or not gap.max() > ROUNDING * np.abs(K).max():
        return ""
    i, j = np.unravel_index(gap.argmax(), K.shape)
    return f"kernel {name}: is not symmetric: it gave k(a, b) = {K[i, j]:.4g} and k(b, a) = {K[j, i]:.4g}"


def _indefinite(name: str, K) -> str:
    lowest = np.linalg.eigvalsh(K)[0]
    if not lowest < -ROUNDING * np.abs(K).max():
        return ""
    return f"kernel {name}: is not positive semidefinite: its matrix of {len(K)} rows has the eigenvalue {lowest:.3g}"

"""What a rule gives back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Chosen:
    rows: np.ndarray  # at most m of them, in order of choice
    kernel_rows: int  # rows of the kernel matrix that were evaluated

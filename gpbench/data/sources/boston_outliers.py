"""Boston housing with a few grossly wrong targets in training: what a likelihood for outliers is for."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from pydantic import Field

from .boston import Boston

SHARE, BY, TEST = 0.05, 10.0, 0.1  # of the training rows; standard deviations of the target; of all rows


class BostonOutliers(Boston):
    """The moved rows are training rows of every split, so that the test targets are right."""

    name = "boston-outliers"
    title = "Boston housing, one of twenty training targets moved by ten standard deviations; 10 splits"
    papers = ()
    splits: ClassVar[int | None] = 10

    moved: bool = Field(True, description="false: all targets as they are, on the same splits")
    seed: int = Field(0, ge=0, description="which rows, in which direction, and the splits")

    def load(self, paths, rng=None):
        data = super().load(paths, rng)
        draw = np.random.default_rng(self.seed)
        order, n_test = draw.permutation(data.n), round(TEST * data.n)
        wrong, right = np.split(order, [round(SHARE * (data.n - n_test))])
        change = BY * np.std(data.y) * draw.choice((-1.0, 1.0), len(wrong))
        masks = np.zeros((data.n, self.splits), dtype=bool)
        for split in masks.T:
            split[draw.permutation(right)[:n_test]] = True
        y = data.y.copy()
        if self.moved:
            y[wrong] += change
        note = f"{len(wrong)} targets are moved by {BY:g} standard deviations; they are training rows of every split"
        return replace(self.dataset(data.X, y, notes=(note,) if self.moved else ()), test_masks=masks)

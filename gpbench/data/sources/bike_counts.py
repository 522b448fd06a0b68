"""Bicycles rented in an hour as counts, from the rows of `uci-bike`, whose target is their logarithm."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpbench.data.suite import Repaired

from .uci import Bike


class BikeCounts(Repaired, Bike):
    name = "bike-counts"
    subject = "Bicycles rented in an hour, a count"
    leaks = (16, 17)

    def load(self, paths, rng=None):
        """The target is a logarithm up to a constant, and the smallest count is 1."""
        data = super().load(paths, rng)
        return replace(self.dataset(data.X, np.round(np.exp(data.y - data.y.min()))), test_masks=data.test_masks)

"""California housing as a map: log median house value of 20640 block groups by longitude and latitude."""

from __future__ import annotations

import numpy as np

from gpbench.data.dataset import Dataset

from .calhouse import Calhouse


class Calhousing2d(Calhouse):
    name = "calhousing2d"
    title = "California housing: log median house value by longitude and latitude"
    papers = ()
    shape = (20640, 2)

    def load(self, paths, rng) -> Dataset:
        whole = Calhouse().load(paths, rng)  # its rows are checked as they are
        return self.dataset(whole.X[:, :2], np.log(whole.y), notes=whole.notes)

"""The data of a trial: rows, split, scaling and order. Equal for paired methods; needs no numerical library."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpbench import catalog, data
from gpbench.data.dataset import Dataset, Split
from gpbench.data.readonly import copied
from gpbench.data.scaling import Scaler
from gpbench.data.shards import AT_ONCE, Inputs
from gpbench.data.spec import is_large
from gpbench.data.splits import make_split
from gpbench.data.tables.csv_file import filled
from gpbench.experiment.plan import random_streams
from gpbench.experiment.plan.trial import Trial
from gpbench.gp.inference.row_noise import RowNoise


@dataclass(frozen=True)
class TrialData:
    """The data of a trial with their scaling; the raw data are kept for the scores."""

    dataset: Dataset
    split: Split
    scaler: Scaler
    order: np.ndarray  # (n_train,) shared random order of the training rows

    @property
    def large(self) -> bool:
        """Whether the training rows are beyond memory (data/shards.py)."""
        return isinstance(self.dataset.X, Inputs) and len(self.split.train) > AT_ONCE

    @property
    def X_test(self):
        return self.dataset.X[self.split.test]

    @property
    def y_test(self):
        return self.dataset.y[self.split.test]

    def scaled(self, rows):
        """Scaled inputs and targets of some rows of the data."""
        return self.scaler.inputs(self.dataset.X[rows]), self.scaled_target(rows)

    def row_noise(self, rows) -> RowNoise | None:
        """Weights and known noise variances of some rows, on the scale of the target."""
        d = self.dataset
        weight = None if d.weight is None else d.weight[rows]
        variance = None if d.noise_variance is None else d.noise_variance[rows] / self.scaler.factor**2
        return RowNoise.of(len(rows), weight, variance)

    def scaled_target(self, rows):
        return self.scaler.target(self.dataset.y[rows], self.dataset.X[rows])


def trial_data(trial: Trial) -> TrialData:
    name = trial.dataset.get("name")
    source = catalog.find("dataset", name) if name else None
    dataset = data.load(trial.dataset, random_streams.data(trial, source is not None and source.per_trial))
    if source is not None and catalog.source_hash(source):
        dataset = copied(dataset)
    split = make_split(dataset, trial.split, random_streams.split(trial), trial.index)
    dataset = filled(dataset, split.train)
    if is_large(trial.dataset):  # read in the order of the files; the set of rows stays the same
        split = Split(np.sort(split.train), np.sort(split.test), split.index)
        dataset.X.check(split.test)  # the scaling reads the training rows, so faults are found before the fit
    scaler = Scaler.fit(dataset.X[split.train], dataset.y[split.train], trial.scale, dataset.task)
    return TrialData(dataset, split, scaler, random_streams.order(trial).permutation(len(split.train)))

"""A plug-in for the timing of executors: a method that takes a stated time, waiting or computing, on ten rows."""

import time

import numpy as np

from gpbench.data.source import Source
from gpbench.methods.base import Fitted, Method, Prediction


class TenRows(Source):
    name = "ten-rows"
    generated = True

    def load(self, paths, rng):
        X = rng.normal(size=(10, 1))
        return self.dataset(X, X[:, 0])


class Sleeper(Method):
    name = "sleeper"
    seconds: float = 0.05
    busy: bool = False

    def fit(self, problem, rng):
        end = time.perf_counter() + self.seconds
        spent = time.process_time() + self.seconds
        while self.busy and time.process_time() < spent:
            pass
        if not self.busy:
            time.sleep(max(0.0, end - time.perf_counter()))
        return Fitted(lambda X: Prediction(np.zeros(len(X)), np.ones(len(X))), problem.gp, 1)

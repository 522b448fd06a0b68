"""
Counts: a Poisson likelihood
============================

After this example you can fit counts instead of measurements.

The target is a number of events in each of 160 places. Normal noise has the same width everywhere and predicts
negative counts. With `likelihood="poisson"` the logarithm of the rate is a Gaussian process: the rate stays
positive, and the band, which holds 95 % of new counts, follows it.
"""

import matplotlib.pyplot as plt
import numpy as np

from gpbench import SparseGPRegressor

rng = np.random.default_rng(13)
X = np.sort(rng.uniform(0, 10, 160))[:, None]


def rate(x):
    return np.exp(1.2 * np.sin(x) + 0.5)


y = rng.poisson(rate(X[:, 0]))
grid = np.linspace(0, 10, 300)[:, None]

figure, panels = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True)
for panel, likelihood, title in zip(panels, (None, "poisson"), ("normal noise", "Poisson likelihood"), strict=True):
    model = SparseGPRegressor(likelihood=likelihood, learn="joint", random_state=0).fit(X, y)
    mean, (low, high) = model.predict(grid), model.predict_quantiles(grid, (0.025, 0.975)).T
    panel.plot(X, y, ".", color="0.55", markersize=5, label="counts")
    panel.fill_between(grid[:, 0], low, high, color="C0", alpha=0.2, linewidth=0)
    panel.plot(grid, mean, color="C0", label="mean of a new count")
    panel.plot(grid, rate(grid), "--", color="C1", linewidth=1.2, label="true rate")
    panel.axhline(0, color="k", linewidth=0.8)
    panel.set(title=title, xlabel="x")
panels[0].legend()
panels[0].set_ylabel("events")

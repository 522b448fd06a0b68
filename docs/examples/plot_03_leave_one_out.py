"""
Leave-one-out: how a model judges itself
========================================

After this example you know what a leave-one-out measure sees.

For a Gaussian process the prediction of each row from all other rows has a closed form: with S the covariance of
the targets, the leave-one-out mean is y - [S⁻¹y] / diag(S⁻¹) and its variance is 1 / diag(S⁻¹). A standardised
residual far from zero marks a row that the others do not expect. Here five rows were changed.
"""

import matplotlib.pyplot as plt
import numpy as np

from gpbench import SparseGPRegressor

rng = np.random.default_rng(5)
X = np.sort(rng.uniform(0, 8, 120))[:, None]
y = np.sin(X[:, 0]) + 0.15 * rng.normal(size=120)
changed = rng.choice(120, 5, replace=False)
y[changed] += rng.choice([-0.9, 0.9], 5)

model = SparseGPRegressor("full-gp", learn="joint", random_state=0).fit(X, y)
scaled = (X - X.mean(0)) / X.std(0)
S = model.kernel_(scaled) * y.var() + model.noise_ * np.eye(120)
inverse = np.linalg.inv(S)
centred = y - y.mean()
left_out = inverse @ centred / np.diag(inverse)  # target less its leave-one-out mean
residual = left_out * np.sqrt(np.diag(inverse))  # in standard deviations

figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, height_ratios=[2, 1])
top.plot(X, y, ".", color="0.6", label="rows")
top.plot(X[changed], y[changed], "o", color="C1", fillstyle="none", markersize=9, label="changed rows")
top.plot(X, y - left_out, color="C0", label="leave-one-out mean")
figure.legend(loc="outside upper center", ncols=3)
top.set_ylabel("y")
bottom.vlines(X[:, 0], 0, residual, color="C0", linewidth=1)
bottom.vlines(X[changed, 0], 0, residual[changed], color="C1", linewidth=2.5)
bottom.axhspan(-2, 2, color="0.5", alpha=0.12)
bottom.set(xlabel="x", ylabel="standardised")

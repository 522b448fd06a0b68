"""
Calibration: are the intervals right?
=====================================

After this example you can check the predicted intervals of a model.

A model is calibrated if a p-interval holds the truth in a share p of cases. The noise of these rows grows from left
to right. A full GP has one noise for all rows: its intervals are right on average and wrong everywhere, too wide on
the left and too narrow on the right. FITC with a few moved inducing inputs has a noise of its own for each row. It
follows the true noise in part, and its NLPD is lower.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from gpbench import SparseGPRegressor

rng = np.random.default_rng(12)


def rows(n):
    X = rng.uniform(0, 6, (n, 1))
    return X, np.sin(2 * X[:, 0]) + (0.02 + 0.1 * X[:, 0]) * rng.normal(size=n)


(X, y), (X_test, y_test) = rows(400), rows(4000)
models = {
    "full GP": SparseGPRegressor("full-gp", learn="joint", random_state=0),
    "FITC, 12 moved inputs": SparseGPRegressor(
        "fitc",
        n_basis=12,
        learn={"schedule": "joint", "from": "full-gp", "evaluations": 400},
        random_state=0,
        options={"optimise_inputs": True, "inducing": "random"},
    ),
}
levels = np.linspace(0.02, 0.98, 25)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
left.plot([0, 1], [0, 1], color="0.6", linewidth=1)
for k, (name, model) in enumerate(models.items()):
    mean, std = model.fit(X, y).predict(X_test, return_std=True)
    z = np.abs(y_test - mean) / std
    for side, style in ((X_test[:, 0] < 3, "--"), (X_test[:, 0] >= 3, "-")):
        inside = [np.mean(z[side] <= norm.ppf(0.5 + p / 2)) for p in levels]
        where = "left half" if style == "--" else "right half"
        left.plot(levels, inside, style, color=f"C{k}", label=f"{name}, {where}")
    order = X_test[:, 0].argsort()
    nlpd = np.mean(0.5 * np.log(2 * np.pi * std**2) + 0.5 * z**2)
    right.plot(X_test[order, 0], std[order], color=f"C{k}", label=f"{name}: NLPD {nlpd:.2f}")
right.plot([0, 6], [0.02, 0.62], color="0.6", linewidth=1, label="true noise")
left.set(xlabel="level of the interval", ylabel="share of test rows inside")
right.set(xlabel="x", ylabel="predicted standard deviation")
left.legend(fontsize=8)
right.legend(fontsize=8)

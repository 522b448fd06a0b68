"""
The path of a greedy selection, and its stop
============================================

After this example you can read a selection path and choose a stop rule.

A greedy method adds one training row at a time to the basis. Each method watches a measure of its own; the stop
rule ends the path after 15 rows without a new minimum. The measures here are leave-one-out scores, so no test row
is used.
"""

import matplotlib.pyplot as plt
import numpy as np

from gpbench import SparseGPRegressor

rng = np.random.default_rng(4)
X = rng.uniform(-3, 3, (400, 2))
y = np.sin(X[:, 0]) * np.cos(X[:, 1]) + 0.2 * rng.normal(size=400)
X_test = rng.uniform(-3, 3, (2000, 2))
truth = np.sin(X_test[:, 0]) * np.cos(X_test[:, 1])

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
for k, (method, title) in enumerate([("nlgpp", "NLGPP"), ("gpe", "GPE"), ("loo-cve", "LOO-CVE")]):
    model = SparseGPRegressor(method, n_basis=80, random_state=0, options={"stop": "d_max"}).fit(X, y)
    measure, size = model.path_["measure"], model.path_["size"]
    best = size[measure.argmin()]
    left.plot(size, measure / np.abs(measure).max(), color=f"C{k}", label=f"{title}: minimum at {best}")
    left.axvline(best, color=f"C{k}", linewidth=0.8, linestyle=":")
    sizes = [5, 10, 15, 20, 30, 40, 60, 80]
    errors = []
    for m in sizes:
        part = SparseGPRegressor(method, n_basis=m, random_state=0, options={"stop": "d_max"}).fit(X, y)
        errors.append(np.mean((part.predict(X_test) - truth) ** 2) / truth.var())
    right.plot(sizes, errors, "o-", color=f"C{k}", markersize=4, label=title)
left.set(xlabel="basis vectors", ylabel="measure, scaled", title="What the stop rule watches")
right.set(xlabel="basis vectors", ylabel="error / variance", yscale="log", title="Error on test rows")
left.legend()
right.legend()

"""
Which inputs matter? Length-scales tell
=======================================

After this example you can read the length-scales of an ARD kernel.

The kernel `ard-se` has one length-scale for each input. A long one says that the function hardly changes along this
input. Only the first three of these eight inputs enter the target, and the third one weakly.
"""

import matplotlib.pyplot as plt
import numpy as np

from gpbench import SparseGPRegressor

rng = np.random.default_rng(10)
X = rng.uniform(-1, 1, (600, 8))
y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * X[:, 2] + 0.1 * rng.normal(size=600)
model = SparseGPRegressor("vfe", n_basis=100, learn="joint", random_state=0).fit(X, y)
lengthscales = np.exp(model.kernel_.theta[1:])

figure, panel = plt.subplots(figsize=(7, 3.2))
panel.bar(range(1, 9), 1 / lengthscales, color=["C0" if k < 3 else "0.75" for k in range(8)])
panel.set(xlabel="input", ylabel="1 / length-scale", title="Relevance of each input (inputs are standardised)")

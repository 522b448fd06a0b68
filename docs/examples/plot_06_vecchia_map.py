"""
A map with fine detail: neighbours instead of inducing inputs
=============================================================

After this example you know when `vecchia` is the better choice.

The height of this map changes within a few hundredths of its width. A hundred inducing inputs cannot follow it; a
model in which each row depends on its 20 nearest rows can, at about the same cost.
"""

import matplotlib.pyplot as plt
import numpy as np

from gpbench import SparseGPRegressor

rng = np.random.default_rng(9)
waves, phases = rng.normal(0, 14, (2, 40)), rng.uniform(0, 2 * np.pi, 40)


def height(places):
    return np.cos(places @ waves + phases).sum(1) * np.sqrt(2 / 40)


X = rng.uniform(0, 1, (2500, 2))
y = height(X) + 0.1 * rng.normal(size=len(X))
east, north = np.meshgrid(np.linspace(0, 1, 70), np.linspace(0, 1, 70))
grid = np.column_stack([east.ravel(), north.ravel()])
truth = height(grid)

learn = {"schedule": "joint", "evaluations": 25}
models = {
    "fitc, 100 inducing inputs": SparseGPRegressor("fitc", n_basis=100, learn="fixed", random_state=0),
    "vecchia, 20 neighbours": SparseGPRegressor(
        "vecchia", kernel="matern52", learn=learn, random_state=0, options={"neighbours": 20}
    ),
}
figure, panels = plt.subplots(1, 3, figsize=(10, 3.7))
panels[0].imshow(truth.reshape(east.shape), origin="lower", extent=(0, 1, 0, 1), cmap="terrain", vmin=-3, vmax=3)
panels[0].plot(*X[::5].T, ",", color="k", alpha=0.6)
panels[0].set_title("the map, and one row in five")
for panel, (name, model) in zip(panels[1:], models.items(), strict=True):
    mean = model.fit(X, y).predict(grid)
    error = np.mean((mean - truth) ** 2) / truth.var()
    panel.imshow(mean.reshape(east.shape), origin="lower", extent=(0, 1, 0, 1), cmap="terrain", vmin=-3, vmax=3)
    panel.set_title(f"{name}\nerror / variance {error:.3f}")
for panel in panels:
    panel.set(xticks=[], yticks=[])
    panel.grid(False)

"""Run as a file by another library's Python: its own L-BFGS on its sparse objective, every evaluation with its time.

python _climb.py LIBRARY vfe|fitc ARRAYS.npz ITERATIONS; the arrays are X, y and the start (Z, variance, lengthscale,
noise). Back comes a JSON list of [CPU seconds, log evidence or bound], one of each evaluation. A first climb of two
iterations on a few rows takes imports and compilation away.
"""

import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np


def gpy(kind, X, y, Z, start, rounds, seen):
    import GPy

    kernel = GPy.kern.RBF(X.shape[1], start["variance"], start["lengthscale"], ARD=True)
    model = GPy.models.SparseGPRegression(X, y[:, None], kernel, Z=Z.copy())
    if kind == "fitc":
        model.inference_method = GPy.inference.latent_function_inference.FITC()
    model.likelihood.variance = start["noise"]

    class Watched(type(model)):
        def _objective_grads(self, x):
            loss, gradient = super()._objective_grads(x)
            seen(-float(loss))
            return loss, gradient

    model.__class__ = Watched
    model.optimize("lbfgsb", max_iters=rounds)


def gpflow(kind, X, y, Z, start, rounds, seen):
    import gpflow as library
    import tensorflow as tf

    if not tf.config.threading.get_intra_op_parallelism_threads():  # not yet set, by the warm-up
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    kernel = library.kernels.SquaredExponential(start["variance"], lengthscales=start["lengthscale"])
    method = library.models.GPRFITC if kind == "fitc" else library.models.SGPR
    model = method((X, y[:, None]), kernel, inducing_variable=Z.copy(), noise_variance=start["noise"])

    class Watched(library.optimizers.Scipy):
        def eval_func(self, *arguments, **options):
            evaluate = super().eval_func(*arguments, **options)

            def watched(x):
                loss, gradient = evaluate(x)
                seen(-float(loss))
                return loss, gradient

            return watched

    Watched().minimize(model.training_loss, model.trainable_variables, options={"maxiter": rounds})


library, kind, path, rounds = sys.argv[1:]
with np.load(path) as given:
    X, y, Z = given["X"], given["y"], given["Z"]
    start = {k: given[k] if given[k].ndim else float(given[k]) for k in ("variance", "lengthscale", "noise")}
climb = {"gpy": gpy, "gpflow": gpflow}[library]
climb(kind, X[:64], y[:64], Z[:8], start, 2, lambda F: None)
trace, begin = [], time.process_time()
climb(kind, X, y, Z, start, int(rounds), lambda F: trace.append([time.process_time() - begin, F]))
print(json.dumps(trace))

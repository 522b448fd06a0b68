"""Evidence of GPBoost's VIF as its adapter fits it, at the values that it learned.

python gpboost_evidence.py ADAPTER KERNEL ARRAYS.npz OUT, under the Python of GPBoost's environment.
"""

import importlib.util
import sys

import numpy as np


def main(adapter, kernel, arrays, out):
    spec = importlib.util.spec_from_file_location("adapter", adapter)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with np.load(arrays) as given:
        X, y = given["X"], given["y"]
    for size, neighbours in ((10, len(y) - 1), (len(y) - 1, 5)):
        params = {"approx": None, "model": "vif", "d_max": size, "neighbours": neighbours, "kernel": kernel, "seed": 1}
        fitted = module.fit(X, y, params)
        noise, variance, *scales = fitted.model.get_cov_pars(format_pandas=False)
        unit = 2**-0.5 if kernel == "ard-se" else 1.0  # its Gaussian covariance is exp(-d^2), ours exp(-d^2 / 2)
        found = {"noise": noise, "variance": variance, "lengthscale": unit * np.array(scales)}
        np.savez(f"{out}-{size}-{neighbours}.npz", log_evidence=fitted.log_evidence, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])

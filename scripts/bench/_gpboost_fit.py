"""Run as a file by the interpreter that has GPBoost: Vecchia with Matern 3/2 on the arrays of an npz file, to JSON.

python _gpboost_fit.py ARRAYS.npz NEIGHBOURS ard|one
"""

import json
import sys
import time

import gpboost
import numpy as np

path, neighbours, scales = sys.argv[1:]
given = np.load(path)
begin = time.process_time()
model = gpboost.GPModel(
    gp_coords=given["X"],
    cov_function="matern_ard" if scales == "ard" else "matern",
    cov_fct_shape=1.5,
    gp_approx="vecchia",
    num_neighbors=int(neighbours),
    likelihood="gaussian",
    num_parallel_threads=1,
)
model.fit(y=given["y"])
learned = time.process_time()
found = model.predict(gp_coords_pred=given["Xs"], predict_var=True, predict_response=True)
seconds = time.process_time()
print(
    json.dumps(
        {
            "name": f"GPBoost {gpboost.__version__}",
            "learn": learned - begin,
            "seconds": seconds - begin,
            "mean": found["mu"].tolist(),
            "var": found["var"].tolist(),
        }
    )
)

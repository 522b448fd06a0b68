"""What runs beside something else: fits in threads of one process, and processes that others could reach."""

import os
import subprocess
import sys

import pytest

THREADS = """
import threading
import numpy as np
from threadpoolctl import threadpool_info
from gpbench import SparseGPClassifier, SparseGPRegressor

rng = np.random.default_rng(3)
X = rng.uniform(-3, 3, (120, 3))
y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=120)


def fitted(method, seed):
    cls, target = (SparseGPClassifier, y > 0) if method == "ep" else (SparseGPRegressor, y)
    learn = {"schedule": "joint", "evaluations": 5}
    model = cls(method, n_basis=15, learn=learn, random_state=seed).fit(X, target)
    return model.predict_proba(X) if method == "ep" else np.array(model.predict(X, return_std=True))


jobs = [(method, seed) for seed in range(3) for method in ("ep", "vecchia", "full-gp", "local", "sod", "fitc")]
found, together = {}, threading.Barrier(6)


def work(own):
    together.wait()
    for job in own:
        found[job] = fitted(*job)


threads = [threading.Thread(target=work, args=(jobs[k::6],)) for k in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"} == {2}
other = [job for job in jobs if not np.array_equal(found[job], fitted(*job))]
assert not other, other
"""


def test_fits_in_six_threads_give_the_numbers_of_fits_alone():
    pools = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    ran = subprocess.run([sys.executable, "-c", THREADS], env=os.environ | pools, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_local_cluster_listens_on_this_machine_only():
    pytest.importorskip("distributed")
    psutil = pytest.importorskip("psutil")
    from gpbench.experiment.run.dask.connect import local_cluster

    with local_cluster(2):
        here = psutil.Process()
        processes = [here, *here.children(recursive=True)]
        found = [(p.pid, c.laddr.ip) for p in processes for c in p.net_connections("tcp") if c.status == "LISTEN"]
    assert len({pid for pid, _ in found}) >= 3  # the scheduler with its nannies, and two workers
    assert {ip for _, ip in found} == {"127.0.0.1"}

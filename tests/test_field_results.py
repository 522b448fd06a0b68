"""What docs/field.md says of the committed fronts: no other GP library is both faster and better than the default."""

import pandas as pd
import pytest

from gpbench.metrics import loss
from gpbench.report.front import front

GPS = ("gpboost", "gpytorch", "gpflow", "gpy ", "sklearn exact")
SETS = ("kin40k", "cpusmall", "abalone", "calhousing2d")


@pytest.mark.parametrize("metric", ["nmse", "nlpd"])
@pytest.mark.parametrize("data", SETS)
def test_the_default_is_on_the_front_beside_the_gps_of_other_libraries(repo, data, metric):
    rows = pd.read_csv(repo / "results" / f"field-{data}" / "results.csv")
    rows = rows[(rows["status"] == "ok") & (rows["label"].eq("default") | rows["label"].str.startswith(GPS))]
    means = rows.groupby("label")[["cpu_seconds", metric]].mean()
    points = dict(zip(means.index, zip(means["cpu_seconds"], loss(metric, means[metric]))))
    assert len(points) > 5 and points["default"] in front(list(points.values()))

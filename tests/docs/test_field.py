"""Claims of docs/results/field.md about the committed fronts: which GPs beat the default in time and score."""

import pandas as pd
import pytest

from gpbench.metrics import loss

GPS = ("gpboost", "gpytorch", "gpflow", "gpy ", "sklearn exact")
SETS = ("kin40k", "cpusmall", "abalone", "calhousing2d")
AHEAD = {  # nobody elsewhere
    ("abalone", "nlpd"): ["gpy fitc 100", "gpy vfe 100"],
    ("cpusmall", "nlpd"): ["gpy fitc 100"],
}


@pytest.mark.parametrize("metric", ["nmse", "nlpd"])
@pytest.mark.parametrize("data", SETS)
def test_the_default_is_on_the_front_beside_the_gps_of_other_libraries(repo, data, metric):
    rows = pd.read_csv(repo / "results" / f"field-{data}" / "results.csv")
    rows = rows[(rows["status"] == "ok") & (rows["label"].eq("default") | rows["label"].str.startswith(GPS))]
    means = rows.groupby("label")[["cpu_seconds", metric]].mean()
    means["loss"] = loss(metric, means[metric])
    ours, others = means.loc["default"], means.drop(index="default")
    ahead = others[(others["cpu_seconds"] <= ours["cpu_seconds"]) & (others["loss"] <= ours["loss"])]
    assert len(others) > 4 and list(ahead.index) == AHEAD.get((data, metric), [])

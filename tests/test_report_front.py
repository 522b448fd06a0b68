"""The front of quality against time: who is on it and what each adds, recomputed by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpbench.report.front import _placed, front, hypervolume, whole_trial

coordinate = st.floats(0, 10, allow_nan=False, width=32)
POINTS = st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=12)


def test_the_hypervolume_is_the_area_that_the_front_dominates():
    assert hypervolume([(0, 2), (1, 1), (2, 0)], (3, 3)) == pytest.approx(3 + 2 + 1)
    assert hypervolume([(0, 2), (1, 2.5)], (3, 3)) == pytest.approx(3)


@given(POINTS)
def test_a_point_of_the_front_is_beaten_by_none_and_every_other_by_one(points):
    best = front(points)
    for x, y in points:
        beaten = any(a <= x and b <= y and (a, b) != (x, y) for a, b in points)
        assert ((x, y) in best) == (not beaten)


def test_a_slower_point_that_is_better_by_rounding_only_is_beaten():
    assert front([(1.0, 0.07), (2.0, 0.07 * (1 - 1e-15))]) == [(1.0, 0.07)]
    assert front([(1.0, -0.5), (2.0, -0.5 - 1e-13), (3.0, -0.6)]) == [(1.0, -0.5), (3.0, -0.6)]
    means = pd.DataFrame(
        {"cpu_seconds": [1.0, 2.0, 0.5], "nmse": [0.07, 0.07 - 1e-16, 0.5]}, index=["vfe", "auto", "m"]
    )
    [auto] = [row for row in _placed(means, "nmse") if row["series"] == "auto"]
    assert not auto["on_front"] and auto["adds"] == 0


@given(POINTS, st.tuples(coordinate, coordinate))
def test_one_more_point_never_shrinks_the_hypervolume(points, another):
    corner = (10.0, 10.0)
    assert hypervolume([*points, another], corner) >= hypervolume(points, corner) - 1e-9


def test_places_and_shares_of_a_small_table():
    means = pd.DataFrame(
        {"cpu_seconds": [1.0, 10.0, 100.0, 10.0], "nmse": [1.0, 0.5, 0.0, 0.8]},
        index=["fast", "middle", "best", "poor"],
    )
    found = {row["series"]: row for row in _placed(means, "nmse")}
    assert [name for name, row in found.items() if row["on_front"]] == ["fast", "middle", "best"]
    # a box of two decades by one: from `middle` on, one decade times a half is dominated
    assert found["middle"]["hypervolume"] == pytest.approx(0.25)
    assert found["middle"]["adds"] == pytest.approx(0.25 - 0.5 * 0.2) and found["poor"]["adds"] == 0
    assert np.isclose(found["best"]["adds"], 0)  # it spans the box and dominates no area of it


def test_the_time_of_a_whole_trial_is_cpu_seconds_only_where_every_trial_knows_them():
    rows = pd.DataFrame({"cpu_seconds": [1.0, 2.0], "total_seconds": [9.0, 9.0]})
    assert whole_trial(rows) == ("cpu_seconds", "CPU seconds")
    assert whole_trial(rows.assign(cpu_seconds=[1.0, np.nan])) == ("total_seconds", "seconds")
    assert whole_trial(rows.iloc[:0])[0] == "total_seconds"

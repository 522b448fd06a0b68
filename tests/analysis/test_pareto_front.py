"""The front of quality against time: who is on it and what each adds, recomputed by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpbench.analysis.pareto_front import _placed, front_rows, front_table, hypervolume, pareto_front, whole_trial

coordinate = st.floats(0, 10, allow_nan=False, width=32)
POINTS = st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=12)


def test_the_hypervolume_is_the_area_that_the_front_dominates():
    assert hypervolume([(0, 2), (1, 1), (2, 0)], (3, 3)) == pytest.approx(3 + 2 + 1)
    assert hypervolume([(0, 2), (1, 2.5)], (3, 3)) == pytest.approx(3)


@given(POINTS)
def test_a_point_of_the_front_is_beaten_by_none_and_every_other_by_one(points):
    best = pareto_front(points)
    for x, y in points:
        beaten = any(a <= x and b <= y and (a, b) != (x, y) for a, b in points)
        assert ((x, y) in best) == (not beaten)


def test_a_slower_point_that_is_better_by_rounding_only_is_beaten():
    assert pareto_front([(1.0, 0.07), (2.0, 0.07 * (1 - 1e-15))]) == [(1.0, 0.07)]
    assert pareto_front([(1.0, -0.5), (2.0, -0.5 - 1e-13), (3.0, -0.6)]) == [(1.0, -0.5), (3.0, -0.6)]
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


# ---- the table --------------------------------------------------------------------------------------------------


def results_of(scores: dict[str, list], seconds=(1.0, 2.0, 4.0, 8.0), n_train=100) -> pd.DataFrame:
    """Rows of friedman3: a list of scores by trial for each method, None where the trial failed."""
    rows = [
        {"dataset": "friedman3", "n_train": n_train, "n_test": 100, "label": label, "trial": t, "nmse": nmse,
         "cpu_seconds": cpu, "cache": np.nan, "d_max": np.nan}
        for (label, values), cpu in zip(scores.items(), seconds) for t, nmse in enumerate(values) if nmse is not None
    ]  # fmt: skip
    return pd.DataFrame(rows)


def told(rows: pd.DataFrame) -> SimpleNamespace:
    return SimpleNamespace(ok=rows, name="made", config={"metrics": ["nmse"]})


def test_every_training_size_has_a_front_of_its_own_in_the_table():
    small = results_of({"a": [0.4, 0.4], "b": [0.3, 0.3], "c": [0.2, 0.2], "d": [0.5, 0.5]})
    large = results_of({"a": [0.2, 0.2], "b": [0.19, 0.19], "c": [0.1, 0.1], "d": [0.4, 0.4]}, n_train=400)
    results = told(pd.concat([small, large]))
    table = front_table(results)
    assert [first for first, cells in table.rows if cells is None] == [
        "friedman3, n = 100, NMSE",
        "friedman3, n = 400, NMSE",
    ]
    assert [first for first, cells in table.rows if cells is not None] == [*"abcd", *"abcd"]
    assert [table.rows[i][1][1].text for i in (1, 6)] == ["0.400 ± 0.000", "0.200 ± 0.000"]
    for volume, note in zip(front_rows(results)["hypervolume"].unique(), table.notes[1:], strict=True):
        assert f"dominates {volume:.3f} of the box" in note


def test_a_single_training_size_is_not_told_in_the_title():
    table = front_table(told(results_of({"a": [0.4], "b": [0.3], "c": [0.2], "d": [0.5]})))
    assert table.rows[0] == ("friedman3, NMSE", None)


def test_a_series_that_another_data_set_has_at_more_sizes_keeps_its_numbers():
    here = results_of({"a": [0.4], "b": [0.3], "c": [0.2], "d": [0.5]}).assign(d_max=25)
    table = front_table(told(pd.concat([here, here.assign(dataset="friedman2", d_max=50)])))
    assert all(cells[0].text and cells[1].text for _, cells in table.rows if cells is not None)


# ---- missing trials ---------------------------------------------------------------------------------------------

COMPLETE = {"a": [0.4] * 6, "b": [0.3, 0.5, 0.3, 0.3, 0.3, 0.3], "c": [0.2] * 6, "d": [0.5] * 6}


def places(scores, seconds=(1.0, 2.0, 4.0, 8.0, 3.0)):
    """Place by series, from the table and from stats/front.csv."""
    results = told(results_of(scores, seconds))
    table = {first: cells[-1].text for first, cells in front_table(results).rows if cells is not None}
    return table, front_rows(results).set_index("series")


@pytest.mark.parametrize("lucky", [0.01, 0.9])
def test_a_method_that_lacks_trials_moves_nobody_elses_place_or_share(lucky):
    table, rows = places(COMPLETE)
    with_it, more = places(COMPLETE | {"fails": [lucky, *[None] * 5]})
    assert {s: with_it[s] for s in table} == table
    columns = ["on_front", "adds", "hypervolume", "mean"]
    pd.testing.assert_frame_equal(more.loc[rows.index, columns], rows[columns])


def test_a_method_that_lacks_trials_is_placed_on_those_it_has_and_its_count_is_told():
    table, rows = places(COMPLETE | {"fails": [None, 0.35, *[None] * 4]})  # worse than b's mean, better on that trial
    assert table["fails"] == "on the front, 1 of 6 trials" and rows.loc["fails", "trials"] == 1
    table, rows = places(COMPLETE | {"fails": [0.31, *[None] * 5]})
    assert table["fails"] == "1 of 6 trials" and not rows.loc["fails", "on_front"]


def test_where_only_one_method_has_all_trials_the_next_ones_compete_with_it():
    table, _ = places({"a": [0.4, 0.4], "b": [0.3, None], "c": [0.2, None], "d": [0.5, None]})
    assert table == {
        "a": "on the front",
        "b": "on the front, 1 of 2 trials",
        "c": "on the front, 1 of 2 trials",
        "d": "1 of 2 trials",
    }


def test_methods_that_share_no_trial_have_a_front_of_their_own_means():
    table, _ = places({"a": [0.4, None], "b": [None, 0.3], "c": [0.2, None], "d": [None, 0.5]})
    assert [s for s, place in table.items() if place.startswith("on the front")] == ["a", "b", "c"]

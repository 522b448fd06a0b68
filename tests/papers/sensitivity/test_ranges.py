"""Ranges over admissible protocols: read off paths, labels and sizes; inside, outside and what was not run."""

from fnmatch import fnmatchcase

import numpy as np
import pandas as pd
import pytest

from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.plan import plan
from gpbench.methods.families.stopping import READINGS, size_of
from gpbench.papers import printed_numbers
from gpbench.papers.claims.evidence import Evidence
from gpbench.papers.sensitivity import protocols
from gpbench.papers.sensitivity.items import items, reading_name
from gpbench.papers.sensitivity.ranges import Range, missing, printed_error, ranges, sentences
from gpbench.papers.verdicts.cells import judge_cell
from tests.helpers.paths import REPO
from tests.helpers.printed_folders import printed_number

ITEMS = {item.name: item for item in items()}
CELL = next(
    c for c in printed_numbers.cells("sundararajan")
    if (c.item, c.dataset, c.method, c.metric) == ("Table 5", "Friedman3", "NLML", "NMSE")
)  # fmt: skip


def row(label, trial, nmse, folder="open", **more):
    return {
        "trial_id": f"{label}-{trial}", "dataset": "friedman3", "label": label, "method": "nlml", "trial": trial,
        "nmse": nmse, "nlpd": 1.0, "n_basis": 30.0, "d_max": 100.0, "cache": 0.0, "adapted": True, "cached": False,
        "n_train": 200.0, "folds": np.nan, "spent": False, "stands_for": "", "sources": (), "folder": folder,
        "open": (("sundararajan", "Table 5"),), "kernel": "ard-se",
    } | more  # fmt: skip


def evidence(rows):
    frame = pd.DataFrame(rows)
    return Evidence(frame.iloc[:0], pd.DataFrame(columns=["trial_id", "step", "key", "value"]), open=frame)


def found_at(means, repetitions=10):
    """The range of the cell for protocols with these means, in the printed unit."""
    names = ITEMS["sundararajan-learning"].sets
    wiggle = np.linspace(-0.3, 0.3, repetitions)
    rows = [row(f"NLML, {n}", t, (m + w) / 100) for n, m in zip(names, means) for t, w in enumerate(wiggle)]
    e = evidence(rows)
    return next(r for r in ranges(e, [judge_cell(CELL, e)]) if r.id == CELL.id)


def test_the_range_holds_the_means_of_all_protocols_in_the_printed_unit():
    found = found_at([CELL.value + d for d in (-2, 0, 1, 0.5, 0.2, 3)])
    assert (found.low, found.high) == pytest.approx((CELL.value - 2, CELL.value + 3))
    assert (found.place, found.run, found.of, found.repetitions) == ("inside", 6, 6, 10)
    assert found.holds == 5 and found.strength == "fragile"


def test_a_print_outside_the_range_by_more_than_its_error_is_outside():
    error = printed_error(CELL)
    assert found_at([CELL.value + 0.9 * error]).place == "inside"
    above = found_at([CELL.value + 1.5 * error, CELL.value + 5])
    assert above.place == "outside" and above.run == 2
    assert found_at([CELL.value + 20] * 2).strength == "none"
    assert found_at([CELL.value] * 6).strength == "robust"


def test_the_error_of_a_print_is_its_spread_over_its_runs_and_its_last_digit():
    assert printed_error(printed_number(text="42.0", std_text="2.0", runs=100.0)) == pytest.approx(
        np.sqrt(0.04 + 0.1**2 / 12)
    )
    assert printed_error(printed_number(text="42.0", std_text="")) == pytest.approx(0.1 / np.sqrt(12))


def test_a_printed_number_without_runs_says_so_and_missing_names_the_configs():
    e = evidence([row("NLML, neutral, 1 round", 0, 0.1)])
    found = ranges(e, [])
    here = next(r for r in found if r.id == CELL.id)
    assert (here.place, here.run) == ("outside", 1)
    assert sum(r.place == "not run" for r in found) > 200
    told = missing(found)
    assert any("table2-open.yaml" in line and "--whole-paths" in line for line in told)
    assert sum("[sundararajan]" in line for line in sentences(found)) == 1


def test_stop_rules_are_read_off_the_paths(monkeypatch, tmp_path):
    rng = np.random.default_rng(0)
    measures = np.concatenate([np.linspace(5, 1, 25), np.linspace(1.01, 3, 75)]) + 0.02 * rng.normal(size=100)
    path = pd.DataFrame(
        {"trial_id": "a", "size": range(1, 101), "measure": measures, "nmse": np.arange(1, 101) / 1000, "nlpd": 0.5}
    )
    monkeypatch.setattr(protocols.paths_file, "read", lambda folder: path.astype(str).to_dict("records"))
    one = row("NLML", 0, 9.0, trial_id="a", adapted=False, open=(("sundararajan", "Table 3"),))
    found = protocols.protocols(ITEMS["sundararajan-stop"], evidence([one]))
    assert list(found) == [reading_name(rule) for rule in READINGS]
    for rule in READINGS:
        size = size_of(rule, measures)
        mine = found[reading_name(rule)].iloc[0]
        assert (mine["n_basis"], mine["nmse"]) == (size, size / 1000)


def test_rows_at_other_protocols_stand_for_no_printed_number():
    e = evidence([row("NLML, neutral, 1 round", t, 0.1) for t in range(5)])
    assert judge_cell(CELL, e).verdict == "not run"


# ---- the table of choices and its configs ------------------------------------------------------------------------


def test_every_glob_names_printed_numbers_and_every_config_is_there():
    for item in items():
        ids = [c.id for c in printed_numbers.cells(item.paper)]
        for glob in item.cells:
            assert any(fnmatchcase(i, glob) for i in ids), glob
        for config in item.configs:
            assert (REPO / "configs" / f"{config}.yaml").is_file(), config


@pytest.mark.parametrize("item", [i for i in items() if i.read == "labels"], ids=lambda i: i.name)
def test_the_configs_have_a_method_for_every_protocol(item):
    for config in item.configs:
        loaded = load_config(REPO / "configs" / f"{config}.yaml")
        assert all(p["open"] for p in loaded.published)
        assert {m.label.partition(", ")[2] for m in loaded.methods} == set(item.sets), config


def test_the_paths_of_the_stop_rule_are_those_of_the_frozen_trials(monkeypatch):
    from gpbench import data

    monkeypatch.setattr(data, "resolve_first_of", lambda these: (these[0], ""))
    for table in ("table2", "table3"):
        frozen, open_ = (
            {t.id for t in plan(load_config(REPO / "configs" / "sundararajan" / f"{name}.yaml")).trials}
            for name in (table, f"{table}-open")
        )
        assert open_ < frozen


def test_a_range_without_runs_is_told():
    r = Range("x", "cao", "i", "the start", "not run", of=3)
    assert (r.strength, r.text()) == ("", "not run (the start)")
    assert r.to_json()["low"] is None

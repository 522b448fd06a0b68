"""Messy but ordinary tables are read as a careful person would clean them, at the fit and for new rows."""

import numpy as np
import pytest

from gpbench.data.tables.csv_columns import Choices
from gpbench.data.tables.csv_file import look
from gpbench.data.tables.csv_words import as_option
from gpbench.data.tables.reading_text import explained
from gpbench.data.tables.table_source import open_table
from tests.helpers import messy_tables
from tests.helpers.messy_tables import FRESH, TABLES

AUTO = Choices(columns="auto")
SMALL = {"long": {"n": 4000}, "wide": {"n": 1200, "D": 300}}  # the full size is for measurements of time


@pytest.fixture(scope="module", params=sorted(set(TABLES) - {"dates_ambiguous"}))
def case(request, tmp_path_factory):
    made = TABLES[request.param](**SMALL.get(request.param, {}))
    folder = tmp_path_factory.mktemp(request.param)
    train, new = made.write(folder, request.param)
    return made, look(str(train), made.target, "auto", AUTO, as_option), new


def alike(found: np.ndarray, clean: np.ndarray, scale: np.ndarray) -> list[int]:
    """For each clean column the number of the found column that is the same but for a factor and an offset."""
    varies = scale.std(0) > 0
    A = (found - scale.mean(0)) / np.where(varies, scale.std(0), 1)
    B = (clean - clean.mean(0)) / clean.std(0)
    return [int(np.argmax(np.abs(A.T @ b))) for b in B.T]


def test_the_inputs_are_those_of_clean_columns(case):
    made, found, _ = case
    assert found.faults == []
    rows = found.rows - 1
    filled = found.encoding.filled(np.nanmedian(found.X, axis=0))
    X = np.where(np.isnan(found.X), np.nanmedian(found.X, axis=0), found.X)
    clean = made.X[rows]
    for j, k in enumerate(alike(X, clean, X)):
        # cells are rounded, so that a column is the clean one up to a hundredth of its deviation
        assert abs(np.corrcoef(clean[:, j], X[:, k])[0, 1]) > 0.9999, (made.header, j, filled.inputs[k])
    assert X.shape[1] == clean.shape[1] and np.corrcoef(found.y, made.y[rows])[0, 1] > 0.9999


def test_new_rows_are_read_by_the_same_rules(case):
    made, found, new = case
    medians = np.nanmedian(found.X, axis=0)
    reading = found.encoding.filled(medians)
    X, told, odd = reading.encode(new, open_table(new, AUTO, as_option, strict=False))
    n = len(made.y) - FRESH
    train = np.where(np.isnan(found.X), medians, found.X)
    places = alike(train, made.X[found.rows - 1], train)
    assert X.shape == (FRESH, train.shape[1]) and np.isfinite(X).all() and not odd.any()
    for j, k in enumerate(places):  # the line through the training rows holds for the new rows
        slope, offset = np.polyfit(made.X[found.rows - 1, j], train[:, k], 1)
        expected = slope * made.X[n:, j] + offset
        assert np.abs(expected - X[:, k]).max() < 0.03 * train[:, k].std(), (made.header, j)
    assert not [line for line in told if "cannot be read" in line]


def test_each_column_has_the_kind_that_a_person_would_give_it(case):
    made, found, _ = case
    kinds = {c.name: c.kind for c in found.encoding.columns}
    assert {name: kinds[name] for name in made.kinds} == made.kinds
    lines = explained("t.csv", found, most=None)
    assert len(lines) == len(kinds) + 1 and all(len(line.split()) >= 3 for line in lines)


def test_dates_whose_order_no_row_tells_are_refused_with_both_readings(tmp_path):
    made = messy_tables.dates_ambiguous()
    train, _ = made.write(tmp_path, "dates")
    found = look(str(train), "y", "auto", AUTO, as_option)
    assert len(found.faults) == 1 and made.refused in found.faults[0] and "(day first) or" in found.faults[0]
    for order in ("dmy", "mdy"):
        read = look(str(train), "y", "auto", Choices(columns={"when": order}), as_option)
        assert read.faults == [] and read.encoding.rule("when").date.order == order
    assert look(str(train), "y", "auto", Choices(columns="auto", drop=["when"]), as_option).faults == []


def test_a_column_that_is_the_target_in_another_unit_is_kept_with_a_warning(tmp_path):
    made = messy_tables.leak()
    found = look(str(made.write(tmp_path, "leak")[0]), "y", "auto", AUTO, as_option)
    warned = [c.name for c in found.encoding.columns if c.warning]
    assert warned == ["y in euros"] and any("--drop 'y in euros'" in line for line in found.remarks)


def test_what_is_new_in_each_column_is_told(tmp_path):
    made = messy_tables.many_levels(n=1600)
    found = look(str(made.write(tmp_path, "t")[0]), "y", "auto", AUTO, as_option)
    (tmp_path / "new.csv").write_text("colour,a,b\nviolet,99,50\nred,much,50\n,5,\n")
    reading = found.encoding.filled(np.nanmedian(found.X, axis=0))
    X, told, odd = reading.encode("new.csv", open_table(tmp_path / "new.csv", AUTO, as_option))
    assert "new.csv: column 'colour': 1 row of no level of the fit, taken as none of them: 'violet' (row 1)" in told
    assert "new.csv: column 'a': 1 cell cannot be read, taken as missing: 'much' (row 2)" in told
    assert any("column 'a': 1 row outside the range of the fit" in line for line in told)
    assert "new.csv: column 'b': 1 cell missing; the median of the fit is used" in told
    assert np.isfinite(X).all() and odd.tolist() == [False, True, False]


def test_rows_that_sum_up_the_others_are_left_out_and_told(tmp_path):
    made = TABLES["totals"]()
    file, _ = made.write(tmp_path, "totals")
    found = look(str(file), made.target, "auto", AUTO, as_option)
    assert len(found.y) == len(made.y) - FRESH
    assert any("from 'Total' on, sum up the others and are left out" in line for line in found.remarks)


def test_a_word_that_names_rows_above_is_a_level(tmp_path):
    file = tmp_path / "levels.csv"
    file.write_text("kind,a,y\n" + "".join(f"{('total', 'part')[i % 2]},{i * 0.7},{i}\n" for i in range(41)))
    assert len(look(str(file), "y", "auto", AUTO, as_option).y) == 41


@pytest.mark.parametrize(
    "cells, message",
    [
        (("2", "inf", "5"), "column 'y', row 2: 'inf' is not finite"),
        (("2", "hello", "5"), "column 'y', row 2: 'hello' is text, not a number; for classes --task classification"),
        (("", "", ""), "no row has a target"),
    ],
)
def test_a_target_that_is_no_number_is_refused_with_its_row(tmp_path, cells, message):
    file = tmp_path / "a.csv"
    file.write_text("x,y\n" + "".join(f"{i % 2},{c}\n" for i, c in enumerate(cells)))
    (fault,) = look(str(file), "y", "regression", AUTO, as_option).faults
    assert message in fault

"""Numbers and dates as people write them."""

import numpy as np
import pytest

from gpbench.data.tables import date_format, number_format
from gpbench.data.tables.number_format import Hints


def read(cells, hints=None):
    found = number_format.detect(cells, np.ones(len(cells)), hints or Hints())
    return None if found is None else [found.format.value(c) for c in cells]


@pytest.mark.parametrize(
    "cells, expected",
    [
        (["1,5", "2,25", "3"], [1.5, 2.25, 3]),
        (["1,234", "950", "12,345"], [1234, 950, 12345]),
        (["1.234,5", "12"], [1234.5, 12]),
        (["$1,234.50", "($5.00)", "$ 7", "-$2"], [1234.5, -5, 7, -2]),
        (["12 %", "3.5%"], [12, 3.5]),
        (["1.5 kg", "300 g", "2kg"], [1.5, 0.3, 2]),
        (["1 234,5 €", "12,00 €"], [1234.5, 12]),
        (["CHF 1'234.50", "CHF 20"], [1234.5, 20]),
        (["\u22123.2", "1e3", "-5"], [-3.2, 1000, -5]),
        (["1,00,000", "5,000"], [100_000, 5000]),
        (["12k", "1.2M"], [12, 1200]),
        (["7.5 m²", "5 m2"], [7.5, 5]),
        (["5.1 l/100km", "6 l/100km"], [5.1, 6]),
        (["<0.5", "0.7", "~1.2", "3.5*", "2", "4"], [0.5, 0.7, 1.2, 3.5, 2, 4]),
        (["<=50", ">50"], None),
        (["12 Main Street", "5 Elm Road"], None),
        (["A12", "B13"], None),
        (["$5", "€6"], None),
    ],
)
def test_numbers_are_read_in_one_format_for_a_column(cells, expected):
    assert read(cells) == (None if expected is None else pytest.approx(expected))


def test_a_comma_that_may_group_or_part_is_decided_by_the_hint_and_asked_about_without_one():
    cells = ["1,234", "5,678"]
    assert read(cells, Hints(decimal=",")) == [1.234, 5.678]
    assert read(cells, Hints(thousands=",", given=True)) == [1234, 5678]
    assert number_format.detect(cells, np.ones(2), Hints()).other is not None


def test_numbers_far_from_all_others_stand_for_missing_values():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.uniform(0, 30, 50), [-999.0] * 3])
    assert number_format.sentinels(values) == (-999.0,)
    assert number_format.sentinels(rng.uniform(-5000, 5000, 50).round()) == ()


@pytest.mark.parametrize(
    "cells, expected",
    [
        (["2021-01-03", "2021-12-31T12:00:00Z"], ["2021-01-03", "2021-12-31 12:00"]),
        (["03/04/2021", "25/04/2021"], ["2021-04-03", "2021-04-25"]),
        (["03/04/2021", "04/25/2021"], ["2021-03-04", "2021-04-25"]),
        (["3. Mai 2021", "12. Dez 2021"], ["2021-05-03", "2021-12-12"]),
        (["Jan 3, 2021"], ["2021-01-03"]),
        (["03-Jan-21", "04-Feb-99"], ["2021-01-03", "1999-02-04"]),
        (["20210103", "20211231", "20200229"], ["2021-01-03", "2021-12-31", "2020-02-29"]),
        (["03.04.21 10:00", "25.12.21 08:30"], ["2021-04-03 10:00", "2021-12-25 08:30"]),
        (["2021Q1", "2021Q4"], ["2021-01-01", "2021-10-01"]),
        (["2021-03", "2021-04"], ["2021-03-01", "2021-04-01"]),
    ],
)
def test_dates_are_read_in_one_order_for_a_column(cells, expected):
    found = date_format.detect(cells, np.ones(len(cells)))
    assert [date_format.in_words(found.format.value(c)) for c in cells] == expected


def test_times_are_hours_and_zones_are_taken_off():
    found = date_format.detect(["1:30 pm", "12:00 AM"], np.ones(2))
    assert [found.format.value(c) for c in ("1:30 pm", "12:00 AM")] == [13.5, 0.0]
    zone = date_format.DateFormat("ymd")
    assert zone.value("2021-01-03T02:00:00+02:00") == zone.value("2021-01-03")


def test_durations_are_hours():
    found = date_format.detect(["1h 30min", "45min", "2 hours", "1 d 2 h", "90 s"], np.ones(5))
    assert found.format.style == "duration"
    values = [found.format.value(c) for c in ("1h 30min", "45min", "1 d 2 h", "36 s")]
    assert values == pytest.approx([1.5, 0.75, 26, 0.01])
    assert np.isnan(found.format.value("none"))


def test_orders_that_contradict_each_other_are_both_shown():
    found = date_format.detect(["25/04/2021", "04/25/2021", "01/02/2021"], np.ones(3))
    assert found.clash == ("25/04/2021", "04/25/2021")
    mistyped = ["25/04/2021"] * 300 + ["04/25/2021"]
    assert date_format.detect(sorted(set(mistyped)), np.array([1, 300])).format.order == "dmy"


def test_a_day_that_does_not_exist_is_no_date():
    assert np.isnan(date_format.DateFormat("split", "dmy").value("31/02/2021"))

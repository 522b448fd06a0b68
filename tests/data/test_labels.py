"""Labels of any kind in data sets, as numbers of classes."""

import numpy as np
import pytest

from gpbench.data.dataset import Dataset
from gpbench.data.labels import coded
from gpbench.data.validation import checked
from gpbench.errors import DataError
from gpbench.extend import Source


def made(y):
    return checked("mine", Dataset("mine", np.zeros((len(y), 1)), np.array(y), "classification"))


@pytest.mark.parametrize(("y", "numbers", "labels"), [
    ([-1, 1, 1], [-1, 1, 1], ()), ([0, 1, 1], [-1, 1, 1], (0, 1)), (["no", "yes", "no"], [-1, 1, -1], ("no", "yes")),
    ([7, 3, 5, 3], [2, 0, 1, 0], (3, 5, 7)), ([-1, 0, 1], [0, 1, 2], (-1, 0, 1)),
    ([True, False], [1, -1], (False, True)),
])  # fmt: skip
def test_two_labels_become_signs_and_more_become_numbers(y, numbers, labels):
    found = made(y)
    assert found.y.tolist() == numbers and found.labels == labels and found.kind.classes == max(2, len(labels))


@pytest.mark.parametrize(("y", "message"), [
    ([0.5, 1.0], "its target contains 0.5: classes are texts or whole numbers"),
    (["a", "a"], r"its target has one class only \(a\)"),
    ([np.nan, 1.0], "its target contains NaN or infinity in row 0"),
])  # fmt: skip
def test_what_is_no_class_is_named(y, message):
    with pytest.raises(DataError, match=f"dataset mine: {message}"):
        made(y)


def test_a_source_may_name_its_labels_or_return_them():
    class Named(Source):
        name, task, labels = "named", "classification", ("c", "a", "b")

    found = Named().dataset(np.zeros((4, 1)), np.array([0.0, 1.0, 2.0, 1.0]))
    assert found.y.tolist() == [0, 1, 2, 1] and found.labels == ("c", "a", "b")
    assert Named().dataset(np.zeros((4, 1)), np.array(["c", "a", "b", "a"])).sha256 == found.sha256
    assert coded(np.array(["x", "y", "z"]))[0].tolist() == [0, 1, 2]

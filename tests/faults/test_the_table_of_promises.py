"""docs/reference/results.md makes a promise for each class of faults; each row names tests that inject it."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROW = re.compile(r"^\| (\d+) \| (.+) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def promises(repo):
    page = (repo / "docs/reference/results.md").read_text()
    return ROW.findall(page.partition("## What is promised")[2].partition("\n## ")[0])


def test_the_classes_of_faults_are_numbered_and_all_45_of_the_beginning_are_there(promises):
    numbers = [int(number) for number, *_ in promises]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= 45


def test_each_class_names_tests_of_this_folder_that_are_there(promises):
    there = {name for file in HERE.glob("test_*.py") for name in re.findall(r"^def (test_\w+)", file.read_text(), re.M)}
    for _, fault, _, _, tests in promises:
        named = re.findall(r"`(test_\w+)`", tests)
        assert named and set(named) <= there, f"{fault}: {set(named) - there}"


def test_what_stands_in_this_folder_is_marked(request):
    ours = [item for item in request.session.items if item.path.parent == HERE]
    assert ours and all(item.get_closest_marker("faults") for item in ours)

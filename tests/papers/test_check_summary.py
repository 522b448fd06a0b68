"""`gpbench check` on a terminal: few lines, within its width, about the papers that were asked for."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from gpbench.cli import cli
from gpbench.papers import check_summary
from gpbench.papers.check import check
from tests.helpers.made_folders import SMALL


@pytest.fixture(scope="module")
def small():
    return check([SMALL])


@pytest.mark.parametrize("width", [80, 100, 140])
def test_the_summary_fits_the_terminal(small, width):
    lines = check_summary.summary_lines(small, [Path("small")], width)
    assert len(lines) <= 25 and max(map(len, lines)) <= width
    assert lines[-1].endswith("gpbench check --details small")


def test_only_papers_of_the_folders_are_named(small):
    text = "\n".join(check_summary.summary_lines(small, [SMALL], 100))
    assert small.papers == ("sundararajan",) and "sundararajan" in text
    assert not any(paper in text for paper in ("keerthi", "vanhatalo", "cao", "snelson"))


def test_the_largest_differences_come_first_with_their_size(small):
    lines = check_summary.summary_lines(small, [SMALL], 200)
    sizes = [float(line.rpartition("(")[2].split(" SE")[0]) for line in lines if line.endswith(" SE)")]
    differ = [c for c in small.headline if c.verdict in ("worse", "different") and c.se]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) <= 5
    assert sizes[0] == pytest.approx(max(abs(c.d) / c.se for c in differ), abs=0.05)


def test_few_repetitions_are_said_once(small):
    lines = check_summary.summary_lines(small, [SMALL], 100)
    assert sum("repetitions for" in line for line in lines) == 1


def test_a_name_cannot_command_the_terminal(small):
    lines = check_summary.summary_lines(small, [Path("a\x1b[2Jb\nc")], 80)
    assert not any(ord(c) < 32 for line in lines for c in line)


def test_details_list_every_number_and_claim(small, tmp_path):
    brief, long = (CliRunner().invoke(cli, ["check", str(SMALL), *more]).stdout for more in ([], ["--details"]))
    assert len(brief.splitlines()) <= 25 < len(long.splitlines())
    compared = [c for c in small.cells if c.verdict not in ("not run", "no data")]
    assert all(any(line.startswith(c.id) for line in long.splitlines()) for c in compared)

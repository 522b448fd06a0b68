"""The bench itself: its arithmetic, its rows, and other libraries that are absent, broken or compute something else."""

import pytest

from scripts.bench import __main__ as bench
from scripts.bench import entries, peers, timing
from scripts.bench.timing import Case

TINY = (("fitc", 60, 5), ("vfe", 60, 5), ("full", 40, 0))


class Clock:
    """Time that passes only when told."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def takes(self, *seconds):
        coming = iter(seconds)

        def run():
            self.now += next(coming)

        return run


def test_ratio_is_of_medians_and_least_of_shortest_runs_without_the_first():
    clock = Clock()
    case = Case("x", run=clock.takes(90, 8, 6, 30), unit=clock.takes(50, 2, 4, 1))
    t = timing.measure(case, 3, clock)
    assert (t.seconds, t.unit, t.ratio, t.least) == (8, 2, 4, 6)


def test_a_long_case_is_run_once():
    clock = Clock()
    t = timing.measure(Case("x", clock.takes(60), clock.takes(2), long=True), 1, clock)
    assert (t.seconds, t.unit) == (60, 2)


def test_a_product_timed_in_parts_counts_whole():
    clock = Clock()
    t = timing.measure(Case("x", clock.takes(1, 60), clock.takes(1, 2), parts=10), 1, clock)
    assert (t.unit, t.ratio, t.least) == (20, 3, 3)


@pytest.fixture
def no_peers(monkeypatch):
    def absent(module):
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    monkeypatch.setattr(peers.importlib, "import_module", absent)


def test_bench_prints_a_row_for_each_case_and_a_line_for_each_absent_library(monkeypatch, capsys, no_peers):
    small = lambda: [Case("small", lambda: None, (8, 8, 8), work=1.0), Case("other", lambda: None, (8, 8, 8))]  # noqa: E731
    monkeypatch.setattr(entries, "ENTRIES", (small,))
    bench.main(["--repeats", "2", "--cpu"])
    head, *rows = capsys.readouterr().out.splitlines()[2:]
    assert [r.split()[0] for r in rows] == ["small", "other", "GPy:", "GPflow:", "GPyTorch:"]
    assert len(rows[0].split()) == len(head.replace("peak MB", "peak_MB").split())
    assert all("not installed, skipped" in r for r in rows[2:])


def test_libraries_are_not_even_looked_for_when_no_case_of_theirs_is_wanted(no_peers):
    assert list(peers.cases("cholqr")) == []
    assert [line.split(":")[0] for line in peers.cases("fitc")] == ["GPy", "GPflow"]  # GPyTorch has no FITC


def test_a_library_that_fails_to_load_is_one_line(monkeypatch):
    def broken(module):
        raise AttributeError("numpy has no attribute\nand more")

    monkeypatch.setattr(peers.importlib, "import_module", broken)
    lines = list(peers.cases())
    assert len(lines) == 3 and all("cannot be loaded, skipped (AttributeError: numpy has" in line for line in lines)


def only_peer(monkeypatch, make):
    """A single library whose cases are made by `make`."""
    monkeypatch.setattr(peers, "PEERS", {"types": ("Peer", ("fitc", "vfe", "full"), lambda module: make)})
    return list(peers.cases(settings=TINY))


def test_a_library_is_timed_where_value_and_gradient_are_ours(monkeypatch):
    def make(kind, gp, X, y, Z):
        return lambda: peers.reference(kind, len(X), len(Z))

    found = only_peer(monkeypatch, make)
    assert [c.unit for c in found] == [(5, 60, 5), (5, 60, 5), (40, 40, 40)]
    assert [c.name.split(" (")[0] for c in found] == ["Peer: fitc, m=5", "Peer: vfe, m=5", "Peer: full GP, n=40"]


@pytest.mark.parametrize("value, gradient", [(1.002, 1.0), (1.0, 1.002), (float("nan"), 1.0)])
def test_a_library_with_another_value_or_gradient_is_not_timed(monkeypatch, value, gradient):
    def make(kind, gp, X, y, Z):
        F, dZ = peers.reference(kind, len(X), len(Z))
        return lambda: (F * value, None if dZ is None else dZ * gradient)

    found = only_peer(monkeypatch, make)
    assert all("not the same objective, skipped" in line for line in found[:2])
    assert isinstance(found[2], str) == (value != 1.0)  # the full GP has no dZ


def test_a_library_that_fails_in_one_case_is_timed_in_the_others(monkeypatch):
    def make(kind, gp, X, y, Z):
        if kind == "vfe":
            raise RuntimeError("no")
        return lambda: peers.reference(kind, len(X), len(Z))

    found = only_peer(monkeypatch, make)
    assert found[1] == "Peer: vfe, m=5: fails, skipped (RuntimeError: no)"
    assert isinstance(found[0], Case) and isinstance(found[2], Case)


@pytest.mark.parametrize("module", peers.PEERS)
def test_an_installed_library_agrees_with_ours(module, monkeypatch):
    pytest.importorskip(module)
    monkeypatch.setattr(peers, "PEERS", {module: peers.PEERS[module]})
    found = list(peers.cases(settings=TINY))
    assert found and all(isinstance(c, Case) for c in found), found

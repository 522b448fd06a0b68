"""The audit of a data set's rows: what was planted is found, what was not is not."""

import json
import sys

import numpy as np
import pytest

from gpbench import data
from gpbench.cli import main
from gpbench.data import service
from gpbench.data.audit import audit, grid
from gpbench.data.dataset import Dataset, first_equal
from gpbench.data.leaks import search
from gpbench.data.validation import repeated
from tests.oracles import audit as oracle


def masks(n, k, rng):
    return rng.random((n, k)) < 0.3


@pytest.mark.parametrize("seed", range(5))
def test_repeated_inputs_are_those_of_all_pairs_of_rows(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-1, 2, size=(60, 4)).astype(float), rng.integers(0, 2, size=60).astype(float)
    X[0], X[1] = 0.0, -0.0
    test = masks(60, 3, rng)
    found = audit(Dataset("x", X, y, test_masks=test))
    assert (found.repeated, found.conflicting) == oracle.repeated(X, y) and found.repeated > 5
    expected = [(oracle.shared(X, np.flatnonzero(~m), np.flatnonzero(m)), int(m.sum())) for m in test.T]
    assert list(found.shared) == expected and expected[0][0] > 0
    first = first_equal(X)
    assert first[1] == 0 and (X[first] == X).all() and list(repeated(X)) == list(np.flatnonzero(first != np.arange(60)))


def test_repeated_molecules_are_found_and_have_no_columns():
    found = audit(Dataset("x", np.array(["C", "CC", "C"], dtype=object), np.array([1.0, 2.0, 3.0])))
    assert (found.repeated, found.conflicting, found.inputs, found.leaks, found.copied) == (1, 2, 1, (), ())


TARGETS = {  # of inputs 2 and 5: how the target was made, and how it is found
    "target": (lambda t: t, "target"),
    "log": (lambda t: np.log(t - t.min() + 1), "exp(target)"),
    "exp": (lambda t: np.exp(t / 4), "log(target)"),
}


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("columns", [(2,), (2, 5)])
@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_planted_leaks_are_those_of_all_pairs_of_inputs(kind, columns, noise, rng):
    X = rng.normal(size=(300, 7)) * 10.0 ** np.arange(-3, 4) + 5
    X[:, 6] = 3.0
    t = sum((X[:, j] - X[:, j].mean()) / X[:, j].std() for j in columns) + noise * rng.normal(size=300)
    make, transform = TARGETS[kind]
    (leak,) = search(X, make(t))
    assert (leak.columns, leak.transform) == (columns, transform)
    assert [leak.columns] == oracle.leaking(X[:, :6], t)
    assert leak.nmse == pytest.approx(oracle.nmse(X[:, columns], t), rel=0.01, abs=1e-20)


def test_every_input_that_leaks_alone_is_named_and_is_no_part_of_a_pair(rng):
    X = rng.normal(size=(200, 6))
    y = X[:, 0].copy()
    X[:, 4] = -3 * y + 1
    assert [leak.columns for leak in search(X, y)] == oracle.leaking(X, y) == [(0,), (4,)]


def test_two_classes_leak_as_they_are(rng):
    y = np.where(rng.random(100) < 0.4, 1.0, -1.0)
    X = np.c_[rng.normal(size=100), y * 7]
    assert [(leak.columns, leak.transform) for leak in search(X, y)] == [((1,), "target")]


def test_what_is_no_leak_is_not_called_one(rng):
    X = rng.normal(size=(300, 5))
    y = X[:, 0] + X[:, 1] + 0.01 * rng.normal(size=300)  # NMSE 5e-5
    assert search(X, y) == [] == oracle.leaking(X, y)
    X[7], y = -999999.0, rng.normal(size=300)
    y[7] = -999999.0  # one row of missing codes: linear in every input, and in each pair, but for that row alone
    assert oracle.leaking(X, y) and search(X, y) == []
    assert search(X[:5], X[:5, 0] + X[:5, 1]) == []  # too few rows to tell
    assert search(X, np.ones(300)) == []
    assert search(X, 1e3 * rng.normal(size=300)) == []  # exponentials beyond the range of doubles


GRIDS = [
    (np.array([0.3, 0.7, 1.2, 1.3]), ("target", 0.1, 10)),
    (np.arange(1, 40) * 2.5 - 7, ("target", 2.5, 38)),
    (np.round(np.arange(60) / 7 - 3, 4), ("target", 1 / 7, 59)),  # rounded once more when it was written
    (np.array([0.0, 1.0, 1.0]), ("target", 1.0, 1)),
]


@pytest.mark.parametrize("y,expected", GRIDS)
def test_the_step_of_rounded_targets(y, expected):
    found = grid(y)
    assert (found.transform, found.steps) == (expected[0], expected[2])
    assert found.step == pytest.approx(expected[1], rel=1e-4)


def test_logarithms_of_rounded_targets_and_targets_that_are_not_rounded(rng):
    counts = np.arange(1.0, 60)
    found = grid(np.log(counts) - 2)
    assert (found.transform, found.steps) == ("exp(target)", 58)
    assert grid(rng.normal(size=200)) is None and grid(np.ones(5)) is None


def test_constant_and_copied_inputs(rng):
    X = rng.normal(size=(300, 6))
    X[:, 1] = 4.0
    X[:, 2] = 0.0
    X[250, 2] = 1.0  # constant where row 250 is a test row
    X[:, 4] = X[:, 0]
    X[:, 5] = 2 - 3 * X[:, 3]
    test = np.zeros((300, 2), dtype=bool)
    test[200:, 1] = test[:100, 0] = True
    found = audit(Dataset("x", X, rng.normal(size=300), test_masks=test))
    assert found.constant == (1,) and found.constant_in_training == ((), (2,))
    assert found.copied == ((4, 0, True), (5, 3, False))
    facts = found.facts()
    assert facts["constant inputs"] == "input 2" and facts["inputs constant in training"] == "split 1: input 3"
    assert facts["copied inputs"] == "input 5 is input 1; input 6 is linear in input 4"


@pytest.fixture
def gpbench(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["gpbench", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        out = capsys.readouterr()
        return stop.value.code or 0, out.out, out.err

    return call


def test_a_users_file_is_audited_under_the_names_of_its_columns(gpbench, tmp_path, rng):
    rows = [f"{a:.6f},{b:.6f},{'red' if a > 0 else 'blue'},7,{a + b:.6f}" for a, b in rng.normal(size=(50, 2))]
    rows += [rows[0].replace("7,", "7,1"), ",1,red,7,2"]
    (tmp_path / "mine.csv").write_text("\n".join(["size,rooms,colour,one,price", *rows]) + "\n")
    code, out, _ = gpbench("data", "audit", "mine.csv", "--json")
    facts = json.loads(out)
    assert code == 0 and facts["constant inputs"] == "input one"
    assert "1 of 52 rows" in facts["repeated inputs"] and "2 rows share" in facts["repeated inputs"]
    assert facts["leaking inputs"] == "none"  # the repeated row has another price, one size is made up
    (tmp_path / "clean.csv").write_text("\n".join(["size,rooms,colour,one,price", *rows[:50]]) + "\n")
    code, out, _ = gpbench("data", "audit", "clean.csv", "--target", "rooms")
    assert code == 0 and "leaking inputs: target is linear in inputs size and price" in out


@pytest.mark.parametrize("text,message", [("a,y\n1,2\n3,x\n", "'x' is text"), (None, "no such file")])
def test_a_file_that_cannot_be_audited_is_one_sentence(gpbench, tmp_path, text, message):
    if text:
        (tmp_path / "bad.csv").write_text(text)
    code, out, err = gpbench("data", "audit", "bad.csv")
    assert code == 3 and out == "" and message in err and len(err.splitlines()) == 1


def test_an_unknown_data_set_is_told_from_a_file(gpbench):
    code, _, err = gpbench("data", "audit", "uci-bik")
    assert code == 2 and "did you mean uci-bike" in err


@pytest.mark.real
def test_the_suites_facts(mirror, tmp_path):
    """DEFAULTS.md, "Audit of the suite"."""

    def found(name):
        return audit(data.load({"name": f"uci-{name}"}, None, True, str(mirror), tmp_path))

    bike = found("bike")
    (leak,) = bike.leaks
    assert (leak.columns, leak.transform) == ((15, 16), "exp(target)") and leak.nmse == pytest.approx(1.5e-9, rel=0.1)
    assert bike.repeated == 0 and bike.copied == ((4, 0, True), (5, 1, True))
    counts = {name: found(name).repeated for name in ("keggdirected", "protein", "pol")}
    assert counts == {"keggdirected": 33016, "protein": 1758, "pol": 42}
    pol, challenger, kegg = found("pol"), found("challenger"), found("keggdirected")
    assert (pol.distinct, pol.grid.step, pol.grid.steps) == (11, pytest.approx(10), 10)
    assert challenger.constant == (0,) and kegg.constant_in_training[2] == (7,)


@pytest.mark.real
def test_describe_prints_the_audit_of_what_is_at_hand_and_writes_nothing(gpbench, mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("GPBENCH_DATA", str(tmp_path / "cache"))
    code, out, _ = gpbench("describe", "uci-bike")
    assert code == 0 and "leaking inputs: exp(target) is linear in inputs 16 and 17" in out
    assert not (tmp_path / "cache").exists()
    monkeypatch.delenv("GPBENCH_MIRROR")
    assert "audit" not in gpbench("describe", "uci-bike")[1]


def test_a_table_with_dates_and_units_is_audited_as_fit_reads_it(tmp_path):
    file = tmp_path / "t.csv"
    rows = [f"{1 + i % 28}/{1 + i % 12}/2021,{i * 1.37 % 5:.2f} kg,{i % 9}" for i in range(60)]
    file.write_text("\n".join(["sold,weight,y", *rows]) + "\n")
    assert service.audit(str(file), "y")["rows"] == "60 rows, 2 inputs"

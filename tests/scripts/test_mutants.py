"""scripts/mutants.py: one operator at a time, drawn with a seed, and the tests that a module has."""

import ast

from scripts import mutants

TEXT = b'''"""a - b"""
def f(a: int | None, b=-1) -> int | None:  # a + b
    if not a and b is not None:
        a += 1
    return (a  # the sum - or so
            - b) * f"{a}" if a <= b else "x" + "y"
'''


def test_every_operator_that_is_evaluated_has_a_mutant_that_can_be_parsed():
    found = mutants.mutants_of("f.py", TEXT)
    assert [(m.line, m.old, m.new) for m in found] == [
        (2, "-", ""), (3, "not", ""), (3, "and", "or"), (3, "is not", "is"), (4, "+", "-"), (6, "-", "+"),
        (6, "<=", "<"),
    ]  # fmt: skip
    for m in found:
        assert TEXT[m.start : m.end].decode() == m.old
        ast.parse(TEXT[: m.start] + m.new.encode() + TEXT[m.end :])


def test_a_seed_draws_the_same_mutants_and_fewer_are_the_first_of_more(tmp_path):
    (tmp_path / "gpbench/gp").mkdir(parents=True)
    (tmp_path / "gpbench/gp/a.py").write_text("".join(f"x{i} = {i} + {i}\n" for i in range(50)))
    for place in mutants.PLACES[1:]:
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        if place.endswith(".py"):
            file.touch()
    many = mutants.drawn(40, 3, tmp_path)
    assert many[:10] == mutants.drawn(10, 3, tmp_path) != mutants.drawn(10, 4, tmp_path)
    assert len({m.key for m in many}) == 40


def test_the_tests_of_a_module_mirror_its_path_or_import_it():
    mirror, others = mutants.tests_of("gpbench/data/scaling.py")
    assert mirror == ["tests/data/test_scaling.py"]
    assert "tests/data/test_shards.py" in others and "tests/data/test_scaling.py" not in others
    assert mutants.neighbours_of("gpbench/gp/linalg/elimination.py") == ["tests/gp/linalg"]

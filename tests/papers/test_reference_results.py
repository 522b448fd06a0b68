"""The committed results still say what results/check.json and README say: CI's guard of the published numbers."""

import json

import pytest

from gpbench.experiment.plan.trial import digest
from gpbench.experiment.results.checked_files import as_summed, read_checked
from gpbench.papers import check
from gpbench.report.site import state, with_state


@pytest.fixture(scope="module")
def found(repo):
    folders = sorted(p.parent for p in (repo / "results").glob("*-*/results.csv"))
    assert folders, "no reference results are committed"
    return check.check(folders)


def test_no_verdict_is_worse_than_the_committed_one(repo, found):
    outcome = found.against(repo / "results" / "check.json")
    assert outcome.passed, outcome.message


def test_the_committed_check_counts_every_cell_and_claim(repo):
    saved = json.loads((repo / "results" / "check.json").read_text())
    assert len(saved["cells"]) == 549 and len(saved["claims"]) == 101


def test_every_record_names_an_environment_that_is_committed(repo):
    named = set()
    for archive in (repo / "results").glob("*-*/archive.jsonl"):
        named |= {(archive.parent, json.loads(line)["env"]) for line in archive.read_text().splitlines()}
    assert len(named) > 39
    for folder, env in named:
        assert digest(read_checked(folder / "env" / f"{env}.json")) == env, "its name is the hash of its content"


def test_every_committed_curve_and_note_has_its_sum(repo):
    """Without it a file cut at the end of a line is believed; folders that wait for their re-run get it then."""
    waiting = (repo / "results" / "drifting.txt").read_text().split()
    tables = [p for name in ("curves.csv", "notes.csv") for p in (repo / "results").glob(f"*-*/{name}")]
    assert len(tables) > 80 and all(map(as_summed, tables))
    lacking = {p.parent.name for p in tables if not p.with_name(f"{p.name}.sha256").is_file()}
    assert lacking <= set(waiting), f"{lacking - set(waiting)}: `gpbench run` writes them"


def test_readme_has_the_state_of_the_committed_results(repo, found):
    text = (repo / "README.md").read_text(encoding="utf-8")
    assert text == with_state(text, state(found.to_json())), "README's state is out of date: `make site` writes it"

"""docs/results/reproduction.md is what the command writes; no sentence outlives the verdict it is about."""

import json
from fnmatch import fnmatchcase

import pandas as pd
import pytest

from gpbench.papers import printed_numbers, remarks
from gpbench.papers.check_report import reproduction
from gpbench.papers.headline import Headline

EXPLAINED = [e for paper in printed_numbers.PAPERS for e in remarks.explanations(paper)]


@pytest.fixture(scope="module")
def verdicts(repo):
    saved = json.loads((repo / "results" / "check.json").read_text())
    return {v["id"]: v for v in (*saved["cells"], *saved["claims"])}


@pytest.mark.parametrize("e", EXPLAINED, ids=lambda e: f"{e.about[0]} {e.verdict}")
def test_every_explanation_explains_a_verdict_that_stands(verdicts, e):
    assert any(e.fits(i, v["verdict"]) for i, v in verdicts.items()), f"nothing is '{e.verdict}' any more: remove it"
    for glob in e.about:
        assert any(fnmatchcase(i, glob) for i in verdicts), glob


@pytest.mark.parametrize("e", [e for e in EXPLAINED if e.facts], ids=lambda e: e.about[0])
def test_the_numbers_in_an_explanation_are_those_of_the_rows(repo, e):
    for fact in e.facts:
        rows = pd.read_csv(repo / "results" / fact["folder"] / "results.csv")
        rows = rows[rows["status"] == "ok"].query(fact["query"])
        if "count" in fact:
            assert len(rows) == fact["count"], fact
        else:
            digits = len(fact["value"].partition(".")[2])
            assert f"{getattr(rows[fact['column']], fact['stat'])():.{digits}f}" == fact["value"], fact


def test_every_worse_cell_and_every_failing_claim_has_a_reason(verdicts):
    asked = [v for v in verdicts.values() if v["verdict"] in ("worse", "fails") and not v.get("label")]
    assert asked
    without = [v["id"] for v in asked if not any(e.fits(v["id"], v["verdict"]) for e in EXPLAINED)]
    assert without == []


def test_every_label_sets_some_cell_apart(verdicts):
    for paper in printed_numbers.PAPERS:
        for entry in remarks.labels(paper):
            assert entry.label in remarks.LABELS
            assert any(v.get("label") == entry.label and entry.names(i) for i, v in verdicts.items()), entry


def test_the_page_says_what_the_check_found(repo, verdicts):
    """The committed page and the committed check are of one state."""
    page = (repo / "docs/results/reproduction.md").read_text()
    assert "do not edit" in page
    counts = Headline.of(v for v in verdicts.values() if "description" in v)
    for sentence in (counts.sentence(), counts.tuned_sentence()):
        assert sentence[1:] in page
    for v in verdicts.values():
        if "text" in v:
            assert f"| {v['id']} | {v['text']} |" in page
    for e in EXPLAINED:
        assert e.text in page, e.about


def test_a_reason_is_left_out_when_its_verdict_is_gone(tmp_path):
    from gpbench.papers.check import check
    from tests.helpers import printed_folders

    folder = printed_folders.write_item(tmp_path, "keerthi", "Table 1")
    page = reproduction(check([folder]), [folder])
    assert "7 of 7 comparable printed results are replicated or close (100%), 0 better." in page
    assert "(tuned): 35 of 35 replicated or close, 0 better." in page
    assert "gradient based adaptation" not in page

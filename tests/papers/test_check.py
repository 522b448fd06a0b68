"""gpbench check: exact counts on a hand-made folder, on the papers' own numbers, and what may flip a verdict."""

import json
import shutil
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from gpbench.errors import CheckError, ConfigError
from gpbench.papers import check, printed_numbers
from gpbench.papers.check import GRADE
from tests.helpers import printed_folders
from tests.helpers.made_folders import SMALL
from tests.helpers.printed_folders import printed_number

N_OF_GPE = "sundararajan/Table 3/Friedman3/GPE/fixed hyperparameters, no cache/n_basis/200"
NMSE_OF_NLPP = "sundararajan/Table 2/Boston housing/NLPP/fixed hyperparameters, no cache/NMSE/481"


@pytest.fixture
def small(tmp_path):
    return Path(shutil.copytree(SMALL, tmp_path / "results-small"))


@pytest.fixture(scope="module")
def found():
    return check.check([SMALL])


def edit(folder, change):
    """Rewrite results.csv after `change(frame)`; everything is text, so untouched cells keep their bytes."""
    rows = pd.read_csv(folder / "results.csv", dtype=str, keep_default_na=False)
    change(rows)
    rows.to_csv(folder / "results.csv", index=False, lineterminator="\n")


def verdicts(found):
    return {v.id: v.verdict for v in (*found.cells, *found.claims)}


# ---- the published numbers as data ------------------------------------------------------------------------------


def test_every_cell_and_claim_of_count_md_is_there():
    cells, claims = printed_numbers.cells(), printed_numbers.claims()
    assert Counter(c.paper for c in cells) == {"sundararajan": 362, "vanhatalo": 120, "keerthi": 65, "cao": 2}
    assert Counter(c.paper for c in claims) == {
        "sundararajan": 25, "vanhatalo": 22, "keerthi": 17, "cao": 24, "snelson": 13,
    }  # fmt: skip
    assert (len(cells), len(claims)) == (549, 101)
    assert sum(c.descriptive for c in cells) == 65
    assert sum(bool(c.std_text) for c in cells) == 350
    assert sum(c.flag == "significantly worse" for c in cells) == 106
    assert sum(c.flag in ("best", "bold") for c in cells) == 55
    assert sum(c.misprint for c in cells) == 4
    assert len({c.id for c in cells}) == 549


@pytest.mark.parametrize(
    ("text", "half"),
    [("11.65", 0.005), (".03", 0.005), ("200", 0.5)],
)
def test_half_of_the_last_printed_digit(text, half):
    assert printed_number(text=text).half_digit == pytest.approx(half)


# ---- exact counts -----------------------------------------------------------------------------------------------


def test_the_small_folder_gives_exactly_these_counts(found):
    # 45 result cells on 6 runs each: 3 of Boston's are made better, worse and different, 1 of Friedman3's different; 3
    # are fixed by the config, 24 of Friedman3 tuned. Of its 8 descriptions 2 differ, for the paper has 100 runs
    assert found.cell_counts == {
        "replicated": 3, "close": 0, "inconclusive": 12, "better": 1, "worse": 1, "different": 1, "not comparable": 0,
        "not run": 172, "no data": 2,
    }  # fmt: skip
    assert found.apart_counts["fixed by the config"] == {"close": 3, "not run": 19}
    assert found.apart_counts["tuned"] == {"replicated": 7, "inconclusive": 16, "different": 1, "not run": 244}
    assert found.description_counts == {"as printed": 6, "different": 2, "not run": 57, "no data": 0}
    assert found.claim_counts == {"holds": 0, "by construction": 1, "fails": 0, "undecided": 17, "not run": 83}
    said = "192 result cells: 3 replicated, 0 close, 12 inconclusive (12 for lack of runs), 1 better, 1 worse"
    assert found.summary()[0].startswith(said)


def test_a_corrupted_number_flips_exactly_one_verdict(small, found):
    before = verdicts(found)

    def corrupt(rows):
        mine = (rows["dataset"] == "friedman3") & (rows["label"] == "gpe") & (rows["trial"] == "3")
        assert mine.sum() == 1
        rows.loc[mine, "n_basis"] = "150"

    edit(small, corrupt)
    after = verdicts(check.check([small]))
    assert {i: (before[i], after[i]) for i in before if before[i] != after[i]} == {
        N_OF_GPE: ("replicated", "inconclusive")
    }


def test_failed_trials_enter_no_mean(small):
    def fail(rows):
        rows.loc[rows["dataset"] == "friedman3", "status"] = "timeout"

    edit(small, fail)
    found = check.check([small])
    assert sum(c.n > 0 and not c.description for c in found.cells) == 15  # Boston's


# ---- what never counts ------------------------------------------------------------------------------------------


def test_simulated_data_never_count_as_the_published_rows(small):
    def rename(rows):
        rows["dataset"] = rows["dataset"] + "-sim"

    edit(small, rename)
    with pytest.raises(CheckError, match="nothing compared") as error:
        check.check([small])
    assert error.value.exit_code == 4


def test_a_claim_on_stand_in_data_is_told_but_not_counted(tmp_path):
    folder = keerthi_figure(tmp_path, "kin40k-sim")
    (folder / "config.resolved.yaml").write_text("published: [{paper: keerthi, item: Figure 1}]\n")
    with pytest.raises(CheckError, match=r"\(on them .*K02.* hold"):
        check.check([folder])
    mixed = check.check([folder, SMALL])
    k02 = next(c for c in mixed.claims if c.id == "K02")
    assert k02.verdict == "not run"
    assert k02.numbers.startswith("on stand-in data only, where it holds: 0.3 < 0.4")


def test_a_claim_on_the_real_data_counts(tmp_path):
    found = check.check([keerthi_figure(tmp_path, "kin40k")])
    assert next(c for c in found.claims if c.id == "K02").verdict == "holds"


def keerthi_figure(tmp_path, dataset):
    """INFO worse than RAND at d_max 100."""
    folder = tmp_path / dataset
    folder.mkdir()
    rows = []
    for method, nmse in (("random", 0.3), ("info", 0.4)):
        for t in range(3):
            cell = printed_number(
                paper="keerthi", method="SB", dataset=dataset, n_train=10000.0, item="Figure 1", variant=""
            )
            printed_folders.OUR_METHOD.setdefault("SB", "sb")
            row = printed_folders.blank(cell, method, (dataset, method, t))
            rows.append(row | {"method": method, "d_max": 100, "nmse": nmse, "trial": t})
    columns = list(rows[0])
    printed_folders.write_csv(folder / "results.csv", columns, [[r[c] for c in columns] for r in rows])
    return folder


def test_a_folder_that_names_no_paper_compares_no_cell(small):
    config = (small / "config.resolved.yaml").read_text()
    (small / "config.resolved.yaml").write_text(config.partition("published:")[0])
    with pytest.raises(CheckError, match="published"):
        check.check([small])


def test_suspected_misprints_are_reported_and_not_held_against_us(tmp_path):
    folder = printed_folders.write_item(tmp_path, "vanhatalo", "Table 2")

    def ours(rows):  # what a sound model gives on Breast, against the printed .99
        rows.loc[(rows["dataset"] == "breast") & (rows["label"] == "k_se"), "nlpd"] = "5.0"

    edit(folder, ours)
    found = check.check([folder])
    cell = next(c for c in found.cells if c.id == "vanhatalo/Table 2/Breast/k_se/nlpd/683")
    assert (cell.verdict, cell.label) == ("worse", "suspected misprint")
    assert cell.id not in found.failed()
    assert found.apart_counts["suspected misprint"] == {"close": 3, "worse": 1}
    assert any(line.startswith("apart, suspected misprint: 4 cells") for line in found.summary())


# ---- files, baseline --------------------------------------------------------------------------------------------


def test_without_a_baseline_worse_cells_and_failing_claims_fail(found):
    outcome = found.against()
    assert not outcome.passed
    assert outcome.message.startswith("1 outside tolerance: sundararajan/Table 2/Boston housing/NLGPP")


def test_a_baseline_passes_what_it_knows_and_catches_what_got_worse(small, tmp_path, found):
    baseline = tmp_path / "check.json"
    baseline.write_text(json.dumps(found.to_json()))
    assert found.against(baseline).passed

    def worsen(rows):
        rows.loc[(rows["dataset"] == "boston") & (rows["label"] == "nlpp"), "nmse"] = "0.9"

    edit(small, worsen)
    outcome = check.check([small]).against(baseline)
    assert not outcome.passed
    assert outcome.message == f"1 worse than the baseline: {NMSE_OF_NLPP}"


def test_a_lost_result_is_worse_than_a_baseline_that_had_it(small, tmp_path, found):
    baseline = tmp_path / "check.json"
    baseline.write_text(json.dumps(found.to_json()))

    def lose(rows):
        rows.loc[rows["label"] == "gpe-cache", "status"] = "crashed"

    edit(small, lose)
    outcome = check.check([small]).against(baseline)  # of its three cells two were inconclusive and one replicated
    assert outcome.message.startswith("3 worse than the baseline")


def test_a_baseline_that_is_something_else_is_one_sentence(tmp_path, found):
    (tmp_path / "b.json").write_text('{"a": 1}')
    with pytest.raises(ConfigError, match=r"not a check\.json"):
        found.against(tmp_path / "b.json")


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        ("replicated", "close", False),
        ("close", "better", False),
        ("better", "inconclusive", True),
        ("inconclusive", "different", False),
        ("different", "worse", True),
        ("worse", "not run", False),
        ("not comparable", "not run", True),
        ("holds", "undecided", True),
        ("undecided", "fails", True),
        ("by construction", "holds", False),
        ("reproduced", "inconclusive", True),  # a baseline of the first rule
    ],
)
def test_the_order_of_verdicts_for_a_baseline(before, after, worse):
    assert (GRADE[after] < GRADE[before]) is worse


def test_every_compared_cell_shows_d_se_and_both_numbers_of_runs(found):
    lines = [c.line() for c in found.cells if c.n and not c.description]
    assert len(lines) == 45
    for line in lines:
        assert all(part in line for part in (" d ", " SE ", " R0 100", " R1 6"))


def test_check_json_names_every_part_of_a_cell(found):
    cell = next(c for c in found.to_json()["cells"] if c["id"] == NMSE_OF_NLPP)
    assert (cell["paper"], cell["item"], cell["dataset"], cell["method"], cell["quantity"]) == (
        "sundararajan", "Table 2", "Boston housing", "NLPP", "NMSE",
    )  # fmt: skip
    assert (cell["printed"], cell["printed_std"], cell["r0"], cell["r1"], cell["needed"]) == (
        "11.65", "6.74", 100, 6, 100,
    )  # fmt: skip
    assert (cell["verdict"], cell["label"]) == ("inconclusive", "")
    assert set(found.to_json(["cao"])["cells"][0]) == set(cell)
    assert {c["paper"] for c in found.to_json(["cao"])["cells"]} == {"cao"}


def test_check_json_is_stable_and_sorted(small, found):
    texts = [json.dumps(c.to_json(), sort_keys=True) for c in (found, check.check([small]))]
    assert len(set(texts)) == 1
    ids = [c["id"] for c in json.loads(texts[0])["cells"]]
    assert ids == sorted(ids)


def test_junit_counts_what_check_counts(found):
    suites = ElementTree.fromstring(found.junit().partition("\n")[2])
    counts = {s.get("name"): (s.get("tests"), s.get("failures"), s.get("skipped")) for s in suites}
    assert counts == {"cells": ("549", "1", "496"), "claims": ("101", "0", "83")}
    assert len(suites.findall(".//failure")) == 1

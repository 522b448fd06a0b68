"""The scoreboard: what it counts, where it leads, and README's state between its markers."""

import re
import shutil
from pathlib import Path

import pytest

from gpbench.errors import ConfigError
from gpbench.papers import printed_numbers
from gpbench.report.site import build, folder_pages, with_state
from gpbench.report.site.readme_state import BEGIN, END
from gpbench.report.site.readme_state import state as readme_state
from gpbench.report.site.scoreboard import Score
from tests.helpers.html_reader import Reader
from tests.helpers.made_folders import SMALL


def cell(verdict, label="", description=False, paper="keerthi", place="", cause=""):
    found = {"paper": paper, "verdict": verdict, "label": label, "description": description}
    return found | {"place": place, "cause": cause}


def claim(verdict, stands_for="", paper="keerthi"):
    return {"paper": paper, "verdict": verdict, "stands_for": stands_for, "cause": ""}


FOUND = {
    "cells": [
        *[cell("replicated")] * 3,
        cell("close"),
        cell("worse"),
        cell("not run"),
        cell("not comparable"),
        cell("worse", label="suspected misprint"),
        cell("different", description=True),
        cell("better", paper="cao"),
    ],
    "claims": [
        claim("holds"),
        claim("fails"),
        claim("by construction", paper="cao"),
        claim("holds", stands_for="subset"),
    ],
}


def test_a_score_counts_results_that_nothing_sets_apart():
    score = Score.of(FOUND["cells"], FOUND["claims"])
    assert (score.cells["replicated"], score.cells["worse"], score.apart) == (3, 1, 2)
    assert score.sentence() == (
        "4 of 6 comparable printed results are replicated or close (67%), 1 better; of the other 1, 0 are inside the "
        "range of what the paper leaves open, 0 outside with a tested cause, 1 outside without one, and for 0 no other "
        "protocol was run. 2 of 3 claims hold, 1 fail (0 with a tested cause), 0 are undecided or not run"
    )


def test_the_state_has_a_line_for_each_paper_and_one_for_all():
    lines = readme_state(FOUND).splitlines()
    rows = {
        line.split(" | ")[0].strip("| `"): line.strip("| ").split(" | ")[1:] for line in lines if line.startswith("| ")
    }
    assert set(rows) == {"paper", *printed_numbers.PAPERS, "all"}
    assert rows["keerthi"] == ["3", "1", "0", "0", "1", "0", "1", "", "1", "1", "0", "0"]
    assert rows["all"] == ["3", "1", "1", "0", "1", "0", "1", "", "2", "1", "0", "0"]
    assert len({line.count("|") for line in lines if line.startswith("|")}) == 1


def test_the_state_replaces_what_stood_between_the_markers_and_nothing_else():
    text = with_state(f"before\n{BEGIN}\nold\n{END}\nafter\n", "new")
    assert text == f"before\n{BEGIN}\nnew\n{END}\nafter\n" and with_state(text, "new") == text
    with pytest.raises(ConfigError, match=r"README\.md: the state goes between"):
        with_state("no markers here", "new")


@pytest.fixture(scope="module")
def site(small_site):
    return small_site, [
        small_site / name for name in ("index.html", *(f"{paper}.html" for paper in printed_numbers.PAPERS))
    ]


def test_every_link_of_the_site_leads_somewhere(site):
    out, pages = site
    for file in pages:
        reader = Reader(file.read_text())
        assert reader.open == []
        for link in reader.links:
            name, _, anchor = link.partition("#")
            if link.startswith("data:"):
                continue
            target = out / name if name else file
            assert target.is_file(), f"{file.name}: {link}"
            if anchor and not anchor.startswith("m"):  # shapes of the charts
                assert f'id="{anchor}"' in target.read_text(), f"{file.name}: {link}"


def test_no_page_has_an_id_twice(site):
    out, pages = site
    for file in (*pages, out / SMALL.name / "report.html"):
        ids = re.findall(r'\sid="([^"]*)"', file.read_text())
        assert len(set(ids)) == len(ids), sorted({i for i in ids if ids.count(i) > 1})


def test_index_and_readme_count_alike(site):
    out, _ = site
    readme = (out.parent.parent / "README.md").read_text()
    row = next(line for line in readme.splitlines() if "`sundararajan`" in line).strip("| ").split(" | ")
    text = " ".join(" ".join(Reader((out / "index.html").read_text()).text).split())
    card = text[text.index(" 98 printed results") + 1 :]
    assert re.match(rf"98 printed results {row[1]} replicated ({row[2]} close )?{row[4]} inconclusive", card), card[:99]


def test_a_paper_page_has_every_printed_number_beside_ours(site):
    out, _ = site
    text = (out / "sundararajan.html").read_text()
    table = re.search(r'<figure class="table" id="cells">.*?</table>', text, re.S)[0]
    assert table.count("<tr data-d=") == sum(not c.descriptive for c in printed_numbers.cells("sundararajan"))
    assert f'<a href="{SMALL.name}/report.html">{SMALL.name}</a>' in table


def test_two_folders_of_one_name_are_refused(tmp_path):
    other = Path(shutil.copytree(SMALL, tmp_path / SMALL.name))
    with pytest.raises(ConfigError, match="two folders are called results-small"):
        build([SMALL, other], tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_the_picture_of_a_card_shows_the_first_metric_of_the_config():
    names = ["box-a-nlpd", "ranks-coverage", "ranks-nlpd", "ranks-rmse", "measure-a"]
    order = sorted(names, key=lambda name: (folder_pages._place(name, ["rmse", "nlpd", "coverage"]), name))
    assert order == ["measure-a", "ranks-rmse", "box-a-nlpd", "ranks-nlpd", "ranks-coverage"]
    links = folder_pages.FolderLinks("a", "a", "", "", [], [], 1, 1, 0, [f"{name}.svg" for name in order], "")
    assert links.picture == "ranks-rmse.svg"

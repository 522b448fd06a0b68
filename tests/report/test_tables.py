"""Tables: the papers' layouts, units and marks; escaping in every format; what the captions must say."""

import csv
import html.parser
import io
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench.analysis.ranking import groups
from gpbench.analysis.results_table import load
from gpbench.analysis.table import Table, TableCell, escape_csv, render
from gpbench.report import render_folder
from gpbench.report.tables import tables
from tests.helpers import printed_folders
from tests.helpers.made_folders import SMALL

NASTY = [
    "=cmd|' /C calc'!A0",
    "<script>alert(1)</script>",
    "a_b%",
    "x & y $z$ #1 {q} ~ ^ \\",
    "|pipe|`tick`",
    "+1",
    "@x",
]


def by_name(folder) -> dict[str, Table]:
    return {t.name: t for t in tables(load(folder))}


def texts(cells):
    return [c.text for c in cells]


# ---- as the paper prints it -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table_3(tmp_path_factory):
    return by_name(printed_folders.write_item(tmp_path_factory.mktemp("t3"), "sundararajan", "Table 3"))["table-3"]


def test_table_3_has_the_papers_rows_and_columns(table_3):
    assert table_3.groups == [("Without cache", 3), ("With cache", 3)]
    assert table_3.columns == ["ALGORITHM", *["NMSE x 1e-2", "NPDL", "# BV"] * 2]
    assert [first for first, cells in table_3.rows if cells is None] == ["Friedman2", "Friedman3", "bank32NH", "cpuact"]
    for start in range(0, 24, 6):
        assert [r[0] for r in table_3.rows[start + 1 : start + 6]] == ["NLPP", "NLML", "LOO-CVE", "NLGPP", "GPE"]


def test_table_3_prints_the_papers_numbers_in_the_papers_units(table_3):
    gpe = next(cells for first, cells in table_3.rows[6:] if first == "GPE")  # of Friedman3
    means = [t.split(" ± ")[0] for t in texts(gpe)]
    assert means == ["12.20", "0.70", "70.1", "12.20", "0.70", "68.4"]  # 12.20 0.70 70.1 | 12.20 0.70 68.4 in print
    nlpp = table_3.rows[7][1]
    assert nlpp[2].text == "75"  # a given number of basis vectors has no spread


def test_table_3_has_the_papers_stars(table_3):
    """All stars of print and no others, in the NMSE and NPDL columns; bold ones are best means."""
    printed = {
        (c.dataset, c.method, "with cache" in c.variant, c.metric): c.flag
        for c in printed_folders.printed_numbers.cells("sundararajan")
        if c.item == "Table 3" and c.metric != "n_basis"
    }
    dataset, wrong = "", []
    for first, cells in table_3.rows:
        if cells is None:
            dataset = first
            continue
        for k, metric in ((0, "NMSE"), (1, "NPDL"), (3, "NMSE"), (4, "NPDL")):
            star = printed[(dataset, first, k > 2, metric)] == "significantly worse"
            wrong += [(dataset, first, k)] if cells[k].worse != star else []
    assert wrong == []


def test_the_npdl_of_abalone_carries_the_factor_and_the_caption_says_so(tmp_path):
    table = by_name(printed_folders.write_item(tmp_path, "sundararajan", "Table 2"))["table-2"]
    at = [first for first, _ in table.rows].index("Abalone")
    assert table.rows[at + 4][1][1].text.startswith("100.33")
    assert any("Abalone" in n and "1e-2" in n for n in table.notes)


def test_tables_4_and_5_put_two_data_sets_side_by_side(tmp_path):
    table = by_name(printed_folders.write_item(tmp_path, "sundararajan", "Table 5"))["table-5"]
    assert table.rows[0] == ("Friedman2 | Friedman3", None)
    assert [t.split(" ± ")[0] for t in texts(table.rows[5][1])] == ["10.09", "6.50", "52.2", "11.63", "0.70", "74.7"]


def test_table_1_of_keerthi_has_data_sets_down_and_methods_across(tmp_path):
    table = by_name(printed_folders.write_item(tmp_path, "keerthi", "Table 1"))["table-1"]
    methods = ["FIXED-SB", "ADAPT-INFO", "ADAPT-DMAX"]
    assert table.columns == ["DATASET", "n train", "n test", *methods, *methods]
    assert table.groups == [("", 2), ("NMSE x 1e-2", 3), ("NLPD", 3)]
    assert [r[0] for r in table.rows] == [
        "BANK8FM",
        "BANK32NH",
        "CPUSMALL",
        "CPUACT",
        "CALHOUSE",
        "HOUSE8L",
        "HOUSE16H",
    ]
    calhouse = table.rows[4][1]
    assert [t.split(" ± ")[0] for t in texts(calhouse)][2:] == ["22.58", "22.82", "20.02", "31.83", "21.20", "13.03"]
    assert [c.worse for c in calhouse[2:]] == [True, True, False, True, True, False]
    assert [c.best for c in calhouse[2:]] == [False, False, True, False, False, True]


def test_only_halves_that_were_run_are_printed():
    table = by_name(SMALL)["table-2"]
    assert table.groups == [("Without cache", 3)]
    assert [r[0] for r in table.rows] == ["Boston housing", "NLPP", "NLML", "LOO-CVE", "NLGPP", "GPE"]


def test_printed_numbers_stand_beside_ours_with_a_verdict():
    table = by_name(SMALL)["published-sundararajan-table-2"]
    nlgpp = dict(table.rows)["NLGPP"]
    assert [(c.text, c.verdict) for c in nlgpp[:4]] == [
        ("30.00 ± 2.00", "worse"), ("16.85 ± 11.29", ""), ("2.00 ± 0.10", "better"), ("2.53 ± 0.32", ""),
    ]  # fmt: skip


def test_means_and_spreads_are_those_of_the_trials():
    rows = pd.read_csv(SMALL / "results.csv")
    mine = rows[(rows["dataset"] == "boston") & (rows["label"] == "gpe")]["nmse"]
    text = dict(by_name(SMALL)["results"].rows)["gpe-cache"][0].text  # Friedman3 comes last and has this label alone
    cached = rows[rows["label"] == "gpe-cache"]["nmse"]
    assert text == f"{cached.mean():.3f} ± {cached.std(ddof=1):.3f}"
    assert (
        dict(by_name(SMALL)["table-2"].rows)["GPE"][0].text == f"{100 * mine.mean():.2f} ± {100 * mine.std(ddof=1):.2f}"
    )


# ---- captions ---------------------------------------------------------------------------------------------------


def changed(tmp_path, change) -> Path:
    folder = Path(shutil.copytree(SMALL, tmp_path / "copy"))
    rows = pd.read_csv(folder / "results.csv", dtype=str, keep_default_na=False)
    change(rows)
    rows.to_csv(folder / "results.csv", index=False, lineterminator="\n")
    return folder


def test_simulated_data_are_named_in_the_caption(tmp_path):
    def rename(rows):
        rows["dataset"] = rows["dataset"].replace("boston", "kin40k-sim")

    notes = by_name(changed(tmp_path, rename))["results"].notes
    assert any("kin40k-sim" in n and "not the published rows" in n for n in notes)


def test_keys_of_the_trace_become_columns_and_training_sizes_rise(tmp_path):
    folder = Path(shutil.copytree(SMALL, tmp_path / "copy"))
    rows = pd.read_csv(folder / "results.csv", keep_default_na=False)
    rows = rows[(rows["dataset"] == "boston") & (rows["label"] == "nlml")].iloc[:2].copy()
    rows["n_train"] = [481, 99]
    rows.to_csv(folder / "results.csv", index=False)
    values = [(i, 1, "fill_L", v) for i, v in zip(rows["trial_id"], (0.25, 0.5), strict=True)]
    pd.DataFrame(values, columns=["trial_id", "step", "key", "value"]).to_csv(folder / "curves.csv", index=False)
    config = folder / "config.resolved.yaml"
    config.write_text(config.read_text() + "also: [fill_L, nobody]\n")
    table = by_name(folder)["results"]
    at = table.columns.index("fill_L") - 1
    assert table.columns[at + 2] == "nobody" and "nobody: no trace has this key." in table.notes
    assert [cells[at].text for _, cells in table.rows if cells] == ["0.500", "0.250"]
    assert [title for title, cells in table.rows if cells is None] == ["boston, n = 99", "boston, n = 481"]


def test_missing_trials_are_told_below_the_table(tmp_path):
    def lose(rows):
        rows.loc[(rows["label"] == "nlpp") & (rows["dataset"] == "boston") & (rows["trial"] == "2"), "status"] = (
            "timeout"
        )

    found = by_name(changed(tmp_path, lose))
    assert any("5 of 6 trials" in n for n in found["results"].notes)
    assert any("5 of 6 trials" in n for n in found["table-2"].notes)


def test_a_method_without_a_finished_trial_is_named_below_the_table(tmp_path):
    def fail(rows):
        mine = (rows["label"] == "nlpp") & (rows["dataset"] == "boston")
        rows.loc[mine, ["status", "reason"]] = "failed", "no memory"

    notes = by_name(changed(tmp_path, fail))["results"].notes
    assert "nlpp on boston: no result (6 failed; no memory)." in notes
    assert not any(n.startswith("nlml on boston: no result") for n in notes)


def test_a_folder_in_which_everything_failed_still_renders(tmp_path):
    def fail(rows):
        rows["status"] = "crashed"

    folder = changed(tmp_path, fail)
    assert tables(load(folder)) == []
    assert render_folder.render_tables(folder) == []
    assert "results-small" in render_folder.console_table(folder)


def test_the_console_table_fits_a_hundred_columns_and_shows_printed_numbers():
    text = render_folder.console_table(SMALL)
    assert max(map(len, text.splitlines())) <= 100
    assert re.search(
        r"^nlgpp +0\.300 \+- 0\.020 \[0\.1685\]\* +2\.000 \+- 0\.100 \[2\.53\] <", text, flags=re.MULTILINE
    )
    text.encode("ascii")  # any terminal can show it


def test_a_console_table_without_a_width_cuts_no_name(tmp_path):
    long = "nlgpp " + "of a long name " * 6

    def rename(rows):
        rows["label"] = rows["label"].replace("nlgpp", long.strip())

    folder = changed(tmp_path, rename)
    assert long.strip() in render_folder.console_table(
        folder, None
    ) and long.strip() not in render_folder.console_table(folder)


# ---- escaping ---------------------------------------------------------------------------------------------------


def nasty_table(name):
    rows = [(name, None), (name, [TableCell(name, best=True), TableCell("1.5 ± 0.2", worse=True)])]
    return Table("t", name, ["method", name, "b"], rows, [(name, 2)], [name])


@pytest.mark.parametrize("name", NASTY)
def test_html_shows_names_as_text(name):
    class Reader(html.parser.HTMLParser):
        def __init__(self):
            super().__init__()
            self.tags, self.text = set(), []

        def handle_starttag(self, tag, attrs):
            self.tags.add(tag)

        def handle_data(self, data):
            self.text.append(data)

    reader = Reader()
    reader.feed(render(nasty_table(name), "html"))
    assert "script" not in reader.tags
    assert reader.text.count(name) == 7  # title, group, column, section, first column, cell, note


@pytest.mark.parametrize("name", NASTY)
def test_latex_escapes_what_would_act(name):
    text = render(nasty_table(name), "tex")
    body = text.replace("% needs", "", 1)
    for special in "%#_":
        assert not re.search(rf"(?<!\\){special}", body)
    plain = re.sub(r"\\[&$#_{}%]", "", body)
    assert plain.count("{") == plain.count("}")
    if "&" in name:
        assert r"x \& y \$z\$ \#1 \{q\} \textasciitilde{} \textasciicircum{} \textbackslash{}" in text


@pytest.mark.parametrize("name", NASTY)
def test_markdown_keeps_the_columns(name):
    lines = [l for l in render(nasty_table(name), "md").splitlines() if l.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {4}
    assert "<script" not in "".join(lines).replace("\\<", "")


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]) | st.sampled_from("\t\r\n"), max_size=30))
def test_no_csv_cell_starts_a_formula(name):
    text = render(Table("t", "t", ["m", "a"], [(name, [TableCell(name)])]), "csv")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    for cell in rows[1][1:]:
        assert cell in (
            " ".join(name.split()),
            "'" + " ".join(name.split()),
        )  # white space apart, only a quote is added
        assert not cell.startswith(("=", "+", "@", " "))
        assert not re.match(r"-[^\d.]", cell)


def test_negative_numbers_stay_numbers_in_csv():
    assert escape_csv("-2.15 ± 0.01") == "-2.15 ± 0.01"
    assert escape_csv("-cmd") == "'-cmd"


def test_every_format_is_written_for_every_table(tmp_path):
    folder = Path(shutil.copytree(SMALL, tmp_path / "copy"))
    files = render_folder.render_tables(folder, ["md", "tex"])
    items = [f"{kind}-sundararajan-table-{n}" for kind in ("published", "verdicts") for n in (2, 3)]
    names = ["table-2", "table-3", *items, "results"]
    assert [f.name for f in files] == [f"{n}.{e}" for n in names for e in ("md", "tex")]
    assert all(f.is_file() for f in files)
    before = [f.read_bytes() for f in files]
    assert [f.read_bytes() for f in render_folder.render_tables(folder, ["md", "tex"])] == before


def test_latex_has_a_label_and_true_minus_signs_before_numbers_only():
    table = Table("Table 2", "x", ["a", "b"], [("bank-32, sizes 2-3", [TableCell("-1.5 ± 0.2", best=True)])])
    text = render(table, "tex", "my_run")
    assert r"\label{tab:my-run-table-2}" in text
    assert r"\textbf{$-$1.5 $\pm$ 0.2}" in text and "bank-32, sizes 2-3" in text


# ---- who competes with whom, and what the caption says of it ----------------------------------------------------


def test_methods_without_a_size_are_tested_against_every_size(tmp_path):
    def sizes(rows):
        rows.loc[(rows["label"] == "nlml") & rows["trial"].isin(["0", "1", "2"]), "d_max"] = "100"
        rows.loc[rows["label"] == "nlpp", "d_max"] = ""

    found = {g.d_max: set(g.rows["label"]) for g in groups(load(changed(tmp_path, sizes))) if g.dataset == "boston"}
    assert set(found) == {100.0, 200.0}
    assert all({"nlml", "nlpp"} <= labels for labels in found.values())


@pytest.mark.parametrize(
    ("split", "said"),
    [
        (
            "{kind: random, n_train: 481, n_test: 25}",
            "too optimistic on boston, because trials split",
        ),
        ("{kind: folds, k: 10}", ""),
        ("{kind: published}", ""),
    ],
)
def test_overlap_is_remarked_only_where_rows_are_resplit(tmp_path, split, said):
    """Friedman's sets draw new rows for every trial, however they are split."""
    folder = changed(tmp_path, lambda rows: None)
    file = folder / "config.resolved.yaml"
    file.write_text(file.read_text() + f"split: {split}\n")
    note = next(n for n in by_name(folder)["results"].notes if n.startswith("Bold"))
    assert said in note
    assert ("split the same rows again" in note) is bool(said)

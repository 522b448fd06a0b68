"""What the first screen says to do next, and the words of its captions and notes."""

import pandas as pd
import pytest

from gpbench import catalog
from gpbench.analysis.results_table import load
from gpbench.analysis.table import Table, TableCell
from gpbench.data.standins import title_of
from gpbench.html.table import table
from gpbench.report.page.next_steps import next_steps
from gpbench.report.page.summary import summary
from gpbench.report.page.trial_data import TrialBook
from tests.helpers.made_folders import folder_of


def book_of(folder, change=lambda rows: None):
    rows = pd.read_csv(folder / "results.csv", dtype=str, keep_default_na=False)
    change(rows)
    rows.to_csv(folder / "results.csv", index=False)
    return TrialBook.of(load(folder))


def fail(label, status, reason):
    def change(rows):
        rows.loc[rows["label"] == label, ["status", "reason", "nmse"]] = [status, reason, ""]

    return change


def test_a_method_that_ran_out_of_time_gets_more_time(tmp_path):
    first = next_steps(book_of(folder_of(tmp_path / "f"), fail("SB", "timeout", "over the time limit of 3 s")), [])[0]
    assert first.text == "SB: 9 trials failed (over the time limit of 3 s). Run them again with more time:"
    assert first.command.endswith(" --rerun failed -m SB --timeout 30")


def test_a_method_that_ran_out_of_memory_gets_more_memory(tmp_path):
    first = next_steps(book_of(folder_of(tmp_path / "f"), fail("SB", "oom", "over the limit of 500 MB")), [])[0]
    assert "with more memory" in first.text and first.command.endswith(" --memory 5000")


def test_a_method_that_breaks_is_named_with_its_reason_and_its_log(tmp_path):
    first = next_steps(book_of(folder_of(tmp_path / "f"), fail("SB", "failed", "ValueError: x.")), [])[0]
    assert first.text.startswith("SB: 9 trials failed (ValueError: x). Read the log")
    assert first.command.endswith("--rerun failed -m SB")


def test_at_most_three_methods_that_failed_are_named(tmp_path):
    def change(rows):
        rows[["status", "reason", "nmse"]] = ["failed", "ValueError: x", ""]

    steps = next_steps(book_of(folder_of(tmp_path / "f", labels=tuple("abcde")), change), [])
    assert [s.text.split(":")[0] for s in steps[:3]] == list("abc")
    assert steps[3].text == "2 more methods failed, in 18 trials:"


def test_a_command_for_a_plug_in_asks_for_its_file(tmp_path, monkeypatch):
    monkeypatch.setattr(catalog, "plugin_paths", list)

    def change(rows):
        rows.loc[rows["label"] == "SB", "method"] = "mine"

    command = next_steps(book_of(folder_of(tmp_path / "f"), change), [])[0].command
    assert " --plugin FILE.py" in command and command.endswith("--set trials=6")


def test_the_answer_names_methods_without_a_result(tmp_path):
    folder = folder_of(tmp_path / "f", labels=("RAND", "SB", "INFO"), datasets=("kin40k-sim", "boston"))
    assert summary(book_of(folder)).key[0].startswith("Bold")

    def change(rows):
        fail("SB", "failed", "x")(rows)
        rows.loc[(rows["label"] == "INFO") & (rows["dataset"] == "boston"), "status"] = "failed"

    assert summary(book_of(folder, change)).key[0] == "No result: SB, INFO on boston."


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("friedman2", "Friedman 2"),
        ("kin40k", "KIN40K"),
        ("kin40k-sim", "Simulated KIN40K (kin40k-sim, stand-in for kin40k)"),
        ("uci-airfoil", "Sound pressure of aerofoils in a wind tunnel (uci-airfoil)"),
        ("houses.csv", "houses.csv"),
    ],
)
def test_a_caption_calls_a_data_set_by_its_title(name, title):
    assert title_of(name) == title


def test_more_than_four_notes_are_folded_and_a_mark_few_has_room():
    rows = [("a", [TableCell("1.0 ± 0.1", worse=True, few=True), TableCell("2")])]
    found = str(table(Table("t", "T", ["method", "NMSE", "n"], rows, notes=[f"note {k}" for k in range(6)])))
    assert "2 more notes" in found and found.index("note 3") < found.index("2 more notes") < found.index("note 4")
    assert found.count('class="marked"') == 2  # the head and the cell of its column

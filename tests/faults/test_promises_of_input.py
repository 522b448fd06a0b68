"""Wrong input: one sentence with its place, the right exit code, nothing run (docs/reference/results.md)."""

import os
import re

import pytest

from gpbench.analysis.table import escape_markdown, markdown_code
from gpbench.data.fetch import obtain
from gpbench.papers import check_report

BASE = "name: t\ndataset: {name: friedman3, n_train: 20, n_test: 20}\nmethods: [sod]\n"
CSV = "name: t\ndataset: {csv: my.csv, target: y}\nmethods: [sod]\n"
FOLDER, ABSENT = object(), object()  # in place of a text

CONFIGS = {  # class of fault -> the file, and what the one line says
    "bad indentation": (BASE + "split:\n kind: random\n   n_train: 3\n", r"c\.yaml:\d+:\d+: "),
    "a tab": (BASE + "split:\n\tkind: random\n", r"c\.yaml:\d+:\d+: .*tab"),
    "a duplicate key": (BASE + "seed: 1\nseed: 2\n", r"c\.yaml:5:1: .*'seed'"),
    "an unknown key": (BASE + "sede: 1\n", "unknown key 'sede'.*did you mean 'seed'"),
    "a wrong type": (BASE + "trials: many\n", "'trials': expected a whole number"),
    "no for a number": (BASE + "trials: no\n", "'trials': expected a whole number"),
    "an octal-looking number": (BASE + "trials: 010\n", "'010' is ambiguous"),
    "not a number": (BASE + "timeout: .nan\n", "is not a finite number"),
    "an empty file": ("", r"c\.yaml"),
    "not UTF-8": (b"name: \xff\xfe\n", "UTF-8"),
    "a missing file": (ABSENT, r"c\.yaml"),
    "a directory": (FOLDER, r"c\.yaml"),
    "a YAML tag": (BASE + "seed: !!python/object/apply:os.system [ls]\n", "tag"),
    "an alias bomb": ("a: &a [x, x]\nb: &b [*a, *a]\nname: *b\n", r"c\.yaml:\d+:\d+"),
    "nesting ten thousand deep": ("name: " + "[" * 10_000 + "]" * 10_000 + "\n", r"c\.yaml"),
    "a huge file": ("name: t\n#" + "x" * 20_000_000 + "\n", r"c\.yaml"),
    "a path escape in a name": (BASE.replace("name: t", "name: ../../etc", 1), "a name is made of"),
    "an unknown method": (BASE.replace("sod", "sdo"), "unknown method 'sdo'"),
    "a grid of millions": (BASE.replace("[sod]", "[nlml]") + f"d_max: {list(range(1, 2001))}\ncache: "
                           f"{list(range(2000))}\n", "this config has 4,000,000 trials"),
    "a key that nobody heeds": (BASE.replace("sod", "cholqr") + "hyperparameters: {schedule: joint, restarts: 3}\n",
                                "'restarts': cholqr takes no notice"),
}  # fmt: skip


@pytest.mark.parametrize("fault", CONFIGS)
def test_a_config_with_a_fault_is_exit_2_with_its_place_and_nothing_runs(fault, here, command):
    content, message = CONFIGS[fault]
    file = here / "c.yaml"
    if content is FOLDER:
        file.mkdir()
    elif content is not ABSENT:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    for words in (("validate", "c.yaml"), ("run", "c.yaml")):
        code, _, err = command(*words)
        assert code == 2, err
        assert re.search(message, err), err
    assert not (here / "results").exists()


DATA = {
    "a NaN": ("x,y\n1,2\nnan,3\n4,5\n", "row 2"),
    "text": ("x,y\n1,2\nred,3\n4,5\n", "column 'x'"),
    "an infinity": ("x,y\n1,2\ninf,3\n4,5\n", "column 'x'"),
    "rows of unequal width": ("x,y\n1,2\n1\n", "row 2 has 1 fields, the header 2"),
    "no such column": ("x,z\n1,2\n3,4\n", "'y'"),
    "a double column": ("x,x,y\n1,2,3\n4,5,6\n", "two columns are called 'x'"),
    "no rows": ("x,y\n", "at least one row"),
    "not UTF-8": (b"x,y\n1,\xff\n", "UTF-8"),
}


@pytest.mark.parametrize("fault", DATA)
def test_a_users_file_with_a_fault_is_refused_before_anything_runs(fault, here, command):
    content, message = DATA[fault]
    (here / "my.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    (here / "c.yaml").write_text(CSV)
    code, _, err = command("run", "c.yaml")
    assert code in (2, 3) and message in err, err
    assert not list(here.glob("results/*/trials/*"))


def test_a_hundred_thousand_columns_with_a_double_name_are_refused_in_linear_time(here, command):
    names = [f"c{i}" for i in range(100_000)]
    (here / "my.csv").write_text(",".join([*names, names[-1], "y"]) + "\n" + ",".join(["1"] * 100_002) + "\n")
    (here / "c.yaml").write_text(CSV)
    code, _, err = command("validate", "c.yaml")
    assert code in (2, 3) and "two columns are called 'c99999'" in err


def test_offline_and_missing_is_exit_3_with_the_command_that_fetches(here, command, monkeypatch):
    monkeypatch.setattr(obtain, "_from_folder", None)
    (here / "c.yaml").write_text("name: t\ndataset: boston\nmethods: [sod]\n")
    code, _, err = command("run", "c.yaml", "--offline")
    assert code == 3 and "gpbench data fetch boston" in err


OPTIONS = {
    "a timeout that is no number": (["--timeout", "nan"], "nan is no number of seconds"),
    "an endless timeout": (["--timeout", "inf"], "inf is no number of seconds"),
    "an empty folder name": (["-o", ""], "the name of the folder is empty"),
    "a plug-in that is no Python file": (["--plugin", "small.yaml"], "a plug-in is a Python file"),
    "a plug-in that is not there": (["--plugin", "absent.py"], "no such file"),
    "a plug-in that is broken": (["--plugin", "broken.py"], "broken.py: ZeroDivisionError: division by zero"),
    "a plug-in that has nothing": (
        ["--plugin", "empty.py"],
        "empty.py: defines no Method, Kernel, ",
    ),
    "a plug-in named like ours": (["--plugin", "sod.py"], "there is a method 'sod' already"),
    "a selection of nothing": (["--trials", "7-9"], "selects nothing"),
    "no jobs": (["-j", "0"], "-j"),
}


@pytest.mark.parametrize("fault", OPTIONS)
def test_an_option_with_a_fault_is_exit_2_and_nothing_runs(fault, here, command):
    words, message = OPTIONS[fault]
    (here / "broken.py").write_text("1 / 0\n")
    (here / "empty.py").touch()
    (here / "sod.py").write_text("from gpbench.extend import Method\nclass S(Method):\n    name = 'sod'\n")
    code, _, err = command("run", "small.yaml", *words)
    assert code == 2 and message in err, err
    assert not list(here.glob("**/trials/*"))


NOWHERE = {
    "data export": ["data", "export", "friedman3", "-o", ""],
    "data shards": ["data", "shards", "friedman3", "-n", 5, "-o", " "],
    "site": ["site", ".", "-o", ""],
    "check --junit": ["check", ".", "--junit", ""],
    "check --report": ["check", ".", "--report", ""],
    "advise": ["advise", "small.yaml", "--target", "y", "-o", ""],
    "fit": ["fit", "small.yaml", "--target", "y", "-o", ""],
    "predict": ["predict", "small.yaml", "small.yaml", "-o", ""],
}


@pytest.mark.parametrize("words", NOWHERE.values(), ids=list(NOWHERE))
def test_an_output_without_a_name_is_exit_2_and_not_the_working_folder(words, here, command):
    code, _, err = command(*words)
    assert code == 2 and "is empty" in err, err
    assert [p.name for p in here.iterdir()] == ["small.yaml"]


@pytest.mark.parametrize("seconds", ["nan", "inf"])
def test_a_time_for_verify_that_is_no_number_is_exit_2(seconds, here, command):
    code, _, err = command("verify", ".", "--seconds", seconds)
    assert code == 2 and f"{seconds} is no number of seconds" in err, err


def test_a_fault_in_one_of_several_configs_names_that_config(here, command):
    (here / "b.yaml").write_text(BASE.replace("name: t", "name: b").replace("n_train: 20", "n_train: 0"))
    code, _, err = command("validate", "small.yaml", "b.yaml")
    assert code == 2 and "b.yaml" in err and "small.yaml:" not in err
    os.makedirs("out/b")
    (here / "b.yaml").write_text(BASE.replace("name: t", "name: b"))
    (here / "out/b/.lock").symlink_to(here / "elsewhere")
    code, _, err = command("run", "small.yaml", "b.yaml", "-o", "out", "-q")
    assert code == 7 and "b.yaml: cannot write" in err, err


def test_escape_codes_in_names_of_files_and_columns_reach_neither_terminal_nor_record(here, command):
    name = "my\x1b[31m.csv"
    (here / name).write_text("x,y\n" + "".join(f"{i},{i * i % 7}\n" for i in range(30)))
    head = (here / "small.yaml").read_text().partition("dataset:")
    rest = head[2].partition("\n")[2]
    (here / "c.yaml").write_text(f'{head[0]}dataset: {{csv: "my\\e[31m.csv", target: y}}\n{rest}')
    code, out, err = command("run", "c.yaml")
    assert code == 0 and r"my\x1b[31m.csv" in out, err
    (here / name).write_text("x\x1b[2J,y\n1,2\n3,inf\n4,5\n")
    code, _, said = command("fit", name, "--target", "y", "-o", "model.npz")
    assert code == 3 and r"my\x1b[31m.csv" in said
    written = [p.read_text() for p in here.glob("results/**/*") if p.suffix in (".csv", ".html", ".md", ".svg")]
    assert not any("\x1b" in text for text in (out, err, said, *written))


NAMES = ["=cmd|'/c calc'!A1", "<script>alert(1)</script>", "a_b%$&#", "@SUM(1)", "+1+1"]


def test_names_that_a_format_would_obey_are_escaped_in_each(here, command):
    head = (here / "small.yaml").read_text().rpartition("methods:")[0]
    quoted = "\n".join(f'  - {{method: sod, d_max: {5 + i}, label: "{name}"}}' for i, name in enumerate(NAMES))
    (here / "c.yaml").write_text(f"{head}trials: 3\nmethods:\n{quoted}\n")
    code, _, err = command("run", "c.yaml", "-q")
    assert code == 0, err
    out = here / "results/small"
    for table in out.glob("**/*.csv"):
        for cell in table.read_text().replace("\n", ",").split(","):
            assert cell.strip('"')[:1] not in ("=", "@"), (table, cell)
            assert not cell.strip('"').startswith("+1+1"), (table, cell)
    assert "<script>alert" not in (out / "report.html").read_text()
    assert "a_b%" not in (out / "tables/results.tex").read_text()
    assert command("tables", out, "-q")[0] == 0  # and what was escaped is read back
    assert "=cmd|" in (out / "tables/results.md").read_text().replace("\\", "")


ODD_NAME = "a\nb\x1b[31m"  # of a column: a line end and a colour


def test_a_line_end_in_the_name_of_a_column_does_not_reach_the_terminal(here, command):
    numbers = "".join(f"{i % 7},{i % 5}.5,{i * i % 11}\n" for i in range(40))
    (here / "my.csv").write_text(f'"{ODD_NAME}",x,y\n{numbers}')
    (here / "gap.csv").write_text(f'"{ODD_NAME}",x,y\n{numbers}foo,1,2\n,1,2\n')
    (here / "gap.yaml").write_text("name: gap\ndataset: {csv: gap.csv, target: y}\nmethods: [sod]\n")
    fit = ["fit", "my.csv", "--method", "sod", "-o", "model.npz", "--target"]
    told = [command(*fit, "y"), command(*fit, ODD_NAME), command(*fit, "absent"), command("validate", "gap.yaml"),
            command("fit", "gap.csv", "--target", "y", "-o", "m.npz"), command("data", "audit", "gap.csv")]  # fmt: skip
    for _, out, err in told:
        assert "a\nb" not in out + err and "\x1b" not in out + err
    assert all(r"a\nb\x1b[31m" in out + err for _, out, err in told[:4])
    assert told[3][2].count("\n") == 2  # two faults, a line each


def test_a_folder_whose_name_is_markdown_or_html_is_plain_text_in_the_report_of_check(here, command):
    assert command("run", "small.yaml", "-q")[0] == 0
    name = "a`<img src=x onerror=alert(1)>|b"
    (here / "results/small").rename(here / name)
    (row,) = [line for line in check_report._folders([here / name]).splitlines() if "onerror" in line]
    assert row.startswith(r"| a\`\<img src=x onerror=alert(1)\>\|b | ")
    assert row.count("|") - row.count(r"\|") == 5  # four cells


def test_markdown_has_one_escape_for_text_and_one_for_code():
    assert markdown_code("results") == "`results`"
    assert markdown_code("a`b") == escape_markdown("a`b") == r"a\`b"
    assert escape_markdown("<b>\n|\x1b") == r"\<b\> \|\x1b"

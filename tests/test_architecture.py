"""Which way imports go (docs/project/architecture.md), and what must stay light."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gpbench
from gpbench.experiment.results.folder import ResultsFolder

ROOT = Path(gpbench.__file__).parent
TABLE = (ROOT.parent / "docs/project/architecture.md").read_text().split("## Folders")[1].split("## ")[0]
ANYWHERE = {"errors", "text", "versions", "recorder", "__version__"}
SPLIT = ("gp", "experiment")  # folders whose subfolders are parts of their own


def parts() -> dict[str, set[str]]:
    """Part -> parts of gpbench that it may import, by docs/project/architecture.md; "all" where it says so."""
    found = {}
    for names, imports in re.findall(r"^\| (`[^|]+`) \|[^|]*\| ([^|]+) \|$", TABLE, re.MULTILINE):
        for part in re.findall(r"`([\w/]+?)(?:/|\.py)`", names):
            found[part] = set(re.findall(r"[\w/]+", imports))
    return found


MAY_IMPORT = parts()


def part_of(names: tuple[str, ...]) -> str:
    """The part that a module belongs to: `gp/kernels`, `data`, `catalog`."""
    return "/".join(names[:2]) if names[0] in SPLIT and len(names) > 1 else names[0]


def files_of(part: str) -> list[Path]:
    return [ROOT / f"{part}.py"] if (ROOT / f"{part}.py").exists() else sorted((ROOT / part).rglob("*.py"))


def imports_of(file: Path) -> set[str]:
    """Parts of gpbench that a file imports, relative imports resolved."""
    package = ("gpbench", *file.relative_to(ROOT).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {tuple(a.name.split(".")) for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (*base, *(node.module.split(".") if node.module else ()))
            found |= {(*module, a.name) for a in node.names}
    return {part_of(names[1:]) for names in found if names[0] == "gpbench" and len(names) > 1}


def test_the_table_has_every_part_and_what_may_be_used_everywhere():
    folders = [f.parent.relative_to(ROOT) for f in [*ROOT.glob("*/*.py"), *ROOT.glob("*/*/*.py")]]
    expected = {part_of(f.parts) for f in folders if f.parts != () and f.as_posix() not in SPLIT}
    assert set(MAY_IMPORT) == {f.stem for f in ROOT.glob("[!_]*.py")} | expected | {"published"}
    said = re.search(r"^(`.*) may be used everywhere", TABLE, re.MULTILINE)[1]
    assert set(re.findall(r"\w+", said)) - {"and"} == ANYWHERE - {"__version__"}


@pytest.mark.parametrize("part", [part for part in MAY_IMPORT if "all" not in MAY_IMPORT[part]])
def test_imports_go_one_way(part):
    for file in files_of(part):
        beyond = imports_of(file) - ANYWHERE - {part} - MAY_IMPORT[part]
        assert not beyond, f"{file.relative_to(ROOT)} imports {sorted(beyond)}"


def test_a_part_may_import_only_parts_above_it_in_the_table():
    order = list(MAY_IMPORT)
    for part, imports in MAY_IMPORT.items():
        folders = {i for i in imports if (ROOT / i).is_dir()}
        assert all(order.index(i) < order.index(part) for i in folders), part


def test_selection_and_learning_do_not_know_each_other():
    for part, other in (("gp/selection", "gp/learning"), ("gp/learning", "gp/selection")):
        for file in (ROOT / part).rglob("*.py"):
            assert other not in imports_of(file), file


def test_nothing_below_the_experiment_prints_or_reads_yaml():
    for part in ("gp", "methods", "data"):
        for file in (ROOT / part).rglob("*.py"):
            tree = ast.parse(file.read_text())
            calls = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
            assert "print" not in calls, file
            assert "yaml" not in file.read_text().split("import")[0] and "import yaml" not in file.read_text(), file
            assert "np.random.seed" not in file.read_text(), file


def test_clocks_are_the_recorders_and_the_runners():
    for part in ("gp", "methods"):
        for file in (ROOT / part).rglob("*.py"):
            tree = ast.walk(ast.parse(file.read_text()))
            named = {a.name for node in tree if isinstance(node, (ast.Import, ast.ImportFrom)) for a in node.names}
            assert not {"time", "perf_counter", "process_time"} & named, file
            assert not re.search(r"recorder\.clock|Stopwatch\(|Meter\(", file.read_text()), file


def calls_in(file: Path) -> set[str]:
    """Names of functions and methods that a file calls; `open` only where it is opened to write."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = [a.value for a in [*node.args, *(k.value for k in node.keywords)] if isinstance(a, ast.Constant)]
            to_write = any(re.fullmatch(r"[rbt]*[wax+][rbt+]*", str(mode)) for mode in given)
            found |= {name} if name != "open" or to_write else set()
    return found


def test_only_the_results_folder_writes_data_and_reports_write_drawings_at_one_place():
    by_the_folder = {
        n for n in vars(ResultsFolder) if re.match(r"(write|save|adopt|quarantine|repair|prepare|create)", n)
    }
    assert {"save", "write_csv", "write_archive", "write_external", "write_condensed", "quarantine"} <= by_the_folder
    plain = {"open", "write_text", "write_bytes", "mkdir", "unlink", "rmtree", "touch", "copyfile", "copytree"}
    for file in [f for part in ("analysis", "papers", "report") for f in sorted((ROOT / part).rglob("*.py"))]:
        drawing = set() if file == ROOT / "analysis/drawing/files.py" else {"write_atomic", "make_folder", "replacing"}
        beyond = calls_in(file) & (by_the_folder - {"save"} | plain | drawing | {"write_checked", "write_summed"})
        assert not beyond, f"{file.relative_to(ROOT)} calls {sorted(beyond)}"
    for file in ROOT.rglob("*.py"):  # one folder makes the checksums that make a file of a results folder trusted
        if ROOT / "experiment/results" not in file.parents:
            assert not calls_in(file) & {"write_checked", "write_summed"}, file


def test_help_answers_without_heavy_imports():
    code = "import sys, gpbench.cli; print(sorted({'numpy', 'scipy', 'pandas', 'pydantic', 'yaml'} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"


def test_help_is_quick():
    """In processor time, which unlike time on the clock does not depend on what else the machine is doing."""

    def once():
        before = os.times()
        subprocess.run([sys.executable, "-m", "gpbench", "--help"], capture_output=True, check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    assert min(once() for _ in range(5)) < 0.3


def test_no_annotation_is_a_bare_class_var_which_python_3_10_cannot_read_in_a_model():
    for file in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            bare = isinstance(node, ast.AnnAssign) and isinstance(node.annotation, ast.Name)
            assert not (bare and node.annotation.id == "ClassVar"), f"{file.name}:{node.lineno}"

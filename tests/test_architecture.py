"""Which way imports go (docs/architecture.md), and what must stay light."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gpbench

ROOT = Path(gpbench.__file__).parent
ANYWHERE = {"errors", "text", "versions", "deadline", "recorder", "__version__"}
MAY_IMPORT = {  # part -> parts of gpbench it may use besides
    "linalg": set(),
    "kernels": {"linalg", "catalog"},  # build.py looks kernels up by name
    "objectives": {"linalg"},
    "data": {"catalog"},
    "metrics": set(),
    "inference": {"linalg", "kernels", "objectives"},
    "learning": {"linalg", "kernels", "objectives", "inference"},
    "selection": {"linalg", "kernels", "inference"},
    "adapters": set(),  # serve.py and the adapters run under another Python
    "methods": {"adapters", "linalg", "kernels", "objectives", "inference", "learning", "selection"},
    "catalog": {"methods", "kernels", "data", "plugin_files"},
    "planning": {"catalog", "data", "kernels", "methods", "metrics"},
    "keeping": {"planning", "metrics", "catalog"},
    "estimators": {"catalog", "data", "kernels", "learning", "methods", "planning", "running", "threads"},
    "advising": {"data", "keeping", "metrics", "planning", "running"},
    "report": {"metrics", "published", "data", "planning", "keeping"},
}


def imports_of(file: Path) -> set[str]:
    """First-level parts of gpbench that a file imports, relative imports resolved."""
    package = ("gpbench", *file.relative_to(ROOT).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{module}.{a.name}" for a in node.names} if module == "gpbench" else {module}
    return {name.split(".")[1] for name in found if name.startswith("gpbench.")}


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_imports_go_one_way(part):
    files = [ROOT / f"{part}.py"] if (ROOT / f"{part}.py").exists() else sorted((ROOT / part).rglob("*.py"))
    assert files
    for file in files:
        beyond = (
            imports_of(file)
            - MAY_IMPORT[part]
            - {part, "errors", "text", "versions", "deadline", "recorder", "__version__"}
        )
        assert not beyond, f"{file.relative_to(ROOT)} imports {sorted(beyond)}"


def test_selection_and_learning_do_not_know_each_other():
    for part, other in (("selection", "learning"), ("learning", "selection")):
        for file in (ROOT / part).rglob("*.py"):
            assert other not in imports_of(file), file


def test_nothing_below_the_experiment_prints_or_reads_yaml():
    for part in ("linalg", "kernels", "objectives", "inference", "learning", "selection", "methods", "data"):
        for file in (ROOT / part).rglob("*.py"):
            tree = ast.parse(file.read_text())
            calls = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
            assert "print" not in calls, file
            assert "yaml" not in file.read_text().split("import")[0] and "import yaml" not in file.read_text(), file
            assert "np.random.seed" not in file.read_text(), file


def test_clocks_are_the_recorders_and_the_runners():
    for part in ("linalg", "kernels", "objectives", "inference", "learning", "selection", "methods"):
        for file in (ROOT / part).rglob("*.py"):
            tree = ast.walk(ast.parse(file.read_text()))
            named = {a.name for node in tree if isinstance(node, (ast.Import, ast.ImportFrom)) for a in node.names}
            assert not {"time", "perf_counter", "process_time"} & named, file


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

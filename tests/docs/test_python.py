"""The examples of docs/reference/python.md run as they stand; CITATION.cff and linked pages are whole."""

import re

import pytest
import yaml

import gpbench

EXAMPLE = re.compile(r"(?:^## ([^\n]+)\n(?:(?!^##).)*?)?```python\n(.*?)```", re.S | re.M)
HEADINGS = [
    "Predictions", "Weights and measurement errors", "How good is it?", "Kernels of some columns",
    "How many basis vectors?",
    "A pipeline with text columns", "Molecules", "Classification with compact support",
    "A kernel given as a function", "Keeping a model", "The runner's numbers",
]  # fmt: skip


def _blocks(repo):
    """(heading, code) of every example; the first one makes the rows that the others use."""
    text = (repo / "docs/reference/python.md").read_text(encoding="utf-8")
    return [(m[1] or "start", m[2]) for m in EXAMPLE.finditer(text)]


@pytest.fixture(scope="module")
def rows(repo):
    names: dict = {}
    exec(_blocks(repo)[0][1], names)
    return names


def test_every_example_is_run(repo):
    assert [heading for heading, _ in _blocks(repo)] == ["start", *HEADINGS]


@pytest.mark.parametrize("heading", HEADINGS)
def test_the_example_holds(repo, rows, heading, tmp_path, monkeypatch):
    if "sklearn" in (code := dict(_blocks(repo))[heading]):
        pytest.importorskip("sklearn")
    if heading == "Molecules":
        pytest.importorskip("rdkit")
    if "configs/" in code:
        (tmp_path / "configs").symlink_to(repo / "configs")
    monkeypatch.chdir(tmp_path)
    exec(code, {**rows, "gpbench": gpbench})


def test_the_citation_file_is_whole(repo):
    cited = yaml.safe_load((repo / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == gpbench.__version__ and cited["license"] == "BSD-3-Clause"
    assert {"cff-version", "title", "message", "authors"} <= cited.keys() and len(cited["references"]) == 5


def test_links_between_the_pages_lead_somewhere(repo):
    for page in (repo / "README.md", repo / "CHANGELOG.md", repo / "CONTRIBUTING.md", *(repo / "docs").rglob("*.md")):
        for target in re.findall(r"\]\((?!http)([\w./-]+\.md)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), f"{page.name} -> {target}"

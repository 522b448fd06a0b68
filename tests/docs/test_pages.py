"""What the documentation has as a whole: its parts, and how each page begins."""

import re

import pytest

from tests.helpers.paths import REPO

DOCS = REPO / "docs"
BEGINNINGS = (
    "After this",
    "After a tutorial",
    "Use this page",
    "Use these pages",
    "From this page",
    "Each recipe",
    "These pages",
)
GENERATED = {"reproduction.md", "changelog.md", "contributing.md"}  # written by a command, or included from the root
PAGES = sorted(p for p in DOCS.rglob("*.md") if not {"generated", "gallery", "examples"} & set(p.parts))


def entries(part: str) -> list[str]:
    """The pages that the index of a part lists."""
    listed = re.search(r"```\{toctree\}\n(.*?)```", (DOCS / part / "index.md").read_text(encoding="utf-8"), re.S)
    return [line for line in listed[1].splitlines() if line and not line.startswith(":")]


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in GENERATED], ids=lambda p: p.name)
def test_a_page_begins_with_what_the_reader_can_do_after_it(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    first = next(line for line in lines if line.strip() and not line.startswith("#"))
    assert first.startswith(BEGINNINGS), f"{page.relative_to(REPO)}: {first[:60]}"


def test_every_page_of_a_part_is_listed_by_its_index():
    for part in ("start", "tutorials", "how-to", "explanations", "results", "reference", "project"):
        there = {p.stem for p in (DOCS / part).glob("*.md")} - {"index"}
        assert there <= {entry.rpartition("/")[2] for entry in entries(part)}, part


def test_the_site_has_its_tutorials_recipes_examples_and_questions():
    questions = re.findall(r"^## .*\?$", (DOCS / "project" / "faq.md").read_text(encoding="utf-8"), re.M)
    assert len(entries("tutorials")) == 5 and len(entries("how-to")) >= 10 and len(questions) >= 15
    assert len(list((DOCS / "examples").glob("plot_*.py"))) >= 10


def test_readme_is_short_and_its_picture_is_there():
    text = (REPO / "README.md").read_text(encoding="utf-8")
    pictures = re.findall(r"!\[.+\]\((.+?)\)", text)
    assert len(text.splitlines()) <= 120 and len(pictures) == 1 and (REPO / pictures[0]).is_file()

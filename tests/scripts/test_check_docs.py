"""What scripts/check_docs.py finds in built pages."""

import pytest

from scripts.check_docs import faults

WHOLE = '<h1>Title</h1><a href="b.html#place">b</a><img src="x.svg">'


def found(folder, page):
    (folder / "x.svg").write_text("<svg/>")
    (folder / "a.html").write_text(page)
    (folder / "b.html").write_text('<h1 id="place">B</h1>')
    return faults(folder)


def test_whole_pages_have_no_fault(tmp_path):
    assert found(tmp_path, WHOLE) == []


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<p># Gallery</p>", "a.html: has no heading of the first level"),
        (WHOLE.replace("b.html#place", "c.html"), "a.html: c.html leads to no file"),
        (WHOLE.replace("#place", "#elsewhere"), "a.html: b.html#elsewhere leads to no place of that page"),
        (WHOLE.replace("x.svg", "https://cdn.example/x.svg"), "a.html: loads https://cdn.example/x.svg from a network"),
        (WHOLE.replace("b.html#place", "../secret.html"), "a.html: ../secret.html leads out of the documentation"),
    ],
)
def test_a_fault_is_told_with_its_page(tmp_path, page, fault):
    assert found(tmp_path, page) == [fault]

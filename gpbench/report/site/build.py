"""From folders to a site: one check over all of them, a page for each paper and folder, the index."""

from __future__ import annotations

from pathlib import Path

from gpbench.analysis.drawing.files import place, place_below
from gpbench.analysis.results_table import load
from gpbench.errors import ConfigError
from gpbench.papers.check import check

from .folder_pages import place_folder
from .paper_pages import index, paper_page
from .readme_state import state, with_state
from .scoreboard import Score, boards


def build(dirs: list[Path], out: Path, readme: Path | None = None) -> list[Path]:
    """Write the site; with `readme` also the state between its markers."""
    results = [load(d) for d in dirs]
    names = [r.path.resolve().name for r in results]
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise ConfigError(f"two folders are called {twice[0]}; the site has one place for each name")
    found = check(results)
    text = state(found.to_json())
    if readme is not None:  # a README without markers is said before anything is written
        told = with_state(readme.read_text(encoding="utf-8"), text, str(readme))
    papers = boards(found, results)
    place_below(out, {})  # a link is refused before anything is written
    links = {r.path: place_folder(r, out) for r in results}
    whole = Score.of(
        *([x for b in papers for x in found.to_json()[k] if x["paper"] == b.paper] for k in ("cells", "claims"))
    )
    pages = {"index.html": index(papers, whole, list(links.values()), (out / "docs" / "index.html").is_file())}
    for board in papers:
        pages[f"{board.paper}.html"] = paper_page(board, [links[r.path] for r in board.folders])
    files = place_below(out, pages)
    if readme is not None:
        place(readme.parent, {readme.name: told})
    return files

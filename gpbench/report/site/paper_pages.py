"""The pages of the site: the index with papers and folders, and one page for each paper."""

from __future__ import annotations

from gpbench.analysis.table import Table, TableCell
from gpbench.html import render
from gpbench.html.bars import counted
from gpbench.papers import printed_numbers

from ..page import check_section
from ..page.html_table import sheet
from .folder_pages import FolderLinks
from .scoreboard import PaperBoard, Score

SITE_IMAGES = "data: 'self' file:"  # the pictures of the cards are files of the site


def index(boards: list[PaperBoard], whole: Score, folders: list[FolderLinks], has_docs: bool = False) -> str:
    groups: dict[str, list[FolderLinks]] = {}
    for f in sorted(folders, key=lambda f: f.group, reverse=True):
        groups.setdefault(f.group, []).append(f)
    cards = [
        {
            "paper": b.paper, "title": b.title, "words": f"{b.paper} {b.title}".lower(),
            "results": counted(b.score.cells, "printed results"), "claims": counted(b.score.claims, "claims"),
        }
        for b in boards
    ]  # fmt: skip
    pictured = [f for f in folders if f.picture]
    example = next((f for f in pictured if f.picture.startswith("figure-")), pictured[0] if pictured else None)
    return render.page(
        "index.html", "How far five papers reproduce", images=SITE_IMAGES, boards=cards, groups=groups,
        headline=whole.sentence(), picture=example, has_docs=has_docs,
        links={"Documentation": "docs/index.html"} if has_docs else {},
    )  # fmt: skip


def paper_page(board: PaperBoard, folders: list[FolderLinks]) -> str:
    score = board.score
    place = {c.id: c for c in printed_numbers.cells(board.paper)}
    seen = check_section.in_order([check_section.Seen(place[c.id], c, (), "") for c in board.cells])
    addresses = {c: (name, f"{name}/report.html") for c, name in board.source.items()}
    return render.page(
        "paper.html", board.title, lead=f"{score.sentence()}.", folders=folders,
        counts=counted(score.cells, "printed results") + counted(score.claims, "claims"),
        cells=sheet(check_section.cells_table(seen, addresses)) if seen else "",
        orders=sheet(orders_table(board), downloads=False) if board.orders else "",
        claims=sheet(check_section.claims_table("claims-table", "What the paper says", board.claims)),
        folders_table=sheet(folders_table(folders), downloads=False),
    )  # fmt: skip


def orders_table(board: PaperBoard) -> Table:
    rows = [
        (
            o.item,
            [
                TableCell(o.dataset),
                TableCell(o.variant),
                TableCell(o.quantity),
                TableCell(f"{o.methods}"),
                TableCell(f"{o.tau:.2f}"),
                TableCell(f"{o.p:.2g}"),
            ],
        )
        for o in board.orders
    ]
    notes = [
        "Kendall's tau between the printed and our order of the methods; p: share of all orders that agree as well."
    ]
    columns = ["printed in", "data set", "variant", "quantity", "methods", "tau", "p"]
    if not any(o.variant for o in board.orders):
        columns.remove("variant")
        rows = [(first, [cells[0], *cells[2:]]) for first, cells in rows]
    return Table("orders", "Does the order of the methods come out?", columns, rows, notes=notes)


def folders_table(folders: list[FolderLinks]) -> Table:
    rows = [
        (
            f.name,
            [
                TableCell(", ".join(f.papers)),
                TableCell("; ".join(f.items)),
                TableCell(f"{f.done} of {f.planned}"),
                TableCell(f"{f.failed}"),
                TableCell("report", link=f"{f.name}/report.html"),
                TableCell("config", link=f"{f.name}/config.yaml"),
                TableCell(f"{len(f.figures)}", link="#figures" if f.figures else ""),
            ],
        )
        for f in folders
    ]
    columns = ["folder", "paper", "stands for", "trials", "failed", "report", "config", "figures"]
    return Table("folders-table", "Results folders", columns, rows)

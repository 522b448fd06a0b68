"""The pages of the site: the index with five papers, and one page for each paper."""

from __future__ import annotations

import html

from gpbench.analysis.table import Table, TableCell
from gpbench.html.bars import counted
from gpbench.html.document import document, header, section
from gpbench.papers import printed_numbers

from ..page import check_section
from ..page.html_table import sheet
from .folder_pages import FolderLinks
from .scoreboard import PaperBoard, Score

FILTERS = '<form class="filters" hidden aria-label="Filters"></form>\n'


def index(boards: list[PaperBoard], whole: Score, folders: list[FolderLinks]) -> str:
    cards = "".join(map(_card, boards))
    table = sheet(folders_table(folders), downloads=False)
    body = (
        header(
            "How far five papers reproduce",
            "Printed numbers and claims of five papers on sparse Gaussian processes beside ours.",
            {},
        )
        + f'<main>\n<section aria-label="Answer"><p class="headline">{html.escape(whole.sentence())}.</p>'
        + f'<div class="papers">{cards}</div></section>\n{section("Folders", FILTERS + table)}</main>\n'
    )
    return document("Scoreboard", body)


def _card(board: PaperBoard) -> str:
    score, page = board.score, f"{board.paper}.html"
    links = [f'<a href="{page}#cells">printed beside ours</a>'] if board.cells else []
    links += [f'<a href="{page}#claims">claims</a>', f'<a href="{page}#folders">reports, configs, figures</a>']
    cells = {v: n for v, n in score.cells.items() if n}
    claims = {v: n for v, n in score.claims.items() if n}
    none = "" if board.cells else '<p class="note">Prints no numbers that can be compared, only figures.</p>'
    return (
        f'<article class="paper"><h2><a href="{page}">{html.escape(board.title)}</a></h2>'
        f"{counted(cells, 'printed results')}{none}{counted(claims, 'claims')}<p>{' · '.join(links)}</p></article>\n"
    )


def paper_page(board: PaperBoard, folders: list[FolderLinks]) -> str:
    score = board.score
    place = {c.id: c for c in printed_numbers.cells(board.paper)}
    seen = [check_section.Seen(place[c.id], c, (), "") for c in board.cells]
    addresses = {c: (name, f"{name}/report.html") for c, name in board.source.items()}
    parts = {
        "Printed beside ours": sheet(check_section.cells_table(check_section.in_order(seen), addresses))
        if seen
        else "",
        "Order of methods": sheet(orders_table(board), downloads=False) if board.orders else "",
        "Claims": sheet(check_section.claims_table("claims-table", "What the paper says", board.claims)),
        "Folders": sheet(folders_table(folders), downloads=False) + figures_list(folders),
    }
    parts = {name: body for name, body in parts.items() if body}
    links = {"Scoreboard": "index.html"} | {name: f"#{name.lower().replace(' ', '-')}" for name in parts}
    counts = counted({v: n for v, n in score.cells.items() if n}, "printed results")
    counts += counted({v: n for v, n in score.claims.items() if n}, "claims")
    body = (
        header(board.title, f"{score.sentence()}.", links)
        + f'<main>\n<section aria-label="Answer">{counts}</section>\n{FILTERS}'
        + "".join(section(name, part) for name, part in parts.items())
        + "</main>\n"
    )
    return document(board.title, body)


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
                TableCell(f"{len(f.figures)}", link=f"{f.papers[0]}.html#figures" if f.papers and f.figures else ""),
            ],
        )
        for f in folders
    ]
    columns = ["folder", "paper", "stands for", "trials", "failed", "report", "config", "figures"]
    return Table("folders-table", "Results folders", columns, rows)


def figures_list(folders: list[FolderLinks]) -> str:
    items = "".join(
        f"<li><bdi>{html.escape(f.name)}</bdi>: "
        + ", ".join(
            f'<a href="{_text(f.name)}/plots/{_text(file)}">{_text(file.removesuffix(".svg"))}</a>'
            for file in f.figures
        )
        + "</li>"
        for f in folders
        if f.figures
    )
    return f'<div id="figures"><h3>Figures</h3><ul class="figures">{items}</ul></div>' if items else ""


def _text(value: str) -> str:
    return html.escape(value, quote=True)

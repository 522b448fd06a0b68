"""The frame of every page: one document that needs nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import html
from importlib import resources

from .svg_chart import markers


def document(title: str, body: str, data: str = "") -> str:
    """`body` is HTML; `data` is JSON without `<`. The policy lets no request out and runs no script but ours."""
    style, script = _text("page.css"), _text("page.js")
    policy = f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)} – gpbench</title>\n<style>{style}</style>\n</head>\n<body>\n{markers()}{body}"
        f'<script type="application/json" id="data">{data or "null"}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _text(name: str) -> str:
    return resources.files("gpbench.html").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def header(title: str, lead: str, links: dict[str, str]) -> str:
    """`links`: text -> address of the parts of the page (or of pages beside it)."""
    items = "".join(f'<a href="{html.escape(to, quote=True)}">{html.escape(name)}</a>' for name, to in links.items())
    lead = f'<p class="lead"><bdi>{html.escape(lead)}</bdi></p>' if lead else ""
    return (
        f'<header><h1><bdi>{html.escape(title)}</bdi></h1>{lead}</header>\n<nav aria-label="Sections">{items}</nav>\n'
    )


def section(name: str, body: str) -> str:
    key = anchor(name)
    head = f'<h2 id="{key}-title">{html.escape(name)}</h2>'
    return f'<section id="{key}" aria-labelledby="{key}-title">{head}\n{body}</section>\n'


def anchor(name: str) -> str:
    return name.lower().replace(" ", "-")

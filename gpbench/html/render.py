"""Pages and parts of pages from templates/; Jinja2 escapes every value that is not a part itself.

page("report.html", title="kin40k", parts=...)   a whole document: the template extends layout.html
part("chart", drawing)                           one macro of parts.html, as text that is not escaped again
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from .terms import TERMS, explained


def page(template: str, title: str, data: str = "null", images: str = "data:", **values) -> str:
    """One document that needs nothing from elsewhere. `data`: JSON without `<`, read by the page's script.

    The policy lets no request out and runs no script but ours; `images` says where pictures may come from.
    """
    style, script = _text("page.css"), _text("page.js")
    policy = f"default-src 'none'; img-src {images}; style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    frame = {"policy": Markup(policy), "style": Markup(style), "script": Markup(script), "data": Markup(data)}
    return _environment().get_template(template).render(title=title, terms=TERMS, **frame, **values)


def part(macro: str, *values, **named) -> Markup:
    return getattr(_environment().get_template("parts.html").module, macro)(*values, **named)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("gpbench.html"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {"anchor": anchor, "base64": _base64, "explained": explained}
    return made


def anchor(name: str) -> str:
    """The id of a section, and the class of a verdict."""
    return name.lower().replace(" ", "-")


def _text(name: str) -> str:
    return resources.files("gpbench.html").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _base64(content: str | bytes) -> str:
    if isinstance(content, str):
        content = content.encode("utf-8", "backslashreplace")
    return base64.b64encode(content).decode()

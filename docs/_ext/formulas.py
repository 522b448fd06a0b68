"""Formulas as MathML, which browsers draw by themselves: nothing is loaded when a page is read."""

from __future__ import annotations

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.errors import ExtensionError


def _mathml(text: str, block: bool) -> str:
    try:
        return tex2mathml(text, as_block=block)
    except Exception as e:
        raise ExtensionError(f"formula cannot be drawn: {text!r}: {e}") from e


def _inline(self, node) -> None:
    self.body.append(_mathml(node.astext(), block=False))
    raise nodes.SkipNode


def _display(self, node) -> None:
    self.body.append(f'<div class="formula" tabindex="0">{_mathml(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app) -> dict:
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}

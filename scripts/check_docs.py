"""Check the built documentation: links lead to a place, pages have a heading, nothing comes from a network.

python -m scripts.check_docs site/docs
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("img", "srcset")}
OUTSIDE = {"index.html"}  # pages of the scoreboard, one folder up: `make site` writes them
NO_HEADING = {"search.html", "genindex.html"}  # their headings come from a script or from the theme
NO_LOAD = {"canonical", "search", "next", "prev", "author", "index", "alternate"}


class Page(HTMLParser):
    """Links, ids and loaded files of one page."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: set[str] = set()
        self.headings = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids |= {v for k, v in attrs if k in ("id", "name") and v}
        self.headings += tag == "h1"
        if tag == "link" and set((found.get("rel") or "").split()) & NO_LOAD:
            return
        for key, value in attrs:
            if value and (tag, key) in LOADED:
                self.loaded += (
                    [part.split()[0] for part in value.split(",") if part.split()] if key == "srcset" else [value]
                )
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])


def faults(folder: Path) -> list[str]:
    """One sentence for each broken link and each file that would come from a network."""
    root = folder.resolve()
    pages = {p: Page(p.read_text(encoding="utf-8")) for p in sorted(root.rglob("*.html")) if "_static" not in p.parts}
    found = []
    for file, page in pages.items():
        name = file.relative_to(root)
        if not page.headings and name.name not in NO_HEADING:
            found.append(f"{name}: has no heading of the first level")
        found += [f"{name}: loads {url} from a network" for url in page.loaded if urlsplit(url).netloc]
        for url in (*page.links, *(u for u in page.loaded if not urlsplit(u).netloc)):
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.is_relative_to(root):
                if target.parent != root.parent or target.name not in OUTSIDE:
                    found.append(f"{name}: {url} leads out of the documentation")
            elif not target.is_file():
                found.append(f"{name}: {url} leads to no file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                found.append(f"{name}: {url} leads to no place of that page")
    return found


def main() -> int:
    folder = Path(sys.argv[1])
    found = faults(folder)
    print("\n".join(found) or f"{folder}: every link leads somewhere, nothing comes from a network")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

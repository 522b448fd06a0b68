"""A real Chromium for tests of the pages: one per test process, or the reason why there is none."""

from __future__ import annotations

import os
import shutil

import pytest

FLAGS = [  # as root, without sandbox; nothing of its own goes to the network
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def executable() -> str | None:
    return os.environ.get("GPBENCH_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install -e '.[browser]'")
    if not executable():
        pytest.skip("no Chromium: apt-get install chromium, or name one in GPBENCH_CHROMIUM")
    with playwright.sync_playwright() as p:
        found = p.chromium.launch(executable_path=executable(), args=FLAGS)
        yield found
        found.close()


class Visit:
    """A page that was opened, with everything it asked for and complained about."""

    def __init__(self, browser, file, after: str = "", **context):
        options = {"viewport": {"width": 1280, "height": 800}} | context
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(10_000)
        self.page = self.context.new_page()
        self.asked, self.complaints = [], []
        self.page.on("request", lambda r: self.asked.append(r.url))
        self.page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.page.on("dialog", lambda d: (self.complaints.append(f"dialog {d.message}"), d.dismiss()))
        self.page.goto(file.resolve().as_uri() + after)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    @property
    def left(self) -> list[str]:
        """Requests for anything but files of this disk and what the page itself holds."""
        return [url for url in self.asked if not url.startswith(("file:", "data:", "blob:"))]

    def violations(self, rules: list[str] | None = None) -> list[str]:
        """What axe finds against the page, by all of its rules or by these."""
        from axe_playwright_python.sync_playwright import Axe

        options = {"runOnly": rules} if rules else {}
        found = Axe().run(self.page, options=options).response["violations"]
        return [f"{v['id']}: {v['nodes'][0]['html'][:120]} {v['nodes'][0]['failureSummary'][:200]}" for v in found]

    @property
    def sideways(self) -> int:
        """Pixels that the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

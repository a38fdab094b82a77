"""Debian's Chromium, or another one that is here, driven through Playwright, which downloads no browser."""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from tests.client.fetch import ClientUnavailableError, cached

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

AXE = "4.14.1"  # fixed: a new axe-core may find what an old one did not
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


def chromium() -> str:
    """Return the path of a Chromium, "" if there is none."""
    return next(filter(None, map(shutil.which, _NAMES)), _MAC if os.path.exists(_MAC) else "")


@contextlib.contextmanager
def running() -> Iterator[Browser]:
    """Give a headless browser."""
    with sync_playwright() as known:
        browser = known.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Give a headless browser; fail where none is installed.

    While it runs there is an event loop in this thread, so that no test of another module can have one of its own.
    """
    if not chromium():
        pytest.fail("there is no Chromium: apt install chromium. Then type: make check", pytrace=False)
    with running() as found:
        yield found


@pytest.fixture(scope="session")
def axe() -> str:
    """Give the source of axe-core, which finds what keeps people from using a page."""
    try:
        return (cached("axe-core", AXE) / "axe.min.js").read_text()
    except ClientUnavailableError as error:
        pytest.fail(f"axe-core {AXE} cannot be downloaded: {error}", pytrace=False)


class Opened:
    """A page without network, with what its console said and the addresses that it asked for after its own."""

    def __init__(self, context: BrowserContext, path: Path) -> None:
        context.set_offline(True)
        self.page: Page = context.new_page()
        self.stated: list[str] = []
        self.requested: list[str] = []
        self.page.on("console", lambda message: self.stated.append(message.text))
        self.page.on("pageerror", lambda error: self.stated.append(str(error)))
        self.page.on("request", lambda request: self.requested.append(request.url))
        self.page.goto(path.as_uri())
        assert self.requested.pop(0) == path.as_uri()


@contextlib.contextmanager
def opened(browser: Browser, path: Path, scheme: str = "light", *, lenient: bool = False) -> Iterator[Opened]:
    """Give a page that was opened from disk; a `lenient` browser runs scripts of the test in it, too."""
    width = {"width": 1200, "height": 900}
    context = browser.new_context(
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=lenient,
        viewport=width,  # type: ignore[arg-type] # a typed dictionary of two numbers
    )
    try:
        yield Opened(context, path)
    finally:
        context.close()

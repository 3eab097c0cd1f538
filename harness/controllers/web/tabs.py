"""The open pages of a context: which one is active, and what happened to them since the last look."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Dialog, Download, Page
from playwright.async_api import Error as PlaywrightError

from harness.controllers.deadline import Deadline, DeadlineReached
from harness.values.mark import quote_page_text
from harness.values.observation import Dialog as DialogReport
from harness.values.observation import Tab


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the active page is: compared between the calls of a step.

    Attributes:
        tab: Number of the active page.
        document: How many documents it has loaded.
        route: Scheme, host and path of its address.
        dialogs: Dialogs that have opened in any page.
    """

    tab: int
    document: int
    route: str
    dialogs: int


class Tabs:
    """Tracks pages from the moment it is made. Every dialog is answered at once, so none holds the page."""

    def __init__(self, context: BrowserContext, active: Page) -> None:
        self._context = context
        self._ids: dict[Page, int] = {}
        self._documents: dict[Page, int] = {}
        self._dialogs: list[DialogReport] = []
        self._dialog_count = 0
        self._notices: list[str] = []
        self._crashed: set[Page] = set()
        self.active = active
        self._track(active)
        for page in context.pages:
            self._track(page)
        context.on("page", self._track)

    def detach(self) -> None:
        """Stop listening; the pages stay."""
        self._context.remove_listener("page", self._track)
        for page in self._ids:
            page.remove_listener("dialog", self._answer)
            page.remove_listener("download", self._refuse)
            page.remove_listener("domcontentloaded", self._count)
            page.remove_listener("crash", self._mark_crashed)

    @property
    def is_active_lost(self) -> bool:
        """Whether the active page was closed or has crashed."""
        return self.active.is_closed() or self.active in self._crashed

    def activate_another(self) -> bool:
        """Make the newest page that lives the active one; return False when there is none."""
        why = "crashed" if self.active in self._crashed else "was closed"
        old = self._ids[self.active]
        for page in reversed(self._context.pages):
            if page in self._crashed or page.is_closed():
                continue
            self._track(page)
            self.active = page
            self._notices.append(f"tab {old} {why}; tab {self._ids[page]} is active now")
            return True
        return False

    def place(self) -> Place:
        """Return where the active page is now."""
        address = urlsplit(self.active.url)
        return Place(
            tab=self._ids[self.active],
            document=self._documents[self.active],
            route=f"{address.scheme}://{address.netloc}{address.path}",
            dialogs=self._dialog_count,
        )

    def take_dialogs(self) -> tuple[DialogReport, ...]:
        """Return the dialogs since the last call, oldest first."""
        taken, self._dialogs = tuple(self._dialogs), []
        return taken

    def take_notices(self) -> tuple[str, ...]:
        """Return what else happened to the pages since the last call."""
        taken, self._notices = tuple(self._notices), []
        return taken

    async def report(self, deadline: Deadline) -> tuple[Tab, ...]:
        """Return the open pages, oldest first; a page that doesn't answer has no title."""
        return tuple(
            [
                Tab(id=number, url=page.url, title=await page_title(page, deadline), is_active=page is self.active)
                for page, number in self._ids.items()
                if not page.is_closed()
            ]
        )

    def _track(self, page: Page) -> None:
        if page in self._ids:
            return
        self._ids[page] = len(self._ids) + 1
        self._documents[page] = 0
        page.on("dialog", self._answer)
        page.on("download", self._refuse)
        page.on("domcontentloaded", self._count)
        page.on("crash", self._mark_crashed)

    def _count(self, page: Page) -> None:
        self._documents[page] += 1

    def _mark_crashed(self, page: Page) -> None:
        self._crashed.add(page)

    def _refuse(self, download: Download) -> None:
        self._notices.append(f"a download was refused: {quote_page_text(download.suggested_filename)}")

    async def _answer(self, dialog: Dialog) -> None:
        is_leaving = dialog.type == "beforeunload"
        answer = "accept" if is_leaving else "dismiss"
        self._dialog_count += 1
        self._dialogs.append(DialogReport(kind=dialog.type, message=dialog.message, answer=answer))
        try:
            await (dialog.accept() if is_leaving else dialog.dismiss())
        except PlaywrightError as exc:
            self._notices.append(f"a {dialog.type} dialog closed by itself ({type(exc).__name__})")


async def page_title(page: Page, deadline: Deadline) -> str:
    """Return the title of a page, empty when the page does not answer within half a second."""
    try:
        return await deadline.run(page.title(), "reading the title", cap_s=0.5)
    except (PlaywrightError, DeadlineReached):
        return ""

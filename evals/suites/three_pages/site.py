"""The three pages, served one way: a page that was left can't be opened again."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs

from jinja2 import Environment, PackageLoader, select_autoescape

from evals.suites.loopback import LoopbackServer
from evals.suites.three_pages.assignment import Assignment

LAST_PAGE = 3
BODY_LIMIT_BYTES = 10_000
TITLES = {1: "Your details", 2: "Almost there", 3: "Confirm"}
TEMPLATES = {1: "values.html", 2: "interlude.html", 3: "form.html"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the site answers to one request."""

    status: HTTPStatus
    html: str


class Visit:
    """One episode's way through the site; the server's own state, which the scorer reads."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.page = 1
        self.submitted: dict[str, str] | None = None

    def is_left(self, page: int) -> bool:
        """Return whether the visitor has gone past `page`."""
        return page < self.page or self.submitted is not None

    def enter(self, page: int) -> None:
        """Go to `page`, the current or the next one."""
        self.page = max(self.page, page)

    def submit(self, values: dict[str, str]) -> None:
        """Keep the first submission; later ones change nothing."""
        if self.submitted is None:
            self.submitted = values


class ThreePagesSite:
    """Serves any number of visits, each under a random path of its own."""

    def __init__(self) -> None:
        loader = PackageLoader("evals.suites.three_pages", "templates")
        self._templates = Environment(loader=loader, autoescape=select_autoescape(default=True))
        self._visits: dict[str, Visit] = {}
        self._lock = threading.Lock()
        self._server = LoopbackServer(partial(_SiteHandler, self))

    def open(self) -> None:
        """Start to serve."""
        self._server.open()

    async def close(self) -> None:
        """Stop to serve and forget all visits."""
        await self._server.close()
        self._visits.clear()

    def add_visit(self, assignment: Assignment) -> tuple[Visit, str]:
        """Return a new visit and the address of its first page."""
        token = secrets.token_hex(8)
        visit = Visit(assignment)
        self._visits[token] = visit
        return visit, f"{self._server.url}/{token}/1"

    def show(self, path: str) -> Answer:
        """Answer a GET of `path`, for example `/3f…/2`."""
        token, _, name = path.strip("/").partition("/")
        visit = self._visits.get(token)
        if visit is None or name not in {"1", "2", "3"}:
            return self._message("There is no such page.", HTTPStatus.NOT_FOUND)
        with self._lock:
            return self._page(visit, int(name))

    def accept(self, path: str, body: str) -> Answer:
        """Answer a POST of the form on the last page."""
        token, _, name = path.strip("/").partition("/")
        visit = self._visits.get(token)
        if visit is None or name != "submit":
            return self._message("There is no such page.", HTTPStatus.NOT_FOUND)
        with self._lock:
            if visit.page < LAST_PAGE:
                return self._message("The form comes later.", HTTPStatus.CONFLICT)
            visit.submit(_read_form(visit.assignment, body))
        return self._message("Thank you. Your form was received.", HTTPStatus.OK)

    def _page(self, visit: Visit, page: int) -> Answer:
        if visit.is_left(page):
            return self._message("You have already left this page.", HTTPStatus.GONE)
        if page > visit.page + 1:
            return self._message("This page comes later.", HTTPStatus.CONFLICT)
        visit.enter(page)
        return Answer(status=HTTPStatus.OK, html=self._render(visit.assignment, page))

    def _render(self, assignment: Assignment, page: int) -> str:
        template = self._templates.get_template(TEMPLATES[page])
        return template.render(title=TITLES[page], fields=assignment.fields, inputs=assignment.inputs)

    def _message(self, message: str, status: HTTPStatus) -> Answer:
        html = self._templates.get_template("message.html").render(title="Three pages", message=message)
        return Answer(status=status, html=html)


class _SiteHandler(BaseHTTPRequestHandler):
    """Hands requests to the site."""

    def __init__(self, site: ThreePagesSite, *args: object, **kwargs: object) -> None:
        self._site = site
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # the server passes what the base class asks for

    def do_GET(self) -> None:
        """Answer a page."""
        self._send(self._site.show(self.path))

    def do_POST(self) -> None:
        """Answer a submission."""
        length = min(int(self.headers.get("Content-Length") or 0), BODY_LIMIT_BYTES)
        self._send(self._site.accept(self.path, self.rfile.read(length).decode("utf-8", "replace")))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing; progress belongs to the runner."""

    def _send(self, answer: Answer) -> None:
        body = answer.html.encode("utf-8")
        self.send_response(answer.status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)


def _read_form(assignment: Assignment, body: str) -> dict[str, str]:
    sent = parse_qs(body, keep_blank_values=True, max_num_fields=20)
    return {name: sent.get(str(index), [""])[0] for index, name in enumerate(assignment.inputs)}

"""Reference solutions: they read the task text and act through the agent's tools and marks, nothing else."""

from __future__ import annotations

from evals.suites.miniwob.solutions import book_flight, click_test, email_inbox, enter_text, login_user
from harness.protocols.policies import Solver

SOLUTIONS: dict[str, Solver] = {
    "book-flight": book_flight.solve,
    "book-flight-nodelay": book_flight.solve,
    "click-test": click_test.solve,
    "email-inbox": email_inbox.solve,
    "email-inbox-delete": email_inbox.solve,
    "email-inbox-forward": email_inbox.solve,
    "email-inbox-important": email_inbox.solve,
    "email-inbox-noscroll": email_inbox.solve,
    "email-inbox-reply": email_inbox.solve,
    "email-inbox-star-reply": email_inbox.solve,
    "enter-text": enter_text.solve,
    "login-user": login_user.solve,
}

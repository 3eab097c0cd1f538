"""History selection, projection, validation, token ledger. Pure; imports values alone."""

from harness.context.counter import Counter, SimpleCounter, count_message
from harness.context.history import HistorySelection, StepRange, select_history
from harness.context.prefix import SentRequest, explain_edit, first_change
from harness.context.projector import ProjectionInputs, Projector
from harness.context.validation import Expectation, find_problems, find_request_problems

__all__ = [
    "Counter",
    "Expectation",
    "HistorySelection",
    "ProjectionInputs",
    "Projector",
    "SentRequest",
    "SimpleCounter",
    "StepRange",
    "count_message",
    "explain_edit",
    "find_problems",
    "find_request_problems",
    "first_change",
    "select_history",
]

"""Marks on web pages: one JavaScript pass a page frame, through open shadow roots, that changes nothing there."""

from observers.web_marks.observer import WebMarks

__all__ = ["WebMarks"]

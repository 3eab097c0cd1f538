"""The arguments of the tools that the harness runs itself."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictBool, StrictStr

from harness.tools.arguments import MAX_TEXT_CHARS, Arguments, FromOne, FromZero, Text, Whole, Word
from harness.tools.calls import AskRequest, FinishRequest, NoteRequest, ReadRecordRequest, StepRange, ZoomRequest
from harness.tools.pointing import Sighted
from harness.tools.problem import CallProblem

Box = Annotated[list[Whole], Field(min_length=4, max_length=4)]


class ZoomArguments(Arguments):
    """See a part of the newest frame at a larger size."""

    box: Annotated[Box, Field(description="[x, y, width, height] in pixels of the newest frame.")]

    def ask(self, sighted: Sighted) -> ZoomRequest:
        """Return the part to show."""
        return ZoomRequest(call_id=sighted.call_id, box=sighted.box(self.box))


class NoteArguments(Arguments):
    """Keep a fact for later steps; notes stay visible when the screens they came from are gone."""

    text: Annotated[Text, Field(description="What to keep, exactly.")]
    kind: Annotated[Word, Field(description="What it is, for example fact, plan or finding.")]
    reason: Annotated[StrictStr, Field(max_length=MAX_TEXT_CHARS, description="Why it will be needed.")]
    key: Annotated[Word | None, Field(description="A note with the same key replaces the earlier one.")] = None

    def ask(self, sighted: Sighted) -> NoteRequest:
        """Return the note."""
        return NoteRequest(
            call_id=sighted.call_id, text=self.text, note_kind=self.kind, reason=self.reason, key=self.key
        )


class FinishArguments(Arguments):
    """End the task. Call it once, when the screen shows that the task is done or can't be done."""

    success: Annotated[StrictBool, Field(description="Whether the task is done.")]
    answer: Annotated[
        StrictStr, Field(max_length=MAX_TEXT_CHARS, description="What the user asked for, or what stands in the way.")
    ] = ""

    def ask(self, sighted: Sighted) -> FinishRequest:
        """Return the claim."""
        return FinishRequest(call_id=sighted.call_id, success=self.success, answer=self.answer)


class AskUserArguments(Arguments):
    """Ask the user for what only the user can know or decide."""

    question: Annotated[Text, Field(description="One question.")]

    def ask(self, sighted: Sighted) -> AskRequest:
        """Return the question."""
        return AskRequest(call_id=sighted.call_id, question=self.question)


class ReadRecordArguments(Arguments):
    """Read a stored result or earlier steps again, as text. Give ref or step_range."""

    ref: Annotated[Word | None, Field(description="The full_result_ref of a shortened result.")] = None
    step_range: Annotated[
        list[FromOne] | None, Field(min_length=2, max_length=2, description="[first, last] session step.")
    ] = None
    find: Annotated[Word | None, Field(description="Show only lines with this text; case is ignored.")] = None
    offset: Annotated[FromZero, Field(description="First character to show; the last answer names the next.")] = 0

    def ask(self, sighted: Sighted) -> ReadRecordRequest:
        """Return what to read."""
        if (self.ref is None) == (self.step_range is None):
            raise CallProblem("give exactly one of ref and step_range")
        return ReadRecordRequest(
            call_id=sighted.call_id, ref=self.ref, steps=self._steps(), find=self.find, offset=self.offset
        )

    def _steps(self) -> StepRange | None:
        if self.step_range is None:
            return None
        first, last = self.step_range
        if last < first:
            raise CallProblem(f"step_range [{first}, {last}] ends before it begins; give [first, last]")
        return StepRange(first=first, last=last)

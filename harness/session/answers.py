"""Checks of an answer: a JSON Schema while the agent runs, a verdict after it ended."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import Awaitable, Callable
from pathlib import Path

import jsonschema

from harness.errors import UsageError
from harness.values.run import RunResult

_SHOWN_CHARS = 300


def load_answer_schema(path: Path) -> Callable[[str], str | None]:
    """Return a function that says what is wrong with an answer, or None.

    An answer is read as JSON; one that is no JSON counts as a string.

    Raises:
        UsageError: the file can't be read or isn't a JSON Schema.
    """
    try:
        schema = json.loads(path.read_text(encoding="utf-8"))
        validator_class = jsonschema.validators.validator_for(schema)
        validator_class.check_schema(schema)
    except OSError as exc:
        raise UsageError(f"the answer schema {str(path)!r} can't be read: {exc.strerror}; name a JSON Schema") from exc
    except (ValueError, jsonschema.SchemaError) as exc:
        raise UsageError(f"the answer schema {str(path)!r} is no JSON Schema: {exc}; mend the file") from exc
    validator = validator_class(schema)

    def problem(answer: str) -> str | None:
        try:
            value = json.loads(answer)
        except ValueError:
            value = answer
        error = jsonschema.exceptions.best_match(validator.iter_errors(value))
        if error is None:
            return None
        place = "/".join(str(item) for item in error.absolute_path)
        return f"{'at ' + place + ': ' if place else ''}{error.message[:_SHOWN_CHARS]}"

    return problem


def command_check(command: str) -> Callable[[RunResult], Awaitable[bool]]:
    """Return a check that runs a command without a shell: exit code 0 is success.

    The command gets `TRANSOM_ANSWER`, `TRANSOM_STATUS` and `TRANSOM_SESSION_DIR` in its environment.

    Raises:
        UsageError: the command is empty or can't be split.
    """
    try:
        words = shlex.split(command)
    except ValueError as exc:
        raise UsageError(f"the check {command!r} can't be read: {exc}; quote it as a shell would") from exc
    if not words:
        raise UsageError("the check is empty; give a command whose exit code 0 means success")

    async def check(result: RunResult) -> bool:
        environment = {
            **os.environ,
            "TRANSOM_ANSWER": result.answer or "",
            "TRANSOM_STATUS": result.status,
            "TRANSOM_SESSION_DIR": result.directory,
        }
        try:
            process = await asyncio.create_subprocess_exec(
                *words, env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL
            )
        except OSError as exc:
            raise UsageError(f"the check {words[0]!r} can't be started: {exc.strerror}; name a program") from exc
        return await process.wait() == 0

    return check

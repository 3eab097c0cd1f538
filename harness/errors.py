"""Every error that Transom raises on purpose.

HarnessError
├── UsageError                 the command line or an API argument is wrong                exit 2
│   ├── ConfigError            a configuration file is wrong                               exit 2
│   │   └── RemovedField       a field that no longer exists is still set                  exit 2
│   └── PluginError            a plug-in is missing or broken                              exit 2
│       └── PackageClash       another distribution overwrote one of our packages          exit 2
├── InfrastructureError        something outside the harness failed                        exit 3
│   ├── ControllerError        a browser, display or device failed
│   │   ├── ActionUnknown      a device call may or may not have happened
│   │   └── EmergencyStop      a person took the device back by hotkey or corner        exit 130
│   ├── ObservationError       image bytes are damaged, too large or of a wrong kind
│   ├── PolicyError            a provider or policy failed for good
│   └── StorageError           a store can't be read or written
│       ├── StorageBusy        a store stayed locked past its deadline
│       ├── StorageDamaged     a store's content contradicts itself or the session log
│       ├── StorageVersion     a store was written by a newer version, or by another program
│       ├── NoteConflict       a note event is already stored with other content
│       └── SessionLocked      another process writes this session directory
├── ContextError               the request can't be built within its rules
│   ├── PinnedContentTooLarge  pinned content alone exceeds the token budget
│   └── InvalidRequest         a request lacks a part, parts a pair or exceeds a limit
└── SafetyStop                 a safety rule or a denied approval ended the run            exit 4

What the model can mend is never an exception: it is a tool result with `is_error=True`.
"""

from __future__ import annotations


class HarnessError(Exception):
    """Base of every error the harness raises on purpose."""

    exit_code: int = 3


class UsageError(HarnessError):
    """The command line or an API argument is wrong; the text says what is valid."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration is wrong.

    Attributes:
        file: The file as the user named it, or None for values given on the command line.
        line: The line in that file, counted from 1, or None.
        path: The dotted path of the value, for example `agents.demo.prompt`.
    """

    def __init__(self, problem: str, *, file: str | None = None, line: int | None = None, path: str = "") -> None:
        self.problem = problem
        self.file = file
        self.line = line
        self.path = path
        place = ":".join(str(item) for item in (file, line) if item is not None)
        super().__init__(": ".join(item for item in (place, path, problem) if item))


class RemovedField(ConfigError):
    """A field that no longer exists is still set; the text says to delete it."""


class PluginError(UsageError):
    """A plug-in is missing or broken; the text says what to install or whom to tell."""


class PackageClash(PluginError):
    """Another distribution overwrote one of our four packages; the text names it."""


class InfrastructureError(HarnessError):
    """Something outside the harness failed."""


class ControllerError(InfrastructureError):
    """A browser, display or device failed."""


class ActionUnknown(ControllerError):
    """A device call was cut off: it may or may not have happened, and is never repeated."""


class EmergencyStop(ControllerError):
    """A person took the device back: the hotkey was pressed, or the pointer was held in the corner."""

    exit_code = 130


class ObservationError(InfrastructureError):
    """Image bytes are damaged, too large or of a wrong kind."""


class PolicyError(InfrastructureError):
    """A provider or policy failed and retrying won't help."""


class StorageError(InfrastructureError):
    """A store can't be read or written; the text names file and place."""


class StorageBusy(StorageError):
    """A store stayed locked past its deadline; nothing was written."""


class StorageDamaged(StorageError):
    """A store's content contradicts itself or the session log; the file was left untouched."""


class StorageVersion(StorageError):
    """A store was written by a newer version, or by another program."""


class NoteConflict(StorageError):
    """A note event is already stored with other content; nothing was written."""


class SessionLocked(StorageError):
    """Another process writes this session directory."""


class ContextError(HarnessError):
    """The request can't be built within its rules."""

    exit_code = 1


class PinnedContentTooLarge(ContextError):
    """Pinned content alone exceeds the token budget.

    Attributes:
        needed_tokens: Estimated size of all pinned content.
        budget_tokens: The configured limit.
    """

    def __init__(self, *, needed_tokens: int, budget_tokens: int) -> None:
        self.needed_tokens = needed_tokens
        self.budget_tokens = budget_tokens
        super().__init__(
            f"pinned content needs {needed_tokens} tokens but the budget is {budget_tokens}; "
            "raise context_management.budget_tokens or shorten the task"
        )


class InvalidRequest(ContextError):
    """A request lacks a part, parts a call from its result, or exceeds a limit; nothing was sent."""

    exit_code = 3


class SafetyStop(HarnessError):
    """A safety rule or a denied approval ended the run."""

    exit_code = 4

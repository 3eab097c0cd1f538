"""What plug-ins do. A plug-in inherits nothing; it has these attributes and methods.

Each protocol has a version. A plug-in says which one it speaks in `PROTOCOL`; the loader refuses others.
Deadlines are seconds from the call.
"""

from harness.protocols.controllers import (
    CONTROLLER_PROTOCOL,
    Capabilities,
    Controller,
    ControllerFactory,
    ControllerSpec,
    DesktopInput,
    DeviceStart,
    Display,
)
from harness.protocols.desktop import DesktopView, Pixels
from harness.protocols.observers import (
    OBSERVER_PROTOCOL,
    AccessibilityRecorder,
    FieldReader,
    FocusedField,
    Marking,
    MarkObserver,
    OverlayPainter,
    Settler,
    SettleWatch,
    Stroke,
)
from harness.protocols.policies import (
    POLICY_PROTOCOL,
    Act,
    Blobs,
    LookAround,
    ModelSpec,
    Policy,
    PolicyFactory,
    PolicySpec,
    ScriptedCall,
    SeenMark,
    SeenWindow,
    Solver,
    View,
)
from harness.protocols.shared import Clock, TokenCounter
from harness.protocols.suites import SUITE_PROTOCOL, Episode, Score, Suite, SuiteFactory, SuitePage, TaskSpec

__all__ = [
    "CONTROLLER_PROTOCOL",
    "OBSERVER_PROTOCOL",
    "POLICY_PROTOCOL",
    "SUITE_PROTOCOL",
    "AccessibilityRecorder",
    "Act",
    "Blobs",
    "Capabilities",
    "Clock",
    "Controller",
    "ControllerFactory",
    "ControllerSpec",
    "DesktopInput",
    "DesktopView",
    "DeviceStart",
    "Display",
    "Episode",
    "FieldReader",
    "FocusedField",
    "LookAround",
    "MarkObserver",
    "Marking",
    "ModelSpec",
    "OverlayPainter",
    "Pixels",
    "Policy",
    "PolicyFactory",
    "PolicySpec",
    "Score",
    "ScriptedCall",
    "SeenMark",
    "SeenWindow",
    "SettleWatch",
    "Settler",
    "Solver",
    "Stroke",
    "Suite",
    "SuiteFactory",
    "SuitePage",
    "TaskSpec",
    "TokenCounter",
    "View",
]

"""agents.yaml: schema, loader, origins, migration.

`load_config` reads a file, `resolve_agent` makes an agent of it, `load_script` reads a script.
"""

from harness.config.agent import AgentConfig
from harness.config.check import CheckReport, check_config
from harness.config.loader import LoadedConfig, load_config, load_shipped
from harness.config.resolve import resolve_agent
from harness.config.schema import KEYLESS_POLICIES
from harness.config.script import load_script

__all__ = [
    "KEYLESS_POLICIES",
    "AgentConfig",
    "CheckReport",
    "LoadedConfig",
    "check_config",
    "load_config",
    "load_script",
    "load_shipped",
    "resolve_agent",
]

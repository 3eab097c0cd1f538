"""Resolves one agent: schema defaults < `defaults` < extends chain < agent < --model < --set."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.config.agent import AgentConfig
from harness.config.build import build_controller, build_settings
from harness.config.chain import entry_names, find_chain
from harness.config.device import KIND, OBSERVERS, choose_device, missing_address
from harness.config.installed import installed
from harness.config.layer import Layer, Setting
from harness.config.loader import LoadedConfig
from harness.config.mask import MASK, mask
from harness.config.nexau import NexauAgent, read_nexau
from harness.config.overrides import read_overrides
from harness.config.problem import Path, Problem, dotted, raise_problems, suggest
from harness.config.schema import KEYLESS_POLICIES, DefaultsSection, iterate_fields
from harness.config.yaml_reader import Data
from harness.protocols import Display, ModelSpec

_STEPS: Path = ("limits", "steps")
_MODEL: Path = ("model",)
_KINDS: Final = {"controllers": "controller", "observers": "observer", "policies": "policy"}


def resolve_agent(
    loaded: LoadedConfig,
    name: str,
    *,
    model: str | None = None,
    overrides: Sequence[str] = (),
    display: Display | None = None,
) -> AgentConfig:
    """Resolve one agent.

    Args:
        loaded: The configuration.
        name: An agent of the file, a shipped agent, or a keyless policy, which then acts on the web.
        model: Model that replaces the agent's, as `--model` does.
        overrides: `path=value` texts as `--set` takes them; paths are relative to the agent, values are YAML.
        display: Turns the agent's device into a desktop, as `--desktop` does; None leaves it.

    Raises:
        ConfigError: there is no such agent, or a value is wrong; the text names every problem.
    """
    config, problems = try_resolve(loaded, name, model=model, overrides=overrides, display=display)
    raise_problems(problems)
    assert config is not None
    return config


def try_resolve(
    loaded: LoadedConfig,
    name: str,
    *,
    model: str | None = None,
    overrides: Sequence[str] = (),
    display: Display | None = None,
) -> tuple[AgentConfig | None, tuple[Problem, ...]]:
    """Resolve one agent and return everything that is wrong; see `resolve_agent`."""
    resolution = _Resolution(loaded=loaded, name=name)
    chain, problems = find_chain(loaded, name)
    resolution.problems.extend(problems)
    command_line = resolution.command_line(model, overrides)
    settings = choose_device(resolution.merge(chain, command_line), display)
    resolution.check_device(settings)
    spec = resolution.model(settings)
    if resolution.problems or spec is None:
        return None, tuple(resolution.problems)
    return resolution.build(settings, spec), ()


@dataclass(slots=True, kw_only=True)
class _Resolution:
    """One resolution; collects problems instead of stopping at the first."""

    loaded: LoadedConfig
    name: str
    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    nexau: NexauAgent | None = None
    model_settings: dict[Path, Setting] = field(default_factory=dict)

    def command_line(self, model: str | None, overrides: Sequence[str]) -> dict[Path, Setting]:
        """Return what the command line sets."""
        settings, problems = read_overrides(overrides)
        self.problems.extend(problems)
        return ({} if model is None else {_MODEL: Setting(value=model, origin="--model")}) | settings

    def merge(self, chain: Sequence[Layer], command_line: Mapping[Path, Setting]) -> dict[Path, Setting]:
        """Merge all layers and read the NexAU block; its step limit stands just below its agent's own values."""
        defaults = schema_defaults()
        if not chain and self.name in KEYLESS_POLICIES:
            command_line = {_MODEL: Setting(value=self.name, origin="default"), **command_line}
        layers = [self.loaded.defaults, *chain]
        strict = _last(layers, ("strict",), defaults, command_line).value is True
        owner = next(
            (layer for layer in reversed(chain) if layer.block is not None or layer.config_path is not None), None
        )
        merged = dict(defaults)
        for layer in layers:
            self.problems.extend(layer.unset)
            if layer is owner:
                merged.update(self._read_block(layer, strict=strict))
            merged.update(layer.settings)
        merged.update(command_line)
        return {path: merged[path] for path in defaults}

    def _read_block(self, layer: Layer, *, strict: bool) -> dict[Path, Setting]:
        reading = read_nexau(layer, strict=strict)
        if reading is None:
            return {}
        self.problems.extend(reading.problems)
        self.warnings.extend(reading.warnings)
        self.nexau = reading.agent
        if reading.agent is None or reading.agent.max_iterations is None:
            return {}
        origin = f"{reading.agent.file}:{reading.agent.max_iterations_line}"
        return {_STEPS: Setting(value=reading.agent.max_iterations, origin=origin)}

    def check_device(self, settings: Mapping[Path, Setting]) -> None:
        """Check the names of controller and observers, and what the controller can't do without."""
        kind = settings[KIND]
        names = settings[OBSERVERS]
        self._check_plugin("controllers", kind.value, kind, KIND)
        for name in names.value if isinstance(names.value, list) else ():
            self._check_plugin("observers", name, names, OBSERVERS)
        text = missing_address(settings)
        if text is not None:
            self.problems.append(_at(kind, text, KIND))

    def _check_plugin(self, group: str, name: Data, setting: Setting, path: Path) -> None:
        known = installed(f"transom.{group}")
        if isinstance(name, str) and name not in known:
            self.problems.append(_unknown(setting, _KINDS[group], name, known, path))

    def model(self, settings: Mapping[Path, Setting]) -> ModelSpec | None:
        """Return the model entry that the agent names."""
        setting = settings[_MODEL]
        if setting.value is None:
            if not self.problems:
                text = (
                    f"agent {self.name!r} names no model; add `model: heuristic` or the name of an entry under `models`"
                )
                self.problems.append(Problem(text=text, file=self.loaded.file))
            return None
        name = str(setting.value)
        layer = self._model_layer(name)
        if layer is None and name not in KEYLESS_POLICIES:
            known = entry_names(self.loaded, "models") | set(KEYLESS_POLICIES)
            self.problems.append(_unknown(setting, "model", name, known, _MODEL))
            return None
        entry = {} if layer is None else dict(layer.settings)
        self.problems.extend(() if layer is None else layer.unset)
        use = entry.setdefault(("use",), Setting(value=name, origin="default"))
        self._check_plugin("policies", use.value, use, ("models", name, "use"))
        self.model_settings = {("name",): setting, **entry}
        return ModelSpec(
            name=name,
            use=str(use.value),
            model=_text(entry.get(("model",))),
            context_tokens=_number(entry.get(("context_tokens",))),
            max_output_tokens=_number(entry.get(("max_output_tokens",))),
        )

    def _model_layer(self, name: str) -> Layer | None:
        shipped = self.loaded.shipped.models if self.loaded.shipped else {}
        return self.loaded.models.get(name) or shipped.get(name)

    def build(self, settings: Mapping[Path, Setting], spec: ModelSpec) -> AgentConfig:
        """Return the resolved agent."""
        section = DefaultsSection.model_validate(_nest(settings))
        shown = {("model", *path): item for path, item in self.model_settings.items()}
        shown |= {path: item for path, item in settings.items() if path != _MODEL}
        if self.nexau is not None:
            self.warnings.append(
                f"`llm_config` of the NexAU block in {self.nexau.file} is not used: the model is {spec.name!r}"
            )
        return AgentConfig(
            name=self.name,
            model=spec,
            controller=build_controller(section),
            observers=tuple(section.observers or ()),
            settings=build_settings(section),
            system=self.nexau.system if self.nexau else None,
            nexau=self.nexau,
            warnings=tuple(self.warnings),
            origins={dotted(path): item.origin for path, item in shown.items()},
            values={
                dotted(path): MASK if item.is_secret else mask(item.value, (), path) for path, item in shown.items()
            },
        )


def schema_defaults() -> dict[Path, Setting]:
    """Return every value of the schema with its default, in the schema's order."""
    found = {}
    for path, info in iterate_fields(DefaultsSection):
        found[path] = Setting(value=info.default, origin="default")
    return found


def _last(
    layers: Sequence[Layer], path: Path, defaults: Mapping[Path, Setting], command_line: Mapping[Path, Setting]
) -> Setting:
    maps = [command_line, *(layer.settings for layer in reversed(layers)), defaults]
    return next(settings[path] for settings in maps if path in settings)


def _unknown(setting: Setting, kind: str, name: str, known: Collection[str], path: Path) -> Problem:
    """Return the problem of a name that means nothing, at the place where it was set."""
    shown = "of a hidden name" if setting.is_secret else repr(name)
    return _at(setting, f"there is no {kind} {shown}; {suggest(name, known)}", path)


def _at(setting: Setting, text: str, path: Path) -> Problem:
    """Return a problem at the place where a value was set."""
    file, _, line = setting.origin.rpartition(":")
    if file and line.isdigit():
        return Problem(text=text, file=file, line=int(line), path=dotted(path))
    return Problem(text=text, file=setting.origin if setting.origin.startswith("--") else None, path=dotted(path))


def _nest(settings: Mapping[Path, Setting]) -> dict[str, Data]:
    nested: dict[str, Data] = {}
    for path, setting in settings.items():
        *parents, name = [str(part) for part in path]
        place = nested
        for parent in parents:
            inner = place.setdefault(parent, {})
            assert isinstance(inner, dict)
            place = inner
        place[name] = setting.value
    return nested


def _text(setting: Setting | None) -> str | None:
    return setting.value if setting is not None and isinstance(setting.value, str) else None


def _number(setting: Setting | None) -> int | None:
    return setting.value if setting is not None and isinstance(setting.value, int) else None

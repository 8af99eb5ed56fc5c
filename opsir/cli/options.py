"""From what a user writes after ``-p`` and ``-t`` to pass and target objects.

Owns the messages about misspelt names and options. Knows no single pass or target.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.utils.target import Target

from opsir.cli.arguments import DEFAULT_PIPELINE
from opsir.diagnostics import fail
from opsir.registry import load

Made = TypeVar("Made", bound=ArgSpecConvertible)


def make_passes(
    text: str, available: Mapping[str, Callable[[], type[ModulePass]]], cpu: str | None = None
) -> list[ModulePass]:
    """The passes that a list such as ``promote-types{rules=c},cse`` names, in order.

    ``cpu`` names the machine that ``opsir-default`` is for, the one at hand where it is None.
    """
    passes: list[ModulePass] = []
    for spec in _read_specs(text, "pass list"):
        if spec.name == DEFAULT_PIPELINE:
            passes.extend(_default_passes(spec, cpu))
            continue
        if spec.name not in available:
            fail(f"no pass '{spec.name}'; there are {', '.join([*available, DEFAULT_PIPELINE])}")
        passes.append(_make("pass", available[spec.name](), spec))
    return passes


def make_target(text: str, available: Mapping[str, Any], settings: Mapping[str, object]) -> Target:
    """The target that ``text`` names; ``settings`` holds what separate flags say about it."""
    specs = _read_specs(text, "target")
    if len(specs) != 1:
        fail(f"expected one target, got {len(specs)}")
    (spec,) = specs
    if spec.name not in available:
        fail(f"no target '{spec.name}'; there are {', '.join(available)}")
    target: Target = _make("target", available[spec.name](), spec)
    fields = {field.name for field in dataclasses.fields(target)}
    for name in settings:
        if name not in fields:
            fail(f"target {spec.name} has no option '{name.replace('_', '-')}'")
    return dataclasses.replace(target, **settings)


def _read_specs(text: str, what: str) -> list[ArgSpec]:
    try:
        return list(parse_pipeline(text))
    except ArgSpecParseError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        fail(f"cannot read the {what} {text!r}: {reason}")
    except ValueError as error:
        fail(f"cannot read the {what} {text!r}: {error}")


def _make(what: str, made: type[Made], spec: ArgSpec) -> Made:
    known = [field.name.replace("_", "-") for field in dataclasses.fields(made) if field.init]
    for option in spec.parameters:
        if option.replace("_", "-") not in known:
            fail(f"{what} {spec.name} has no option '{option}'; {_offer(known)}")
    try:
        return made.from_spec(spec)
    except ValueError as error:
        fail(f"{what} {spec.name}: {error}")


def _offer(options: Iterable[str]) -> str:
    names = ", ".join(options)
    return f"it takes {names}" if names else "it takes none"


def _default_passes(spec: ArgSpec, cpu: str | None) -> tuple[ModulePass, ...]:
    """The whole pipeline; it takes the string options of ``PipelineOptions``."""
    name = load("opsir.backends.cpu.host:HOST") if cpu is None else cpu
    settings: dict[str, object] = {"machine": load("opsir.backends.cpu.host:machine_named")(name)}
    made = load("opsir.pipeline:PipelineOptions")
    known = [f.name.replace("_", "-") for f in dataclasses.fields(made) if f.name != "machine"]
    for option, values in spec.parameters.items():
        name = option.replace("_", "-")
        if name not in known:
            fail(f"{DEFAULT_PIPELINE} has no option '{option}'; {_offer(known)}")
        if len(values) != 1 or not isinstance(values[0], str):
            fail(f"{DEFAULT_PIPELINE}: option '{option}' takes one word")
        settings[name.replace("-", "_")] = values[0]
    return load("opsir.pipeline:passes")(made(**settings))

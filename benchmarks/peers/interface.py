"""What a peer is: it makes a program for a problem, storing into new or into given memory.

Owns the interface and its refusals. A peer knows its own library and nothing of timing.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from benchmarks.inputs import Array, Problem
from benchmarks.peers import PEERS


class RefusedError(Exception):
    """A peer cannot run a case, or cannot run at all; the text says why."""


@dataclasses.dataclass(frozen=True)
class Program:
    """``call`` is what is timed; ``result`` makes a NumPy array of what it returned."""

    call: Callable[[], Any]
    result: Callable[[Any], Array] = np.asarray


class Peer(Protocol):
    """A library with a number of threads, given when it is made."""

    def __init__(self, threads: int) -> None: ...

    def fresh(self, problem: Problem) -> Program:
        """Every call returns its result in new memory."""
        ...

    def into(self, problem: Problem, out: Array) -> Program:
        """Every call stores its result in ``out``, which may be the argument ``case.in_place``."""
        ...


def library(name: str) -> Any:
    """An optional module; a RefusedError if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise RefusedError(f"{name} is not installed") from None


def made(name: str, threads: int) -> Peer:
    """The peer of a name; a RefusedError says why there is none."""
    module, _, attribute = PEERS[name].partition(":")
    peer: type[Peer] = getattr(importlib.import_module(module), attribute)
    return peer(threads)


def available(names: list[str], threads: int) -> tuple[dict[str, Peer], Mapping[str, str]]:
    """The peers that can run, and for the others the reason why not."""
    peers, missing = dict[str, Peer](), dict[str, str]()
    for name in names:
        try:
            peers[name] = made(name, threads)
        except RefusedError as reason:
            missing[name] = str(reason)
    return peers, missing

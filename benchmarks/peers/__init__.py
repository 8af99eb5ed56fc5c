"""What is timed: each library's way to run a case, under one small interface.

Registry of peers: name to ``"module:Class"``, loaded when a run asks for it, so that a library that
is not installed is one missing column.
"""

from __future__ import annotations

from collections.abc import Mapping

PEERS: Mapping[str, str] = {
    "numpy": "benchmarks.peers.numpy_peer:NumpyPeer",
    "numexpr": "benchmarks.peers.numexpr_peer:NumexprPeer",
    "numba": "benchmarks.peers.numba_peer:NumbaPeer",
    "jax": "benchmarks.peers.jax_peer:JaxPeer",
    "torch": "benchmarks.peers.torch_peer:TorchPeer",
    "torch.compile": "benchmarks.peers.torch_peer:TorchCompilePeer",
    "opsir": "benchmarks.peers.opsir_peer:OpsirPeer",
}
OURS = "opsir"
